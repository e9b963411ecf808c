// All values as bytes, in memory, and what one position needs of them, by scalar code.
//
// From kCommonFrom on, where options are sums of a rare heap and a common one, and no rare position
// beyond the known ones has been found.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/officers/bytes/order.h"
#include "kernels/officers/values/state.h"

namespace ratchet::officers {

/// A flag for each byte that was seen.
using Flags = std::uint8_t[256];

template <class Compression>
class ByteValues {
 public:
  /// `values` of all positions before the first to compute, and room for `count` more.
  ByteValues(const std::vector<std::uint16_t>& values, const std::vector<Rare>& rares,
             std::uint64_t count)
      : bytes_(values.size() + count), rare_head_(kLastRare + 1) {
    std::transform(values.begin(), values.end(), bytes_.begin(), Compression::byte);
    for (const Rare& rare : rares) {
      positions_.push_back(rare.position);
      rare_bytes_.push_back(Compression::byte(rare.value));
      rare_head_[rare.position] = 1;
    }
  }

  std::size_t rares() const { return positions_.size(); }
  std::uint64_t rare_position(std::size_t j) const { return positions_[j]; }
  std::uint8_t rare_byte(std::size_t j) const { return rare_bytes_[j]; }
  std::uint8_t* bytes() { return bytes_.data(); }

  /// The options of rares from ... to - 1 for position n.
  void add_options(std::uint64_t n, std::size_t from, std::size_t to, Flags& seen) const {
    const std::uint8_t* const before = bytes_.data() + n - 1;
    for (std::size_t j = from; j < to; ++j)
      seen[before[-static_cast<std::ptrdiff_t>(positions_[j])] ^ rare_bytes_[j]] = 1;
  }

  /// The place among common values of the first not seen; 256: all were.
  static std::uint32_t first_common(const Flags& seen) {
    if constexpr (Compression::kKeepsOrder) {
      const void* const found = std::memchr(seen, 0, sizeof(Flags));
      return found ? static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(found) - seen) : 256;
    } else {
      std::uint32_t place = 0;
      while (place < 256 && seen[kByteOrder<Compression>.common[place]]) ++place;
      return place;
    }
  }
  static std::uint16_t value_at(std::uint32_t place) {
    return static_cast<std::uint16_t>(
        Compression::value(kByteOrder<Compression>.common[place], false));
  }

  /// Sums of two common values, from the first position up, until every rare value below the
  /// `place`-th common one is seen: how many it took; false when all there are do not.
  bool verify(std::uint64_t n, std::uint32_t place, std::uint64_t& sums) const {
    Flags missing{};
    std::uint32_t left = kByteOrder<Compression>.rares_below[place];
    for (std::uint32_t i = 0; i < left; ++i) missing[kByteOrder<Compression>.rare[i]] = 1;
    for (std::uint64_t i = 0; left > 0 && i <= n - 1 - i; ++i) {
      if (i < rare_head_.size() && rare_head_[i]) continue;
      std::uint8_t& flag = missing[bytes_[i] ^ bytes_[n - 1 - i]];
      left -= flag, flag = 0, ++sums;
    }
    return left == 0;
  }

 private:
  std::vector<std::uint8_t> bytes_, rare_bytes_, rare_head_;
  std::vector<std::uint64_t> positions_;
};

}  // namespace ratchet::officers
