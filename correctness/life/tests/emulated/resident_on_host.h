// The device of the resident kernel on a CPU: for kernels/life/resident/cuda_resident_ptx.cuh.
#pragma once

#include <cstring>

#include "correctness/life/tests/emulated/instructions_on_host.h"
#include "correctness/emulator/grid_on_host.h"

namespace ratchet::life::resident {

inline std::uint32_t block_memory() { return 0; }
inline void make_barrier(std::uint32_t barrier, std::uint32_t arrivals) {
  on_host::grid.barrier(barrier) = {arrivals, arrivals, 0};
}
inline void arrive(std::uint32_t barrier) {
  on_host::Barrier& b = on_host::grid.barrier(barrier);
  if (b.left == 0) on_host::grid.fail("arrival at no barrier");
  if (--b.left == 0) b.left = b.arrivals, ++b.phases;
  on_host::grid.happened();
}
inline void await(std::uint32_t barrier, std::uint32_t parity) {
  // Of the phase that goes on the parity is phases % 2; as the device has it.
  while (on_host::grid.barrier(barrier).phases % 2 == parity) on_host::grid.wait();
}

template <int K>
void put_shared(std::uint32_t to, const std::uint32_t (&words)[K]) {
  constexpr int kPiece = K % 4 == 0 ? 4 : 1;
  for (int k = 0; k < K; k += kPiece)
    std::memcpy(on_host::grid.shared(to + k * 128), words + k, kPiece * 4);
}
template <int K>
void get_shared(std::uint32_t (&words)[K], std::uint32_t from) {
  constexpr int kPiece = K % 4 == 0 ? 4 : 1;
  for (int k = 0; k < K; k += kPiece)
    std::memcpy(words + k, on_host::grid.shared(from + k * 128), kPiece * 4);
}
template <int K>
void send(std::uint64_t* row, std::uint32_t lane, const std::uint32_t (&words)[K],
          std::uint32_t tag) {
  on_host::grid.happened();
  for (int k = 0; k < K; ++k)
    row[k / 2 * 64 + lane * (K == 1 ? 1 : 2) + k % 2] = std::uint64_t{tag} << 32 | words[k];
}
template <int K>
void poll(std::uint64_t (&words)[K], const std::uint64_t* row, std::uint32_t lane) {
  on_host::grid.warp().waits = true;
  for (int k = 0; k < K; ++k) words[k] = row[k / 2 * 64 + lane * (K == 1 ? 1 : 2) + k % 2];
}

}  // namespace ratchet::life::resident
