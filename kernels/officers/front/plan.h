// What a launch of the front kernel needs of a state, and what the host does with what it made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/officers/front/job.h"
#include "kernels/officers/officers.h"

namespace ratchet::officers::front {

/// Constants of a launch, as Job has them.
struct Tables {
  std::vector<std::uint8_t> values;  ///< the last kKeep
  std::vector<std::uint32_t> rares, head, head_rare;
  std::uint32_t far_rares = 0;
};

/// True when a launch can go on from `state`: far enough for all options to be common, no rare
/// positions beyond the known ones, no more of them than shared memory has room for, and the near
/// ones those that the kernels have compiled in.
bool can_launch(const State& state);
/// Throws Error naming `stage` where it is not.
void require_launch(const std::string& stage, const State& state);

Tables make_tables(const State& state, std::uint32_t lookback);

/// The values that `bytes` are, from `from` on: those at `undecided` places verified by the
/// definition; where one turns out to be rare, it and all after it are computed anew. Adds to
/// `work`.
std::vector<std::uint16_t> decide(const State& from, const std::vector<std::uint8_t>& bytes,
                                  std::vector<std::uint32_t> undecided, Work& work);

}  // namespace ratchet::officers::front
