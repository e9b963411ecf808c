// The job that this process was started in by mpirun or srun: its ranks, and how rank 0, which runs
// the program, tells the others what to do.
//
// Programs link neither MPI nor NCCL, which would cost every start of them time: both lie in a
// module that is opened where a process finds itself to be one of several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/support/ranks/communicator.h"

struct CUstream_st;

namespace ratchet::ranks {

using Bytes = std::vector<std::byte>;

/// As the module makes it.
class Job {
 public:
  virtual ~Job() = default;

  virtual std::uint32_t rank() const = 0;
  virtual std::uint32_t size() const = 0;
  virtual const std::string& host(std::uint32_t rank) const = 0;
  virtual std::uint32_t local_rank() const = 0;

  /// The first `ranks` ranks as a communicator of their own, kept for the next time. All of them
  /// call it alike.
  virtual Communicator& first(std::uint32_t ranks) = 0;

  /// Between rank 0 and another, apart from all communicators. Who waits uses no CPU.
  virtual void tell(std::uint32_t rank, const Bytes& message) = 0;
  virtual Bytes hear(std::uint32_t rank) = 0;

  /// "rank 1 on node7".
  std::string name_of(std::uint32_t rank) const {
    return "rank " + std::to_string(rank) + " on " + host(rank);
  }
  /// Says why, in one line on stderr, and ends all processes of the job; their launcher's exit code
  /// is 2.
  [[noreturn]] virtual void abandon(const std::string& why) = 0;
  /// Collective; nothing else may be called afterwards.
  virtual void leave() = 0;
};

/// What a process knows of itself before it joins.
struct Joining {
  std::uint64_t build = 0;  ///< equal for equal programs
  double limit_s = 0;       ///< how long a rank may be silent while others wait for it
  /// stream_is_idle() of the program's own CUDA runtime (gpu.h); the module has none.
  bool (*stream_is_idle)(CUstream_st*) = nullptr;
};

/// The module's one function, "ratchet_join_job". Collective over the job. Ends the process with
/// code 2, and one line, where the ranks are not of one build.
using JoinJob = Job* (*)(const Joining&);

/// First thing in main(): joins the job, if there is one. On rank 0, and where there is no job, it
/// returns and the program goes on as always. Every other rank works for rank 0 until that is done,
/// and ends here.
class Session {
 public:
  /// Throws `Error` where this process is one of several and the module cannot be had.
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

/// The job joined, or nullptr: a process alone.
Job* job();
/// For tests: puts another in its place, and returns it.
Job* replace_job(Job* other);

/// Ranks of the job that the environment tells of; 1 where there is none.
std::uint32_t ranks_of_environment();

}  // namespace ratchet::ranks
