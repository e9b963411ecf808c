// The job of this process under mpirun or srun: its ranks, and the messages of rank 0, which runs
// the program, to the others.
//
// Programs do not link MPI or NCCL, which would slow every start. A module holds both, and a
// process loads it if it is one of several ranks.
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

  /// The communicator of the first `ranks` ranks, which is kept for later calls. Collective over
  /// them.
  virtual Communicator& first(std::uint32_t ranks) = 0;

  /// Messages between rank 0 and another rank, outside all communicators. Waiting uses no CPU.
  virtual void tell(std::uint32_t rank, const Bytes& message) = 0;
  virtual Bytes hear(std::uint32_t rank) = 0;

  /// "rank 1 on node7".
  std::string name_of(std::uint32_t rank) const {
    return "rank " + std::to_string(rank) + " on " + host(rank);
  }
  /// Prints the reason in one line on stderr and ends all processes of the job; the launcher's exit
  /// code is 2.
  [[noreturn]] virtual void abandon(const std::string& why) = 0;
  /// Collective; must be the last call.
  virtual void leave() = 0;
};

/// Facts of a process before it joins.
struct Joining {
  std::uint64_t build = 0;  ///< equal for equal programs
  double limit_s = 0;       ///< timeout for a rank that others wait for
  /// stream_is_idle() of the program's own CUDA runtime (gpu.h); the module has none.
  bool (*stream_is_idle)(CUstream_st*) = nullptr;
};

/// The module's only function, "ratchet_join_job". Collective over the job. Ends the process with
/// exit code 2 and one line if the ranks are of different builds.
using JoinJob = Job* (*)(const Joining&);

/// Joins the job, if there is one; must be first in main(). On rank 0 and without a job it returns,
/// and the program continues. Every other rank executes rank 0's commands until the end, and exits
/// here.
class Session {
 public:
  /// Throws `Error` if this process is one of several and the module is unavailable.
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

/// The joined job, or nullptr without one.
Job* job();
/// For tests: replaces the job, and returns the previous one.
Job* replace_job(Job* other);

/// The number of ranks of the job by the environment; 1 without a job.
std::uint32_t ranks_of_environment();

}  // namespace ratchet::ranks
