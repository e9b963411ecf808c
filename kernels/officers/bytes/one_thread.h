// The rare-value algorithm over bytes, one position after the other.
#pragma once

#include <string>
#include <vector>

#include "kernels/officers/bytes/byte_values.h"
#include "kernels/officers/officers.h"

namespace ratchet::officers {

template <class Compression>
class OneThread {
 public:
  OneThread(const Parameters&, const std::vector<std::uint16_t>& values,
            const std::vector<Rare>& rares, std::uint64_t count)
      : next_(values.size()), end_(values.size() + count), values_(values, rares, count) {}

  std::uint64_t compute(std::vector<std::uint16_t>& out, Work& work) {
    const std::uint64_t start = next_;
    for (; next_ < end_; ++next_) {
      Flags seen{};
      values_.add_options(next_, 0, values_.rares(), seen);
      work.options += values_.rares();
      const std::uint32_t place = values_.first_common(seen);
      std::uint64_t sums = 0;
      if (place == 256 || !values_.verify(next_, place, sums)) break;
      work.verifying += sums, work.deepest = std::max(work.deepest, sums);
      values_.bytes()[next_] = kByteOrder<Compression>.common[place];
      out.push_back(values_.value_at(place));
    }
    return next_ - start;
  }

 private:
  std::uint64_t next_, end_;
  ByteValues<Compression> values_;
};

}  // namespace ratchet::officers
