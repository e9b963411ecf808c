// life/cpu/07_strided
// Changed:  the strided layout (cpu_strided.h) in place of 05's: neighbours are lined up without a
//           shift. The sums of a column of three cells are made once for the columns on both its
//           sides, with three-input operations where the machine has them. A pass over the universe
//           makes up to 32 generations: rows go through all of them while they are in the cache.
// Why:      half of 05's operations are shifts, a third count the same three cells again, and a
//           large universe comes from memory in every generation.
// Expected: the floor: 8 operations for a vector of 512 cells; 4 issue in a cycle (measured: 15.8 G
//           ternary operations/s of 512 bits), so 2 cycles, 1000 G cell updates/s at 3.95 GHz. With
//           loads, a store and moves beside them 3 cycles: 690 G, 6.5 times 05.
//           In fact less: 8.5 operations, 3 loads and a store are 12.5, and that mix alone reaches
//           15 G such operations a second, which makes a floor of 590 G. Long rows in the
//           first-level cache reach it. Each of these steps gained: three columns that take turns,
//           instead of moves between registers; folded strips, so that a row has 64 vectors and not
//           8 between its ends; operands that are written over when they are not needed any more;
//           passes of a size for an eighth of the cache.
// Source:   ratchet; the last four operations of the rule: Dijkstra and Brouwer, "LOP3".

#include "kernels/life/strided/cpu_strided.h"

namespace ratchet::life {
namespace {

const Registration registered{std::make_unique<CpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "Strided bits, shared column sums, several generations in a pass",
                .source = "ratchet",
                .limit = {"cpu.vector_ops", kStridedOpsPerCell},
                .parameters = common_parameters(4096, 512, {torus_parameter()})}),
    &make_strided_universe)};

}  // namespace
}  // namespace ratchet::life
