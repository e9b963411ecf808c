// Nodes of one kind of machine as the unit of replication: what holds for the kind, and not only
// for those that were asked. In natural logarithms of (throughput now / before), one figure a node.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "perf/stats/quantile.h"

namespace ratchet::stats {

/// What the nodes' figures are held against.
enum class Reference {
  own,    ///< each node measured both sides itself
  shared  ///< one stored side for all, which some node of the kind once measured
};

/// What nodes say of one row.
struct NodesSay {
  double ratio = 1;      ///< of the typical node: throughput now over before
  double deviation = 0;  ///< of a node's logarithm around that
  std::optional<Bounds> bounds;
  double detectable = 0;  ///< the relative change that `bounds` shows in nine runs of ten; infinity
                          ///< where there are none
};

/// The fewest nodes that a verdict over nodes needs.
inline constexpr std::size_t kLeastNodes = 3;

/// Bounds of the ratio of the kind, each wrong with probability `error` at most.
///
/// Own references: where 2^-n <= error, the signed-rank bounds of stats/paired.h on the nodes'
/// figures. They assume only that the figures lie symmetrically about the kind's. Where nothing
/// changed they do, since each node drew the order of its own pairs at random. Fewer nodes:
/// Student's, exact where nodes scatter normally. A shared reference: Student's prediction
/// interval, for the stored side is of one more node of the kind, whose own deviation all figures
/// have in common. Nothing for fewer than kLeastNodes. Throws std::invalid_argument when there are
/// no figures, or not finite ones.
NodesSay of_nodes(const std::vector<double>& logs, Reference reference, double error);

// The shift between two occasions on one kind of machine with the same code: another machine, other
// load, another day. Launches of one occasion cannot show it, however many they are; rows of
// identical work and earlier occasions can. In natural logarithms of throughput.

struct OccasionShift {
  double centre = 0;     ///< the common shift of all rows
  double deviation = 0;  ///< standard deviation of a further row or occasion around it
  double degrees = 0;    ///< degrees of freedom of the deviation
  std::size_t seen = 0;  ///< number of rows or occasions it is estimated from
  bool of_rows = false;  ///< estimated from rows of identical work, not from stored occasions
};

/// From ln(now / stored) of rows whose code did not change; nothing for fewer than `least`.
std::optional<OccasionShift> shift_of_controls(const std::vector<double>& log_ratios,
                                               std::size_t least = 5);

/// From ln of one row's throughput on each stored occasion; nothing for fewer than three.
std::optional<OccasionShift> shift_of_occasions(const std::vector<double>& logs);

/// Half the width of Student's prediction interval: an unchanged row lies farther from the centre
/// with probability `error` at most on each side. Exact where shifts are normal, with one variance
/// for all rows.
double reach(const OccasionShift& shift, double error);

}  // namespace ratchet::stats
