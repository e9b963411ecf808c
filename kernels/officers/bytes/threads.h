// The rare-value algorithm over bytes by several threads: blocks of positions in turn, of which only
// the shortest part is done one block after the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "kernels/officers/bytes/byte_values.h"
#include "kernels/officers/officers.h"

namespace ratchet::officers {

/// A thread takes every so many-th block of kBlock positions. Options of far rare positions mark
/// flags as soon as the values that they need are known; then, when those of the block before are,
/// its values follow one after the other (the critical segment, in which no other thread gets on);
/// verification comes after they are told to the others.
class Threads {
 public:
  Threads(const Parameters& parameters, const std::vector<std::uint16_t>& values,
          const std::vector<Rare>& rares, std::uint64_t count);
  /// Adds the values up to the first that is not verified. Throws Error when the system refuses a
  /// thread.
  std::uint64_t compute(std::vector<std::uint16_t>& out, Work& work);

 private:
  static constexpr std::uint64_t kBlock = 64;
  struct Block;

  void serve(std::uint64_t thread, Work& work);
  bool find(Block& block, Work& work);
  void verify(const Block& block, Work& work);
  bool await(std::uint64_t needed) const;
  void fail(std::uint64_t position);

  std::uint64_t start_, end_, threads_;
  ByteValues<WithoutBit1> values_;
  std::atomic<std::uint64_t> known_;   ///< all positions before it have values
  std::atomic<std::uint64_t> failed_;  ///< the first whose value was not verified; end_: none
};

}  // namespace ratchet::officers
