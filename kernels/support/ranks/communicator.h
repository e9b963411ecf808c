// Communication between the ranks of a row: by MPI (module/), among threads of one process
// (correctness/support/ranks_on_threads.h), or none for a single rank (alone.h).
//
// Calls block unless stated otherwise. A call that finds a dead or unresponsive rank does not
// return: it names the rank and ends the job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ratchet::ranks {

class DeviceCommunicator;

/// Reductions of values of several ranks. Sums are modulo 2^64.
enum class Fold { sum, max };

/// One rank's handle. The ranks of a communicator are 0 to size() - 1; all make collective calls in
/// the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;

  /// Collective: returns when every rank has called it.
  virtual void barrier() = 0;
  /// Collective: copies `bytes` bytes at `data` from rank `from` to all others.
  virtual void broadcast(void* data, std::size_t bytes, std::uint32_t from) = 0;
  /// Collective: reduces the arrays of all ranks elementwise; every rank gets the result.
  virtual void all_reduce(std::uint64_t* values, std::size_t count, Fold fold) = 0;

  /// Start sending or receiving `bytes` bytes; `data` must not be used until finish(). Messages
  /// between two ranks arrive in the order in which they were started.
  virtual void start_send(const void* data, std::size_t bytes, std::uint32_t to) = 0;
  virtual void start_receive(void* data, std::size_t bytes, std::uint32_t from) = 0;
  /// Returns when all transfers started on this rank have ended.
  virtual void finish() = 0;
  /// Makes progress on started transfers and returns at once: for long computations between start
  /// and finish, since a transport may need the CPU of its rank.
  virtual void progress() {}

  void send(const void* data, std::size_t bytes, std::uint32_t to) {
    start_send(data, bytes, to);
    finish();
  }
  void receive(void* data, std::size_t bytes, std::uint32_t from) {
    start_receive(data, bytes, from);
    finish();
  }

  /// The communicator of the same ranks' GPUs. Only for parts made with Place::gpu; others get
  /// `std::logic_error`. The first call is collective and takes a second: parts call it in their
  /// first run, which is never timed.
  virtual DeviceCommunicator& device() = 0;

  /// Seconds that this rank has spent in these calls since the communicator was created.
  virtual double seconds() const = 0;
};

/// The first piece of rank `rank`'s share of `count` pieces of work among `size` ranks; its share
/// ends where the next rank's begins. Shares differ by at most one piece; some are empty if there
/// are more ranks than pieces.
inline std::uint64_t share_begin(std::uint64_t count, std::uint32_t size, std::uint32_t rank) {
  const std::uint64_t more = count % size;
  return count / size * rank + (rank < more ? rank : more);
}

/// The communicator of a single rank. Collective calls return at once; sending or receiving throws
/// `std::logic_error`.
std::unique_ptr<Communicator> make_alone();

}  // namespace ratchet::ranks
