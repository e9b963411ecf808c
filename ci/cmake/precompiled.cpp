// Holds the precompiled headers (targets.cmake) and nothing else.
