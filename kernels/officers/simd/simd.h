// Verified values by vectors of bytes: one position verified after the other
// (officers/cpu/07_simd).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/officers/officers.h"

namespace ratchet::officers {

/// Continues a state. Values a vector's bytes wide are worked on side by side:
///   - a first part of the rare options marks a table of flags a value; the first kHoles values
///   that
///     no option has excluded stay as candidates;
///   - the other options are compared with those candidates, a vector at a time;
///   - the nearest options, of positions within the vector, one value after the other;
///   - verification: the first sums of two common values mark flags, the others are compared with
///     the few rare values still missing.
/// What does not go that way (the first positions, a candidate too few, a rare value that no sum
/// gives, rare positions beyond the known ones) is computed by the definition.
class SimdValues {
 public:
  explicit SimdValues(const State& from);
  ~SimdValues();
  /// The `count` values from where the state ends; every call starts there again.
  std::vector<std::uint16_t> compute(std::uint64_t count);
  const Work& work() const { return work_; }

 private:
  State from_;
  Work work_;
};

/// Computes the values from position from.next + `at` on again, up to `count` in all: for when a
/// rare value was found there, of which those after it did not know.
void compute_anew(const State& from, std::vector<std::uint16_t>& values, std::uint64_t at,
                  std::uint64_t count);

/// Positions that verification begins with, from the last to the first: the order that needs the
/// fewest sums (README.md).
inline constexpr std::uint64_t kDescending = 8192;

/// The first values of all, in the order in which verification takes them: positions kDescending -
/// 1 down to 0; then, the last first so that partners ascend, those from kDescending on.
struct Head {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> rare;  ///< 0xff where the value is rare, else 0
};

/// What the vector code needs of a run. All bytes as compress() makes them.
struct SimdJob {
  std::uint8_t* at_next;  ///< the value of position `next` goes here; the tail is before it
  std::uint64_t next;     ///< kCommonFrom or more
  std::uint64_t count;
  std::uint64_t tail;  ///< values before at_next
  const Head* head;
  const std::uint64_t* rare_position;  ///< ascending, up to kLastRare
  const std::uint8_t* rare_value;
  std::uint64_t rares;
};

/// The first position after the known rare ones.
inline constexpr std::uint64_t kCommonHead = kLastRare + 1;

/// Computes values until `count` or the first that it cannot, and returns how many; a value that is
/// returned is right. Runs with the widest vectors of this CPU.
std::uint64_t compute_by_vectors(const SimdJob& job, Work& work);

}  // namespace ratchet::officers
