// The shift between two occasions on one kind of machine with the same code: another machine, other
// load, another day. Launches of one occasion cannot show it, however many they are; rows of
// identical work and earlier occasions can. In natural logarithms of throughput.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ratchet::stats {

struct OccasionShift {
  double centre = 0;     ///< the common shift of all rows
  double deviation = 0;  ///< standard deviation of a further row or occasion around it
  double degrees = 0;    ///< degrees of freedom of the deviation
  std::size_t seen = 0;  ///< number of rows or occasions it is estimated from
  bool of_rows = false;  ///< estimated from rows of identical work, not from stored occasions
};

/// From ln(now / stored) of rows whose code did not change; nothing for fewer than five.
std::optional<OccasionShift> shift_of_controls(const std::vector<double>& log_ratios);

/// From ln of one row's throughput on each stored occasion; nothing for fewer than three.
std::optional<OccasionShift> shift_of_occasions(const std::vector<double>& logs);

/// Half the width of Student's prediction interval: an unchanged row lies farther from the centre
/// with probability `error` at most on each side. Exact where shifts are normal, with one variance
/// for all rows.
double reach(const OccasionShift& shift, double error);

}  // namespace ratchet::stats
