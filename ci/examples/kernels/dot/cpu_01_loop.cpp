// dot/cpu/01_loop: the definition, one product after the other; each addition waits for the last.
#include "dot.h"

namespace {

double loop(const double* a, const double* b, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

const ratchet::Registration registered{
    std::make_unique<dot::Stage>(RATCHET_STAGE, "one product after the other", loop)};

}  // namespace
