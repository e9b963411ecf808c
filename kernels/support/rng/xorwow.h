// XORWOW (Marsaglia, JSS 2003) as cuRAND seeds it, on the host: for replays of what the GPU drew
// and for test batteries. The CUDA stages use cuRAND's own.
#pragma once

#include <cstdint>

namespace ratchet {

class Xorwow {
 public:
  /// The state that curand_init(seed, 0, 0, &state) makes.
  explicit Xorwow(std::uint64_t seed) {
    const auto t0 = 1099087573u * (static_cast<std::uint32_t>(seed) ^ 0xaad26b49u);
    const auto t1 = 2591861531u * (static_cast<std::uint32_t>(seed >> 32) ^ 0xf7dcefddu);
    weyl_ = 6615241u + t1 + t0;
    v_[0] = 123456789u + t0;
    v_[1] = 362436069u ^ t0;
    v_[2] = 521288629u + t1;
    v_[3] = 88675123u ^ t1;
    v_[4] = 5783321u + t0;
  }

  std::uint32_t next32() {
    const std::uint32_t t = v_[0] ^ (v_[0] >> 2);
    for (int i = 0; i < 4; ++i) v_[i] = v_[i + 1];
    v_[4] = (v_[4] ^ (v_[4] << 4)) ^ (t ^ (t << 1));
    weyl_ += 362437u;
    return v_[4] + weyl_;
  }

 private:
  std::uint32_t v_[5], weyl_;
};

}  // namespace ratchet
