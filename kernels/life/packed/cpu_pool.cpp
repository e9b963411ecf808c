// A pool of threads for the CPU stages: see cpu_pool.h.
#include "kernels/life/packed/cpu_pool.h"

#include <string>
#include <system_error>

#include "perf/support/error.h"

namespace ratchet::life {

Pool::Pool(std::uint64_t threads)
    : threads_(threads), barrier_(static_cast<std::ptrdiff_t>(threads)) {
  others_.reserve(threads - 1);
  try {
    for (std::uint64_t worker = 1; worker < threads; ++worker)
      others_.emplace_back(&Pool::serve, this, worker);
  } catch (const std::system_error& refused) {
    const std::size_t started = others_.size() + 1;
    stop();
    throw Error("the system gave no more than " + std::to_string(started) + " of " +
                std::to_string(threads) + " threads: " + refused.what() + "; ask for fewer");
  }
}

Pool::~Pool() { stop(); }

void Pool::run(const Work& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    ++runs_;
  }
  changed_.notify_all();
  work(0);
  meet();  // nobody looks at `work` after this
}

void Pool::serve(std::uint64_t worker) {
  for (std::uint64_t served = 0;; ++served) {
    const Work* work;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || runs_ > served; });
      if (stopping_) return;
      work = work_;
    }
    (*work)(worker);
    meet();
  }
}

void Pool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& other : others_) other.join();
  others_.clear();
}

}  // namespace ratchet::life
