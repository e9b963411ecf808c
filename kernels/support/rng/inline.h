// Inlining that the generators and kernel bodies insist on.
//
// A generator is compiled once per instruction set, inside the kernel that uses it. Were a copy
// left out of line, the linker would keep one of several of the same name, perhaps one that the
// machine at hand cannot run.
#pragma once

#define RATCHET_INLINE inline __attribute__((always_inline))
