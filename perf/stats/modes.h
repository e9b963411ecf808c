// Samples that fall into two groups, as launches do whose speed depends on where a process happens
// to lie in memory.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ratchet::stats {

/// Two groups of values: their medians and sizes.
struct TwoModes {
  double low = 0, high = 0;
  std::size_t of_low = 0, of_high = 0;
};

/// The widest gap between neighbours splits the values, where both sides keep three values and a
/// seventh of all. They are two modes if the gap is three times the wider interquartile range of a
/// side. Nothing for fewer than twelve. Of 12 independent values 1 sample in 100 is called two
/// modes if they are normal, 1 in 40 if exponential; of 24, at most 1 in 250 (modes_test.cpp).
std::optional<TwoModes> two_modes(std::vector<double> values);

}  // namespace ratchet::stats
