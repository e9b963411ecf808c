// Forced inlining for generators and kernel bodies.
//
// A generator is compiled once per instruction set, inside the kernel that uses it. Of several
// out-of-line copies with the same name the linker would keep one, possibly with instructions that
// the machine lacks.
#pragma once

#define RATCHET_INLINE inline __attribute__((always_inline))
