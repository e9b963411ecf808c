// dot/cpu/02_four_sums: four sums side by side, which wait for nobody.
#include "dot.h"

namespace {

double four_sums(const double* a, const double* b, std::size_t count) {
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

const ratchet::Registration registered{
    std::make_unique<dot::Stage>(RATCHET_STAGE, "four sums side by side", four_sums)};

}  // namespace
