// The step of lean_links.h for the device, as predicated instructions: written in C++, it becomes
// branches that cost as much as what they skip, since of 32 lanes some take every path. It does the
// same, line by line, and nothing else; lanes whose game is over do nothing.
#pragma once

#include "kernels/bmn/lean_links/lean_links.h"

namespace ratchet::bmn::lean_links {

// Operands: 0 payer, 1 other, 2 opening, 3 last, 4 slot, 5 length, 6 active; 7 end, 8 column, 9 and
// 10 one, 11 minus one.
// Registers: a, the address of the last court's node; r, what is left of the payer's front; w, the
// winner's front; x, y, z.
// Predicates: on, the game goes on; p, q, the first, the second payment laid a court; n, c, the
// first, one of them was complete; h, the winner holds a court; t, another trick opens.
// A move as a product by one, which the compiler does not know, keeps it off the pipe that is short.
// clang-format off
#define RATCHET_BMN_MOVE(to, from, when) "@" when " mad.lo.u32 " to ", " from ", %9, 0;\n\t"
#define RATCHET_BMN_LAY(front, when)                               \
  "@" when " st.shared.u32 [a], " front ";\n\t"                    \
  RATCHET_BMN_MOVE("%3", front, when)                              \
  "dp4a.u32.u32 z, " front ", 0x1000000, 0;\n\t"                  \
  "@" when " mad.lo.u32 %5, z, %9, %5;\n\t"                       \
  "lop3.b32 a, %3, 0x7e00, %8, 0xea;\n\t"

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
  "@n xor.b32 %4, %4, 0x200;\n\t"                                  \
  "mad.lo.u32 x, %3, 0x1000000, %7;\n\t"                           \
  "@c st.shared.u32 [a], x;\n\t"                                   \
  "add.u32 x, w, 1;\n\t"                                           \
  "min.u32 x, x, r;\n\t"                                           \
  "setp.gt.and.u32 t, x, %7, c;\n\t"                               \
  "or.pred on, q, t;\n\t"                                          \
  "sub.u32 y, %2, %7;\n\t"                                         \
  "and.b32 z, w, 7;\n\t"                                           \
  "setp.ne.and.u32 h, z, 0, c;\n\t"                                \
  "@h ld.shared.u32 x, [%4];\n\t"                                  \
  "@h ld.shared.u32 z, [x];\n\t"                                   \
  "@h add.u32 z, z, y;\n\t"                                        \
  "@h st.shared.u32 [x], z;\n\t"                                   \
  "@!h add.u32 w, w, y;\n\t"                                       \
  "@c st.shared.u32 [%4], a;\n\t"                                  \
  "lop3.b32 z, %2, 0xff000000, %3, 0xe2;\n\t"                      \
  "dp4a.u32.u32 z, z, 0x1800001, 0;\n\t"                          \
  "@c mad.lo.u32 %5, z, %9, %5;\n\t"                              \
  /* the next trick */                                             \
  "and.b32 x, w, 0xff000000;\n\t"                                  \
  "add.u32 x, x, w;\n\t"                                           \
  "add.u32 x, x, 0xff000000;\n\t"                                  \
  "and.b32 y, r, 0xff000000;\n\t"                                  \
  "add.u32 y, y, r;\n\t"                                           \
  "min.u32 x, x, y;\n\t"                                           \
  "@t mad.lo.u32 %2, x, %9, 0;\n\t"                               \
  "@t mad.lo.u32 %3, x, %10, 0;\n\t"                              \
  "lop3.b32 a, %3, 0x7e00, %8, 0xea;\n\t"                          \
  "add.u32 w, w, r;\n\t"                                           \
  "@t mad.lo.u32 %0, x, %11, w;\n\t"                              \
  "@t ld.shared.u32 %1, [a];\n\t"                                  \
  "shr.u32 x, x, 15;\n\t"                                          \
  "lop3.b32 x, %4, x, 0x200, 0x78;\n\t"                           \
  RATCHET_BMN_MOVE("%4", "x", "t")

// clang-format on

/// Four steps of a game that is `active`, which tells afterwards whether it still is.
/// `one` and `also_one` are 1, in registers.
__device__ __forceinline__ void four_steps(Play& play, bool& active, Word end, Word column,
                                           Word one, Word also_one) {
  static_assert(kCard == 0x1000000 && kRows == 0x7e00 && kRow == 0x200 && kDemand == 7 &&
                kOne == 0x800000 && kTurnBits == 14);
  unsigned on = active;
  asm volatile(
      "{\n\t.reg .pred on, p, q, n, c, h, t;\n\t.reg .b32 a, r, w, x, y, z;\n\t"
      "setp.ne.u32 on, %6, 0;\n\t"
      "lop3.b32 a, %3, 0x7e00, %8, 0xea;\n\t" RATCHET_BMN_STEP RATCHET_BMN_STEP RATCHET_BMN_STEP
          RATCHET_BMN_STEP "selp.u32 %6, 1, 0, on;\n\t}"
      : "+r"(play.payer), "+r"(play.other), "+r"(play.opening), "+r"(play.last), "+r"(play.slot),
        "+r"(play.length), "+r"(on)
      : "r"(end), "r"(column), "r"(one), "r"(also_one), "r"(0 - one)
      : "memory");
  active = on != 0;
}

#undef RATCHET_BMN_MOVE
#undef RATCHET_BMN_STEP
#undef RATCHET_BMN_LAY

}  // namespace ratchet::bmn::lean_links
