// The step of short_steps.h for the device, as predicated instructions, like lean_links/rounds.cuh.
// It does the same, line by line, and nothing else; lanes whose game is over do nothing.
#pragma once

#include "kernels/bmn/short_steps/short_steps.h"

namespace ratchet::bmn::short_steps {

// Operands: 0 payer, 1 other, 2 opening, 3 last, 4 slot, 5 length, 6 active; 7 end, 8 column, 9 and
// 10 one, 11 minus one, 12 both slots, 13 the most turns to go on with.
// Registers: a, the address of the last court's node; r, what is left of the payer's front; w, the
// winner's front; x, y, z.
// Predicates: on, the game goes on; p, q, the first, the second payment laid a court; n, c, the
// first, one of them was complete; h, the winner holds a court; t, another trick opens; s, the
// leader's court is the opening.
// Products by a one that the compiler does not know, and a count by dp4a in place of a mask, keep
// work off the pipe that is short. The compiler makes two instructions, the second a select, of
// dp4a and of a sum of three under a predicate.
// clang-format off
#define RATCHET_BMN_LAY(front, when)                               \
  "@" when " st.shared.u32 [a], " front ";\n\t"                    \
  "dp4a.u32.u32 z, %3, 0x1000000, 0;\n\t"                         \
  "@" when " mad.lo.u32 %3, z, 0x1000000, " front ";\n\t"          \
  "lop3.b32 a, %3, 0x7e00, %8, 0xea;\n\t"
#define RATCHET_BMN_OTHER_SLOT(when) "@" when " mad.lo.u32 %4, %4, %11, %12;\n\t"

#define RATCHET_BMN_STEP                                           \
  /* payments */                                                   \
  "mad.lo.u32 r, %3, 0xff000000, %0;\n\t"                          \
  "setp.lt.and.s32 p, r, 0x1000000, on;\n\t"                       \
  "setp.ge.and.s32 n, r, 0x1000000, on;\n\t"                       \
  "@p mad.lo.u32 r, %0, 0xff000000, %1;\n\t"                       \
  RATCHET_BMN_LAY("%0", "p")                                       \
  "@p ld.shared.u32 %0, [a];\n\t"                                  \
  "setp.lt.and.s32 q, r, 0x1000000, on;\n\t"                       \
  "setp.ge.and.s32 c, r, 0x1000000, on;\n\t"                       \
  RATCHET_BMN_LAY("%1", "q")                                       \
  "@q ld.shared.u32 %1, [a];\n\t"                                  \
  /* the pile goes to the winner */                                \
  "selp.b32 w, %0, %1, p;\n\t"                                     \
  RATCHET_BMN_OTHER_SLOT("n")                                      \
  "mad.lo.u32 x, %3, 0x1000000, %7;\n\t"                           \
  "@c st.shared.u32 [a], x;\n\t"                                   \
  "add.u32 x, w, 1;\n\t"                                           \
  "min.u32 x, x, r;\n\t"                                           \
  "setp.gt.and.u32 t, x, %7, c;\n\t"                               \
  "or.pred on, q, t;\n\t"                                          \
  "lop3.and.b32 _|h, w, 7, 0, 0xc0, c;\n\t"                        \
  "@h ld.shared.u16 x, [%4];\n\t"                                  \
  "sub.u32 y, %2, %7;\n\t"                                         \
  "lop3.b32 z, x, 0x7e00, %8, 0xea;\n\t"                           \
  "mad.lo.u32 x, x, 0x1000000, %2;\n\t"                            \
  "@h st.shared.u32 [z], x;\n\t"                                   \
  "@!h mad.lo.u32 w, y, %9, w;\n\t"                                \
  "@c st.shared.u16 [%4], %3;\n\t"                                 \
  "dp4a.u32.u32 z, %3, 0x1800001, 0;\n\t"                          \
  "@c mad.lo.u32 %5, z, %9, %5;\n\t"                               \
  /* the next trick */                                             \
  "and.b32 x, w, 0xff000000;\n\t"                                  \
  "add.u32 x, x, w;\n\t"                                           \
  "add.u32 x, x, 0xff000000;\n\t"                                  \
  "and.b32 y, r, 0xff000000;\n\t"                                  \
  "add.u32 y, y, r;\n\t"                                           \
  "min.u32 x, x, y;\n\t"                                           \
  "@t mad.lo.u32 %3, x, %10, 0;\n\t"                               \
  "lop3.b32 a, %3, 0x7e00, %8, 0xea;\n\t"                          \
  "@t mad.lo.u32 %2, x, %9, 0;\n\t"                                \
  "add.u32 w, w, r;\n\t"                                           \
  "@t mad.lo.u32 %0, x, %11, w;\n\t"                               \
  "lop3.and.b32 _|s, x, 0x1000000, 0, 0xc0, t;\n\t"                \
  "@t ld.shared.u32 %1, [a];\n\t"                                  \
  RATCHET_BMN_OTHER_SLOT("s")

// clang-format on

/// Six steps of a game that is `active`, 1 or 0, which tells afterwards whether it still is: not
/// past `most` turns. `one` and `also_one` are 1, in registers.
__device__ __forceinline__ void six_steps(Play& play, unsigned& active, Word end, Word column,
                                          Word both_slots, Word most, Word one, Word also_one) {
  static_assert(kCard == 0x1000000 && kRows == 0x7e00 && kDemand == 7 && kTurns == 0x3fff &&
                lean_links::kOne == 0x800000 && kTurnBits == 14);
  asm volatile(
      "{\n\t.reg .pred on, p, q, n, c, h, t, s;\n\t.reg .b32 a, r, w, x, y, z;\n\t"
      "setp.ne.u32 on, %6, 0;\n\t"
      "lop3.b32 a, %3, 0x7e00, %8, 0xea;\n\t" RATCHET_BMN_STEP RATCHET_BMN_STEP RATCHET_BMN_STEP
          RATCHET_BMN_STEP RATCHET_BMN_STEP RATCHET_BMN_STEP
      "and.b32 x, %5, 0x3fff;\n\t"
      "setp.le.and.u32 on, x, %13, on;\n\t"
      "selp.u32 %6, 1, 0, on;\n\t}"
      : "+r"(play.payer), "+r"(play.other), "+r"(play.opening), "+r"(play.last), "+r"(play.slot),
        "+r"(play.length), "+r"(active)
      : "r"(end), "r"(column), "r"(one), "r"(also_one), "r"(0 - one), "r"(both_slots), "r"(most)
      : "memory");
}

#undef RATCHET_BMN_STEP
#undef RATCHET_BMN_OTHER_SLOT
#undef RATCHET_BMN_LAY

}  // namespace ratchet::bmn::short_steps
