// Threads that are kept over the generations and the runs of a universe.
#pragma once

#include <algorithm>
#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ratchet::life {

/// `threads` workers: number 0 is the thread that calls run(), the others wait in between.
class Pool {
 public:
  /// Must not throw: a worker that left would keep the others waiting.
  using Work = std::function<void(std::uint64_t worker)>;

  /// Throws `Error` when the system refuses a thread.
  explicit Pool(std::uint64_t threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  std::uint64_t threads() const { return threads_; }
  /// All workers do `work`, each under its number; returns when the last is done.
  void run(const Work& work);
  /// From within `work`: returns when all workers have come here.
  void meet() { barrier_.arrive_and_wait(); }

 private:
  void serve(std::uint64_t worker);
  void stop();

  std::uint64_t threads_;
  std::barrier<> barrier_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const Work* work_ = nullptr;  ///< of the latest run; guarded, as all below
  std::uint64_t runs_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> others_;
};

/// The first row of worker `worker` when `rows` rows are dealt evenly; of worker `workers`: `rows`.
inline std::uint64_t first_row(std::uint64_t rows, std::uint64_t workers, std::uint64_t worker) {
  return rows / workers * worker + std::min(worker, rows % workers);
}

}  // namespace ratchet::life
