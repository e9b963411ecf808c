// selftest
