// officers/cpu/04_top_bit
// Changed:  values as bytes, without their top bit, which comes back by what is common or rare.
// Why:      half the memory and half the cache: the values that options read are 20 thousand places
//           long, those of verification as long as it takes.
// Expected: 03 spends its time on stores, not on loads: 1.1 times.
// Source:   mvr, "Values as Bytes", after Grossman. The order of values is lost:
//           the first missing one is looked for by a table.
#include "kernels/officers/bytes/common_run.h"
#include "kernels/officers/bytes/one_thread.h"
#include "kernels/officers/whole/whole.h"

namespace ratchet::officers {
namespace {

const Registration registered{make_cpu_stage<CommonRun<OneThread<WithoutTopBit>>>(
    RATCHET_STAGE, "Values as bytes, without the top bit", of_text("Values as Bytes"), 16384)};

}  // namespace
}  // namespace ratchet::officers
