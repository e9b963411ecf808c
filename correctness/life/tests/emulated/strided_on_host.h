// The device of the strided kernel on a CPU: for kernels/life/strided/cuda_strided_ptx.cuh.
#pragma once

#include <cstdint>
#include <cstring>

#include "correctness/emulator/warp_on_host.h"

namespace ratchet::life::strided {

inline std::uint32_t shared_address(const void* shared) {
  return on_host::warp.shared_address(shared);
}
inline void copy_async(std::uint32_t to, const std::uint32_t* from, int bytes) {
  on_host::warp.start_copy(to, from, bytes);
}
inline void commit_copies() { on_host::warp.commit_copies(); }
template <int kLeft>
void await_copies() {
  on_host::warp.await_copies(kLeft);
}
inline void await_all_copies() { on_host::warp.await_copies(0); }
inline void load_shared(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c, std::uint32_t& d,
                        std::uint32_t from) {
  std::uint32_t words[4];
  std::memcpy(words, on_host::warp.shared(from), sizeof(words));
  a = words[0], b = words[1], c = words[2], d = words[3];
}

// Instructions that the kernels of life name, on a CPU: for
// kernels/life/strided/cuda_strided_ptx.cuh.

template <int kTable>
std::uint32_t lop3(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  std::uint32_t d = 0;
  for (int i = 0; i < 8; ++i)
    if (kTable >> i & 1) d |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  return d;
}
template <int kFactor>
std::uint32_t mad(std::uint32_t a, std::uint32_t c) {
  return a * static_cast<std::uint32_t>(kFactor) + c;
}

}  // namespace ratchet::life::strided
