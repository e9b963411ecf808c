// officers/cpu/01_naive_set
// Changed:  nothing; this is where the ladder starts: every split's value in a hash set, and the
//           first number that is not in it.
// Why:      the shortest code that is right.
// Expected: a hash-set insertion for each of 2^20 splits a value: 50 to 100 values a second.
// Source:   mvr, "Calculating Naively".
#include <string>
#include <unordered_set>

#include "kernels/officers/values/compressed.h"
#include "kernels/officers/whole/whole.h"
#include "perf/support/error.h"

namespace ratchet::officers {
namespace {

struct NaiveSet {
  std::uint16_t operator()(const std::vector<std::uint16_t>& values, Work&) {
    std::unordered_set<std::uint32_t> seen;
    for (std::size_t i = 0; i < values.size(); ++i)
      seen.insert(values[i] ^ values[values.size() - 1 - i]);
    std::uint16_t mex = 0;
    while (seen.count(mex)) ++mex;
    if (mex >= kValues)
      throw Error("officers: the value of position " + std::to_string(values.size()) +
                  " is 512 or more, which no other stage holds: a discovery; all before it are right");
    return mex;
  }
};

const Registration registered{make_cpu_stage<WholeRun<NaiveSet>>(
    RATCHET_STAGE, "Every split's value in a hash set", of_text("Calculating Naively"), 16)};

}  // namespace
}  // namespace ratchet::officers
