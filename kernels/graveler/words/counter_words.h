// The counter stream with the interface of a generator, for the probes of CPU stages.
#pragma once

#include <cstdint>

#include "kernels/support/counter_stream.h"

namespace ratchet::graveler {

/// Words 0, 1, 2, ... of one stream. Draw words of one width only: the widths share the counter.
class CounterWords {
 public:
  CounterWords(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}
  std::uint32_t next32() { return counter_word32(seed_, stream_, drawn_++); }
  std::uint64_t next64() { return counter_word64(seed_, stream_, drawn_++); }

 private:
  std::uint64_t seed_, stream_, drawn_ = 0;
};

}  // namespace ratchet::graveler
