// officers/cpu/05_bit_1
// Changed:  bytes without bit 1, in place of the top one.
// Why:      the order of common values is that of their bytes, so that the first missing one is the
//           first flag that is not set.
// Expected: a search over some hundred flags by vectors where there were loads by a table: 200 of
//           5000 cycles a value.
// Source:   mvr, "Values as Bytes".
#include "kernels/officers/bytes/common_run.h"
#include "kernels/officers/bytes/one_thread.h"
#include "kernels/officers/whole/whole.h"

namespace ratchet::officers {
namespace {

const Registration registered{make_cpu_stage<CommonRun<OneThread<WithoutBit1>>>(
    RATCHET_STAGE, "Values as bytes, without bit 1, which keeps their order",
    of_text("Values as Bytes"), 16384)};

}  // namespace
}  // namespace ratchet::officers
