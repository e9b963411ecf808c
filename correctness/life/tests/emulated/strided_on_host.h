// The device of the strided kernel on a CPU: for kernels/life/strided/cuda_strided_ptx.cuh.
#pragma once

#include <cstring>

#include "correctness/life/tests/emulated/instructions_on_host.h"
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

}  // namespace ratchet::life::strided
