// The rare-value algorithm as the text has it, over whole values: rare options first, then sums
// until every rare value below the candidate is seen.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/officers/officers.h"

namespace ratchet::officers {

class RareValues {
 public:
  /// Needs a state that keeps all values; throws Error otherwise.
  explicit RareValues(const State& from);
  /// The next value, verified; appended to what is known.
  std::uint16_t next(Work& work);
  /// Back to the first `size` values.
  void cut(std::uint64_t size);
  const std::vector<std::uint16_t>& values() const { return values_; }

 private:
  struct At {
    std::uint64_t position;
    std::uint16_t value;
  };
  std::vector<std::uint16_t> values_;
  std::vector<At> rares_;
};

/// All values of a state, whole. Throws Error when some are no longer kept.
std::vector<std::uint16_t> whole_values(const State& state);

}  // namespace ratchet::officers
