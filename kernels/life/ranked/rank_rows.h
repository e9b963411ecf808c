// One rank's rows of a universe and those it borrows, on its GPU or, for tests, on a CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/life/ranked/shares.h"
#include "kernels/support/ranks/communicator.h"

namespace ratchet::life::ranked {

/// What a rank keeps: its own rows and `halo` more on either side, numbered as those of the
/// universe, on a torus on beyond both ends.
struct Kept {
  std::uint64_t width = 0;
  Shares shares;
  std::uint32_t rank = 0;
  std::int64_t halo = 0;

  RowRange own() const { return shares.own(rank); }
  std::int64_t rows() const { return own().size() + 2 * halo; }
  /// The place of row y among them.
  std::int64_t index(std::int64_t y) const { return y - own().first + halo; }
};

/// Where two passes may go on at once.
enum class Queue { main, side };

/// Two copies of the rows that are kept; a pass goes from the one to the other. Calls may return
/// before the work is done; those behind it wait for it.
class RankRows {
 public:
  virtual ~RankRows() = default;

  /// Generations of the next pass where `left` are to go: 8, or the powers of two below.
  virtual std::uint64_t pass_steps(std::uint64_t left) const = 0;
  /// `rows` of the own rows from y on, from a Grid's layout, and back. Both wait.
  virtual void load(const std::uint64_t* packed, std::int64_t y, std::uint64_t rows) = 0;
  virtual void unload(std::uint64_t* packed, std::int64_t y, std::uint64_t rows) const = 0;

  /// Begins to send and receive pieces of the rows as they are now; passes that read none of those
  /// received may be made meanwhile.
  virtual void start_exchange(const std::vector<HaloPiece>& pieces, ranks::Communicator& ranks) = 0;
  /// What is called from here on finds all that was received.
  virtual void finish_exchange(ranks::Communicator& ranks) = 0;

  /// Makes `rows` as they are `steps` generations later, steps a value of pass_steps(). Read are
  /// `steps` more rows on either side; those outside of a universe without a torus are dead.
  virtual void advance(RowRange rows, std::uint64_t steps, Queue queue = Queue::main) = 0;
  /// A pass over all rows that are wanted has been called for: what it made is what there is now.
  virtual void swap() = 0;
  /// Returns when all is done.
  virtual void wait(ranks::Communicator& ranks) = 0;
};

/// `steps` generations of a rank's rows, in passes, the halos for every `kept.halo` of them
/// borrowed before. `hides`: what needs no halo is made meanwhile. Returns before it is done.
void make_generations(RankRows& rows, const Kept& kept, std::uint64_t steps, bool hides,
                      ranks::Communicator& ranks);

/// By 05_simd's vectors, generation by generation. Throws `Error` when the memory is refused.
std::unique_ptr<RankRows> make_cpu_rows(const Kept& kept);
/// On the current device, by 05_strided's kernel. Throws `Error`, beginning with `stage`, when it
/// has too little free memory.
std::unique_ptr<RankRows> make_cuda_rows(const Kept& kept, const std::string& stage);

}  // namespace ratchet::life::ranked
