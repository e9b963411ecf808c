// dot/cpu/01_loop: the definition, one product after the other; each addition waits for the last.
#include "dot.h"

namespace {

double loop(const dot::Vectors& in) {
  double sum = 0;
  for (std::size_t i = 0; i < in.a.size(); ++i) sum += in.a[i] * in.b[i];
  return sum;
}

const ratchet::Registration registered = ratchet::kernel<loop>(RATCHET_STAGE)
                                             .summary("one product after the other")
                                             .inputs("elements", 1 << 16, dot::vectors)
                                             .reference(dot::reference);

}  // namespace
