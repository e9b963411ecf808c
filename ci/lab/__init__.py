"""Experiments on ratchet itself; see __main__.py."""
