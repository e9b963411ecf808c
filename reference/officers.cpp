#include "reference/officers.h"

namespace ratchet::reference::officers {

std::uint32_t next_value(const std::vector<std::uint32_t>& values) {
  const std::size_t n = values.size();
  if (n < 2) return 0;
  std::vector<bool> reached(1);
  for (std::size_t i = 0; i <= n - 1 - i; ++i) {  // the other splits are the same two heaps
    const std::uint32_t value = values[i] ^ values[n - 1 - i];
    if (value >= reached.size()) reached.resize(value + 1);
    reached[value] = true;
  }
  std::uint32_t mex = 0;
  while (mex < reached.size() && reached[mex]) ++mex;
  return mex;
}

void extend(std::vector<std::uint32_t>& values, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(next_value(values));
}

std::vector<std::uint32_t> grundy_values(std::uint64_t count) {
  std::vector<std::uint32_t> values;
  extend(values, count);
  return values;
}

}  // namespace ratchet::reference::officers
