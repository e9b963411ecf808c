#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/bit_columns.h"
#include "correctness/support/statistics.h"

namespace ratchet::graveler {
namespace {

using correctness::BitColumns;
using correctness::exact;
using correctness::TestResult;
using correctness::ZScan;

constexpr double kP = 0.25, kPQ = kP * (1 - kP);

/// Column j, row t: whether the j-th outcome bit in use of battle t (of the trace's order) is set.
BitColumns columns_of(const Trace& trace, const std::vector<std::vector<std::uint16_t>>& used) {
  const std::size_t rows = trace.ones.size();
  BitColumns columns(kTurns, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint32_t* outcome = &trace.outcome[row * trace.words_per_battle];
    const auto& bits = used[row % trace.battles_per_round];
    for (std::size_t j = 0; j < kTurns; ++j)
      columns.column(j)[row / 64] |= std::uint64_t{outcome[bits[j] / 32] >> (bits[j] % 32) & 1}
                                     << (row % 64);
  }
  return columns;
}

std::vector<double> column_ones(const BitColumns& columns, std::size_t words) {
  std::vector<double> ones(columns.columns());
  for (std::size_t i = 0; i < ones.size(); ++i)
    ones[i] = static_cast<double>(correctness::count_ones(columns.column(i), words));
  return ones;
}

TestResults scan_frequencies(const BitColumns& columns) {
  const std::size_t words = columns.rows() / 64;
  const double n = 64.0 * static_cast<double>(words);
  const std::vector<double> ones = column_ones(columns, words);
  ZScan scan("frequency of each turn");
  for (std::size_t i = 0; i < ones.size(); ++i)
    scan.add((ones[i] - n * kP) / std::sqrt(n * kPQ), i, i);
  return scan.tests(std::sqrt(kPQ / n), "P(one) of a turn off by");
}

/// Sum of (x - p)(y - p) over n rows, in standard deviations. p is known, so pairs are
/// uncorrelated.
double centred(double both, double ones_x, double ones_y, double n) {
  return (both - kP * (ones_x + ones_y) + kP * kP * n) / (kPQ * std::sqrt(n));
}

/// Every pair of turns of one battle, and the sums over all pairs of one distance.
TestResults scan_pairs(const BitColumns& columns) {
  const std::size_t words = columns.rows() / 64;
  const double n = 64.0 * static_cast<double>(words);
  const std::vector<double> ones = column_ones(columns, words);
  const std::vector<std::uint64_t> both = correctness::count_pairs(columns, columns, words);
  ZScan pairs("pairs of turns"), distances("turns by distance");
  std::array<double, kTurns> by_distance{};
  for (std::size_t i = 0; i < kTurns; ++i)
    for (std::size_t j = i + 1; j < kTurns; ++j) {
      const double z = centred(static_cast<double>(both[i * kTurns + j]), ones[i], ones[j], n);
      pairs.add(z, i, j);
      by_distance[j - i] += z;
    }
  for (std::size_t d = 1; d < kTurns; ++d)
    distances.add(by_distance[d] / std::sqrt(static_cast<double>(kTurns - d)), 0, d);
  TestResults tests = pairs.tests(1 / std::sqrt(n), "correlation of two turns");
  append(tests, distances.tests(1 / std::sqrt(n * kTurns),
                                "mean correlation at one distance (of 231 pairs)"));
  return tests;
}

/// Every turn of a battle with every turn of the battle `lag` entries later.
TestResults scan_cross(const BitColumns& columns, const Lag& lag) {
  const BitColumns later = columns.shifted(lag.entries);
  const std::size_t words = later.rows() / 64;
  const double n = 64.0 * static_cast<double>(words);
  const std::vector<double> ones = column_ones(columns, words),
                            ones_later = column_ones(later, words);
  const std::vector<std::uint64_t> both = correctness::count_pairs(columns, later, words);
  ZScan scan("turns of a battle with turns of " + lag.name);
  for (std::size_t i = 0; i < kTurns; ++i)
    for (std::size_t j = 0; j < kTurns; ++j)
      scan.add(centred(static_cast<double>(both[i * kTurns + j]), ones[i], ones_later[j], n), i, j);
  return scan.tests(1 / std::sqrt(n), "correlation of two turns");
}

/// The same turn of battles at each lag: turn by turn, and summed over the turns of a battle.
TestResults scan_lags(const BitColumns& columns, const std::vector<Lag>& lags) {
  ZScan each("same turn at a lag"), joint("joint outcomes at a lag");
  double rows = 0;
  for (const Lag& lag : lags) {
    const BitColumns later = columns.shifted(lag.entries);
    const std::size_t words = later.rows() / 64;
    const double n = rows = 64.0 * static_cast<double>(words);
    const std::vector<double> ones = column_ones(columns, words), after = column_ones(later, words);
    double sum = 0;
    for (std::size_t i = 0; i < kTurns; ++i) {
      const std::uint64_t both = correctness::count_both(columns.column(i), later.column(i), words);
      const double z = centred(static_cast<double>(both), ones[i], after[i], n);
      each.add(z, fmt::format("turn {}, {}", i, lag.name));
      sum += z;
    }
    joint.add(sum / std::sqrt(double{kTurns}), lag.name);
  }
  TestResults tests = each.tests(1 / std::sqrt(rows), "correlation of a turn with itself");
  append(tests, joint.tests(1 / std::sqrt(rows * kTurns), "mean correlation over the turns"));
  return tests;
}

/// Sum of (x - p)(y - p)(z - p), in standard deviations, from the counts of rows set.
struct TripleCounts {
  double x, y, z, xy, xz, yz, xyz, n;
  double score() const {
    const double sum = xyz - kP * (xy + xz + yz) + kP * kP * (x + y + z) - kP * kP * kP * n;
    return sum / std::sqrt(n * kPQ * kPQ * kPQ);
  }
};

/// The same turn of three battles, summed over the turns: what pairs alone cannot show.
TestResults scan_triples(const BitColumns& columns,
                         const std::vector<std::pair<Lag, Lag>>& triples) {
  ZScan scan("same turn of three battles");
  double rows = 1;
  for (const auto& [near, far] : triples) {
    const BitColumns second = columns.shifted(near.entries), third = columns.shifted(far.entries);
    const std::size_t words = std::min(second.rows(), third.rows()) / 64;
    const double n = rows = 64.0 * static_cast<double>(words);
    double sum = 0;
    for (std::size_t i = 0; i < kTurns; ++i) {
      const std::uint64_t *x = columns.column(i), *y = second.column(i), *z = third.column(i);
      const auto two = [words](auto* a, auto* b) {
        return static_cast<double>(correctness::count_both(a, b, words));
      };
      sum += TripleCounts{two(x, x),
                          two(y, y),
                          two(z, z),
                          two(x, y),
                          two(x, z),
                          two(y, z),
                          static_cast<double>(correctness::count_all(x, y, z, words)),
                          n}
                 .score();
    }
    scan.add(sum / std::sqrt(double{kTurns}), near.name + " and " + far.name);
  }
  return scan.tests(1 / std::sqrt(rows * kTurns), "mean triple correlation over the turns");
}

/// Three turns at the same bit of three different words, of a battle and the next: the place where
/// a lagged or shift-register generator shows its three-term recurrence.
TestResults scan_word_triples(const BitColumns& columns, const std::vector<std::uint16_t>& used) {
  const BitColumns later = columns.shifted(1);
  const std::size_t words = later.rows() / 64;
  const double n = 64.0 * static_cast<double>(words);
  ZScan scan("same bit of three words");
  for (std::uint16_t bit = 0; bit < 32; ++bit) {
    std::vector<const std::uint64_t*> sites;
    std::vector<double> ones;
    for (const BitColumns* set : {&columns, &later})
      for (std::size_t j = 0; j < kTurns; ++j)
        if (used[j] % 32 == bit) {
          sites.push_back(set->column(j));
          ones.push_back(static_cast<double>(correctness::count_ones(sites.back(), words)));
        }
    const std::size_t size = sites.size();
    std::vector<double> both(size * size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = i + 1; j < size; ++j)
        both[i * size + j] =
            static_cast<double>(correctness::count_both(sites[i], sites[j], words));
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = i + 1; j < size; ++j)
        for (std::size_t k = j + 1; k < size; ++k) {
          const double all =
              static_cast<double>(correctness::count_all(sites[i], sites[j], sites[k], words));
          const TripleCounts counts{
              ones[i], ones[j], ones[k], both[i * size + j], both[i * size + k], both[j * size + k],
              all,     n};
          scan.add(counts.score(), bit, (i * size + j) * size + k);
        }
  }
  return scan.tests(1 / std::sqrt(n), "triple correlation");
}

}  // namespace

TestResults check_independence(const Trace& trace) {
  const auto used = used_bits(trace);
  const bool complete =
      std::all_of(used.begin(), used.end(), [](const auto& bits) { return bits.size() == kTurns; });
  TestResults tests{exact("outcome bits in use", complete && trace.ones.size() >= 4096,
                          fmt::format("{} battles, {} bits in the first", trace.ones.size(),
                                      used.empty() ? 0 : used.front().size()))};
  if (any_rejected(tests)) return tests;
  const std::vector<Lag> lags = lags_of(trace);
  tests.push_back(check_repeats(trace, used));
  append(tests, scan_counts(trace, lags));
  const BitColumns columns = columns_of(trace, used);
  append(tests, scan_frequencies(columns));
  append(tests, scan_pairs(columns));
  append(tests, scan_lags(columns, lags));
  append(tests, scan_triples(columns, triples_of(trace)));
  append(tests, scan_word_triples(columns, used.front()));
  append(tests, scan_cross(columns, {1, "the next battle"}));
  if (trace.groups > 1) append(tests, scan_cross(columns, {group_length(trace), "the next group"}));
  return tests;
}

}  // namespace ratchet::graveler
