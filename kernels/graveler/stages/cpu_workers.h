// Workers that more than one stage plays with: the thread stages change who plays, not how.
#pragma once

#include "kernels/graveler/stages/cpu_stage.h"

namespace ratchet::graveler {

/// Of cpu_08_xoshiro_x8.cpp, for the best instruction set of this machine.
std::unique_ptr<Worker> make_xoshiro_x8_worker(std::uint64_t seed, std::uint64_t index);
Layout xoshiro_x8_layout();
/// Operations on 64-bit lanes a battle, for StageInfo.limit: with AVX-512, 22 on eight lanes for
/// two battles.
inline constexpr double kXoshiroX8OpsPerBattle = 88;

/// Of cpu_12_aes_weyl.cpp, for the best instruction set of this machine.
std::unique_ptr<Worker> make_aes_weyl_worker(std::uint64_t seed, std::uint64_t index);
Layout aes_weyl_layout();
/// As above: with AVX-512, 36 on eight lanes for eight battles; an AES round counts as two lanes.
inline constexpr double kAesWeylOpsPerBattle = 36;

}  // namespace ratchet::graveler
