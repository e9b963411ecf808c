#include "correctness/support/bit_columns.h"

#include <algorithm>

namespace ratchet::correctness {
namespace {

struct Block {
  const std::uint64_t *a, *b, *c;
  std::size_t words;
};

[[gnu::always_inline]] inline std::uint64_t count_body(const Block& block) {
  std::uint64_t sum = 0;
  for (std::size_t w = 0; w < block.words; ++w)
    sum += static_cast<std::uint64_t>(__builtin_popcountll(block.a[w] & block.b[w] & block.c[w]));
  return sum;
}

// The portable build for x86-64 has no population count instruction. Dispatch at run time makes the
// pair counts, the bulk of the independence tests, about five times faster, and with AVX-512 twenty
// times.
std::uint64_t count_portable(const Block& block) { return count_body(block); }

#ifdef __x86_64__
[[gnu::target("popcnt")]] std::uint64_t count_popcnt(const Block& block) {
  return count_body(block);
}
[[gnu::target("avx512f,avx512vl,avx512vpopcntdq")]] std::uint64_t count_avx512(const Block& block) {
  return count_body(block);
}
#endif

std::uint64_t count(const Block& block) {
#ifdef __x86_64__
  static const bool has_vectors = __builtin_cpu_supports("avx512f") &&
                                  __builtin_cpu_supports("avx512vl") &&
                                  __builtin_cpu_supports("avx512vpopcntdq");
  static const bool has_instruction = __builtin_cpu_supports("popcnt");
  if (has_vectors) return count_avx512(block);
  if (has_instruction) return count_popcnt(block);
#endif
  return count_portable(block);
}

}  // namespace

// An odd number of cache lines apart: columns a power of two apart would share the same cache sets.
BitColumns::BitColumns(std::size_t columns, std::size_t rows)
    : columns_(columns),
      rows_(rows),
      stride_((((rows + 63) / 64 + 8) / 8 | 1) * 8),
      bits_(columns * stride_) {}

BitColumns BitColumns::shifted(std::size_t offset) const {
  BitColumns result(columns_, rows_ > offset ? rows_ - offset : 0);
  const std::size_t skip = offset / 64, bit = offset % 64, words = (result.rows_ + 63) / 64;
  for (std::size_t i = 0; i < columns_; ++i) {
    const std::uint64_t* from = column(i) + skip;
    std::uint64_t* to = result.column(i);
    // The padding of the stride makes the word after the last one readable, and zero.
    for (std::size_t w = 0; w < words; ++w)
      to[w] = bit == 0 ? from[w] : from[w] >> bit | from[w + 1] << (64 - bit);
  }
  return result;
}

std::uint64_t count_ones(const std::uint64_t* a, std::size_t words) {
  return count({a, a, a, words});
}

std::uint64_t count_both(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
  return count({a, b, b, words});
}

std::uint64_t count_all(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c,
                        std::size_t words) {
  return count({a, b, c, words});
}

std::vector<std::uint64_t> count_pairs(const BitColumns& a, const BitColumns& b,
                                       std::size_t words) {
  // 64 words of every column at a time, so that both sets stay in the second-level cache.
  constexpr std::size_t kChunk = 64;
  std::vector<std::uint64_t> counts(a.columns() * b.columns());
  for (std::size_t first = 0; first < words; first += kChunk) {
    const std::size_t length = std::min(kChunk, words - first);
    std::uint64_t* entry = counts.data();
    for (std::size_t i = 0; i < a.columns(); ++i)
      for (std::size_t j = 0; j < b.columns(); ++j)
        *entry++ += count_both(a.column(i) + first, b.column(j) + first, length);
  }
  return counts;
}

}  // namespace ratchet::correctness
