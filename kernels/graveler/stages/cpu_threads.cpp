// The crew of plain threads, which stages 11 and 13 share; not a stage.
#include "kernels/graveler/stages/cpu_threads.h"

#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "perf/support/error.h"

namespace ratchet::graveler {
namespace {

/// Joins on the way out, so that a thread that could not be started does not end the program.
struct Joined {
  std::vector<std::thread> threads;
  ~Joined() { join(); }
  void join() {
    for (auto& thread : threads) thread.join();
    threads.clear();
  }
};

}  // namespace

void ThreadCrew::spread(std::uint64_t battles, const Play& play) {
  std::vector<std::exception_ptr> failures(threads_);
  const auto share = [&](std::uint32_t worker) {
    try {
      play(worker, even_share(battles, threads_, worker));
    } catch (...) {
      failures[worker] = std::current_exception();
    }
  };
  Joined others;
  others.threads.reserve(threads_ - 1);
  try {
    for (std::uint32_t worker = 1; worker < threads_; ++worker)
      others.threads.emplace_back(share, worker);
  } catch (const std::system_error& refused) {
    throw Error("the system gave no more than " + std::to_string(others.threads.size() + 1) +
                " of " + std::to_string(threads_) + " threads: " + refused.what());
  }
  share(0);
  others.join();
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

std::unique_ptr<Crew> ThreadedCpuStage::crew(const Parameters& parameters) const {
  return std::make_unique<ThreadCrew>(static_cast<std::uint32_t>(parameters.at("threads")));
}

}  // namespace ratchet::graveler
