// Blocks of positions by several threads, compiled for every instruction set and chosen at run
// time.
#define HWY_WANT_AVX3_DL  // for permutations of 64 bytes
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/officers/planes/planes.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After it, which it uses:
#include "kernels/officers/planes/block-inl.h"

#ifndef RATCHET_OFFICERS_PLANES_ONCE_
#define RATCHET_OFFICERS_PLANES_ONCE_

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <system_error>
#include <thread>

#include "perf/support/error.h"

namespace ratchet::officers {

/// How far all threads are. Each word has a cache line of its own, of those that CPUs load in
/// pairs.
struct Progress {
  alignas(128) std::atomic<std::uint64_t> known{0};  ///< values found, from the first on
  alignas(128) std::atomic<std::uint64_t> failed;    ///< the first not verified; count: none
  std::uint64_t count;

  explicit Progress(std::uint64_t all) : failed(all), count(all) {}
  static void pause() {
#if HWY_ARCH_X86
    __builtin_ia32_pause();
#endif
  }
  /// False when a thread has failed, and what this one waits for may never come.
  bool await(std::uint64_t needed) const {
    for (std::uint32_t tries = 0; known.load(std::memory_order_acquire) < needed; ++tries) {
      if (failed.load(std::memory_order_relaxed) != count) return false;
      if (tries < 64)
        pause();
      else  // there may be fewer cores than threads
        std::this_thread::yield();
    }
    return true;
  }
  void fail(std::uint64_t position) {
    std::uint64_t first = failed.load();
    while (position < first && !failed.compare_exchange_weak(first, position)) {
    }
  }
};

}  // namespace ratchet::officers
#endif

HWY_BEFORE_NAMESPACE();
namespace ratchet::officers::HWY_NAMESPACE {
namespace {

/// One thread's blocks.
class Server {
 public:
  Server(const PlanesJob& job, std::uint64_t thread, Progress& progress)
      : job_(job), thread_(thread), progress_(progress), block_(job) {
    for (std::uint64_t behind = 0; behind < job.threads; ++behind)
      beyond_.push_back(block_.rares_beyond(behind));
  }
  /// Every so many-th block; what was done.
  Work serve() {
    Work work;
    for (std::uint64_t first = thread_ * kLanes; first < progress_.count && find(first);
         first += job_.threads * kLanes) {
      const std::uint64_t count = std::min<std::uint64_t>(kLanes, progress_.count - first);
      progress_.known.store(first + count, std::memory_order_release);
      const std::size_t verified = block_.verify(count, work);
      if (verified < count) progress_.fail(first + verified);
      for (std::uint64_t i = first; i < first + verified; ++i)
        job_.out[i] = static_cast<std::uint16_t>(uncompress(job_.simd.at_next[i], false));
      work.options += job_.rares.size() * count, ++work.blocks;
    }
    return work;
  }

 private:
  /// The options of the farthest rare positions first, each when what it needs is known; then the
  /// values. False when that never comes.
  bool find(std::uint64_t first) {
    block_.begin(first);
    std::size_t done = 0;
    for (std::uint64_t behind = job_.threads; behind-- > 0;) {
      // Other threads may still be at the `behind` blocks before this one.
      if (behind * kLanes < first && !progress_.await(first - behind * kLanes)) return false;
      block_.add_rares(done, beyond_[behind]);
      done = beyond_[behind];
    }
    block_.find();
    return true;
  }

  const PlanesJob& job_;
  std::uint64_t thread_;
  Progress& progress_;
  PlanesBlock block_;
  std::vector<std::size_t> beyond_;  ///< by the number of blocks before
};

Work serve(const PlanesJob& job, std::uint64_t thread, Progress& progress) {
  return std::make_unique<Server>(job, thread, progress)->serve();
}

}  // namespace
}  // namespace ratchet::officers::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::officers {

namespace {

/// Byte values of head positions in turn, each the position before it again: sums of all kinds
/// soon.
void choose_heads(PlanesJob& job) {
  constexpr std::size_t kBytes = 128;
  std::vector<Term> by_byte[kBytes];
  const Head& head = *job.simd.head;
  for (std::uint32_t k = 0; k < kDescending; ++k) {
    const std::uint8_t byte = head.bytes[k];
    if (head.rare[k] == 0 && byte < kBytes)
      by_byte[byte].push_back({static_cast<std::uint32_t>(kDescending) - k, byte * 0x01010101u});
  }
  for (std::size_t turn = 0; job.heads.size() < kHeads && turn < kDescending; ++turn)
    for (const auto& terms : by_byte)
      if (turn < terms.size() && job.heads.size() < kHeads) job.heads.push_back(terms[turn]);
}

}  // namespace

HWY_EXPORT(serve);

PlanesJob planes_job(const SimdJob& simd) {
  PlanesJob job{.simd = simd, .rares = {}, .heads = {}, .out = nullptr};
  for (std::uint64_t j = simd.rares; j-- > 0;)
    job.rares.push_back(
        {static_cast<std::uint32_t>(simd.rare_position[j] + 1), simd.rare_value[j] * 0x01010101u});
  if (simd.head->bytes.size() >= kDescending) choose_heads(job);
  return job;
}

std::uint64_t compute_by_planes(const PlanesJob& job, Work& work) {
  const SimdJob& simd = job.simd;
  // What verification begins with has to be there, and to have common partners that are kept.
  if (simd.head->bytes.size() < kDescending ||
      std::min(simd.next - kCommonHead, simd.tail) <= kDescending)
    return 0;
  Progress progress(simd.count);
  std::vector<Work> works(job.threads);
  std::vector<std::thread> others;
  bool refused = false;
  const auto serve = HWY_DYNAMIC_DISPATCH(serve);
  try {
    for (std::uint64_t t = 1; t < job.threads; ++t)
      others.emplace_back([&, t] { works[t] = serve(job, t, progress); });
  } catch (const std::system_error&) {
    refused = true, progress.fail(0);
  }
  if (!refused) works[0] = serve(job, 0, progress);
  for (std::thread& other : others) other.join();
  if (refused)
    throw Error("officers: the system refuses " + std::to_string(job.threads) +
                " threads: set fewer");
  for (const Work& one : works) {
    work.options += one.options, work.verifying += one.verifying, work.blocks += one.blocks;
    work.deepest = std::max(work.deepest, one.deepest);
  }
  return progress.failed;
}

}  // namespace ratchet::officers
#endif  // HWY_ONCE
