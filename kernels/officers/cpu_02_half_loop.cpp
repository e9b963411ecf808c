// officers/cpu/02_half_loop
// Changed:  half of the splits, since the others are the same two heaps swapped; an array of flags
//           in place of the hash set.
// Why:      an insertion costs a hash and perhaps an allocation, a flag a store.
// Expected: the text: 11 thousand values a second, at positions it does not tell, and slower as
//           they grow; at 2^20 half a million stores a value, 1 to 3 thousand a second.
// Source:   mvr, "Calculating Naively". A value of 512 or more, on which the
//           text takes its chance, is an error here.
#include <algorithm>
#include <array>
#include <string>

#include "kernels/officers/values/compressed.h"
#include "kernels/officers/whole/whole.h"
#include "perf/support/error.h"

namespace ratchet::officers {
namespace {

struct HalfLoop {
  std::uint16_t operator()(const std::vector<std::uint16_t>& values, Work&) {
    std::array<bool, kValues> seen{};
    const std::size_t n = values.size();
    for (std::size_t i = 0; i <= n - 1 - i; ++i) seen[values[i] ^ values[n - 1 - i]] = true;
    const auto mex = std::find(seen.begin(), seen.end(), false);
    if (mex == seen.end())
      throw Error("officers: the value of position " + std::to_string(n) +
                  " is 512 or more and does not fit the array: a discovery; all before it are right");
    return static_cast<std::uint16_t>(mex - seen.begin());
  }
};

const Registration registered{
    make_cpu_stage<WholeRun<HalfLoop>>(RATCHET_STAGE, "Half of the splits, a fixed array of flags",
                                       of_text("Calculating Naively"), 256)};

}  // namespace
}  // namespace ratchet::officers
