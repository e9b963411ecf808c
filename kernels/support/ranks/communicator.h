// How the ranks of a row talk to each other, whoever carries it: MPI (module/), nobody (one rank
// alone), or threads of one process (correctness/support/ranks_on_threads.h).
//
// All calls block unless they say otherwise. A call that finds a rank dead or silent does not
// return: it names the rank and ends the job.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ratchet::ranks {

class DeviceCommunicator;

/// How values of several ranks become one. Sums are modulo 2^64.
enum class Fold { sum, max };

/// One rank's end. The ranks of a communicator are 0 to size() - 1, and make collective calls in
/// the same order.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;

  /// Collective: returns when every rank has called it.
  virtual void barrier() = 0;
  /// Collective: `bytes` bytes at `data`, rank `from`'s to all others.
  virtual void broadcast(void* data, std::size_t bytes, std::uint32_t from) = 0;
  /// Collective: folds the arrays of all ranks, value by value; every rank gets the result.
  virtual void all_reduce(std::uint64_t* values, std::size_t count, Fold fold) = 0;

  /// Begin to send or to receive `bytes` bytes; `data` belongs to the communicator until finish().
  /// Messages from one rank to another arrive in the order in which they were begun.
  virtual void start_send(const void* data, std::size_t bytes, std::uint32_t to) = 0;
  virtual void start_receive(void* data, std::size_t bytes, std::uint32_t from) = 0;
  /// Returns when everything begun on this rank has ended.
  virtual void finish() = 0;
  /// Lets what was begun go on, and returns at once: for long computations between start and
  /// finish, since a transport may need the CPU of its rank to make progress.
  virtual void progress() {}

  void send(const void* data, std::size_t bytes, std::uint32_t to) {
    start_send(data, bytes, to);
    finish();
  }
  void receive(void* data, std::size_t bytes, std::uint32_t from) {
    start_receive(data, bytes, from);
    finish();
  }

  /// The same ranks' GPUs. Only for parts that were made with Place::gpu; others get
  /// `std::logic_error`. The first call is collective, and takes a second: parts make it in their
  /// first run, which is never timed.
  virtual DeviceCommunicator& device() = 0;

  /// Seconds that this rank has spent in these calls, since the communicator was made.
  virtual double seconds() const = 0;
};

/// The first of rank `rank`'s share of `count` pieces of work among `size` ranks; its share ends
/// where that of the next rank begins. Shares differ by one piece at most, and some are empty where
/// there are more ranks than pieces.
inline std::uint64_t share_begin(std::uint64_t count, std::uint32_t size, std::uint32_t rank) {
  const std::uint64_t more = count % size;
  return count / size * rank + (rank < more ? rank : more);
}

}  // namespace ratchet::ranks
