// The k-th smallest of all pairwise values without forming them: the selection behind the
// Hodges-Lehmann estimates, where n launches give n^2 pairs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ratchet::stats {

/// Which cells of a matrix of pairs take part: all of them, or those with column >= row.
enum class Pairs { all, upper_triangle };

/// Selection in a matrix whose value at(row, column) never falls with a growing row or column, in
/// O(rows + columns) a step and some log2(rows * columns) steps (J. F. Monahan, Algorithm 616, ACM
/// Trans. Math. Softw. 10, 1984: random pivots, ranks by walking the staircase). The pivots come
/// from a fixed seed; the result is exact whatever they are.
template <typename At>
class PairOrder {
 public:
  PairOrder(std::size_t rows, std::size_t columns, Pairs pairs, At at)
      : rows_(rows),
        columns_(columns),
        pairs_(pairs),
        at_(at),
        left_(rows),
        right_(rows),
        ends_(rows) {}

  /// The k-th smallest value, k from 1 to the number of cells.
  double kth(std::size_t k) {
    for (std::size_t i = 0; i < rows_; ++i) {
      left_[i] = first(i);
      right_[i] = columns_;
    }
    below_ = 0;
    while (open() > few * rows_) {
      const double pivot = draw();
      if (k <= cut(pivot, Keep::below, k)) continue;
      if (k <= cut(pivot, Keep::above, k)) return pivot;
    }
    candidates_.clear();
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = left_[i]; j < right_[i]; ++j) candidates_.push_back(at_(i, j));
    const auto place = candidates_.begin() + static_cast<long>(k - 1 - below_);
    std::nth_element(candidates_.begin(), place, candidates_.end());
    return *place;
  }

 private:
  enum class Keep { below, above };
  static constexpr std::size_t few = 6;  // cells a row: from here on sorting them is cheaper

  std::size_t first(std::size_t row) const { return pairs_ == Pairs::all ? 0 : row; }

  std::size_t open() const {
    std::size_t cells = 0;
    for (std::size_t i = 0; i < rows_; ++i) cells += right_[i] - left_[i];
    return cells;
  }

  /// A cell still in question, each with the same chance.
  double draw() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    std::size_t place = static_cast<std::size_t>((state_ >> 33) % open());
    std::size_t row = 0;
    while (place >= right_[row] - left_[row]) {
      place -= right_[row] - left_[row];
      ++row;
    }
    return at_(row, left_[row] + place);
  }

  /// Counts the cells below the pivot (Keep::above: below or equal), and where the k-th is (is not)
  /// among them, drops the others (drops these).
  std::size_t cut(double pivot, Keep keep, std::size_t k) {
    const bool equal_too = keep == Keep::above;
    std::size_t end = columns_;
    std::size_t count = 0;
    for (std::size_t i = 0; i < rows_; ++i) {
      while (end > first(i) && !(equal_too ? at_(i, end - 1) <= pivot : at_(i, end - 1) < pivot))
        --end;
      ends_[i] = std::max(end, first(i));
      count += ends_[i] - first(i);
    }
    const bool among = k <= count;
    if (among == equal_too) return count;
    for (std::size_t i = 0; i < rows_; ++i) {
      if (among) {
        right_[i] = std::max(left_[i], std::min(right_[i], ends_[i]));
      } else {
        left_[i] = std::min(right_[i], std::max(left_[i], ends_[i]));
      }
    }
    if (!among) below_ = count;
    return count;
  }

  std::size_t rows_;
  std::size_t columns_;
  Pairs pairs_;
  At at_;
  std::vector<std::size_t> left_, right_, ends_;  // per row: what is still in question
  std::size_t below_ = 0;                         // cells known to be smaller than all of those
  std::vector<double> candidates_;
  std::uint64_t state_ = 1;
};

}  // namespace ratchet::stats
