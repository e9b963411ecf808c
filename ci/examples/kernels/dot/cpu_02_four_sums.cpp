// dot/cpu/02_four_sums: four sums side by side, none of which waits for another.
#include "dot.h"

namespace {

double four_sums(const dot::Vectors& in) {
  const double *a = in.a.data(), *b = in.b.data();
  const std::size_t count = in.a.size();
  double sums[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return sums[0] + sums[1] + sums[2] + sums[3];
}

const ratchet::Registration registered = ratchet::kernel<four_sums>(RATCHET_STAGE)
                                             .summary("four sums side by side")
                                             .inputs("elements", 1 << 16, dot::vectors)
                                             .reference(dot::reference);

}  // namespace
