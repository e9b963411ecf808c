// Many yes/no observations as bit columns, for counting coincidences at one popcount per 64 rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ratchet::correctness {

/// `columns` bit vectors of `rows` bits each; row r is bit r % 64 of word r / 64. Bits beyond
/// `rows` are zero.
class BitColumns {
 public:
  BitColumns(std::size_t columns, std::size_t rows);

  std::size_t columns() const { return columns_; }
  std::size_t rows() const { return rows_; }
  std::uint64_t* column(std::size_t i) { return bits_.data() + i * stride_; }
  const std::uint64_t* column(std::size_t i) const { return bits_.data() + i * stride_; }
  void set(std::size_t column_index, std::size_t row) {
    column(column_index)[row / 64] |= std::uint64_t{1} << (row % 64);
  }
  /// Row r of the result is row r + offset of this; it has offset rows fewer.
  BitColumns shifted(std::size_t offset) const;

 private:
  std::size_t columns_, rows_, stride_;
  std::vector<std::uint64_t> bits_;
};

/// Number of rows set among the first 64 * words rows.
std::uint64_t count_ones(const std::uint64_t* a, std::size_t words);
/// Number of rows set in both.
std::uint64_t count_both(const std::uint64_t* a, const std::uint64_t* b, std::size_t words);
/// Number of rows set in all three.
std::uint64_t count_all(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                        std::size_t words);

/// count_both of every column of `a` with every column of `b` over the first 64 * words rows: entry
/// i * b.columns() + j.
std::vector<std::uint64_t> count_pairs(const BitColumns& a, const BitColumns& b, std::size_t words);

}  // namespace ratchet::correctness
