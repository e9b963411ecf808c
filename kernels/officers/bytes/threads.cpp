#include "kernels/officers/bytes/threads.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>

#include "perf/support/error.h"

namespace ratchet::officers {

/// Positions first ... first + count - 1, on one thread.
struct Threads::Block {
  std::uint64_t first = 0, count = 0;
  std::uint32_t places[kBlock];
  Flags seen[kBlock];
};

Threads::Threads(const Parameters& parameters, const std::vector<std::uint16_t>& values,
                 const std::vector<Rare>& rares, std::uint64_t count)
    : start_(values.size()),
      end_(start_ + count),
      threads_(parameters.at("threads")),
      values_(values, rares, count),
      known_(start_),
      failed_(end_) {}

std::uint64_t Threads::compute(std::vector<std::uint16_t>& out, Work& work) {
  std::vector<Work> works(threads_);
  std::vector<std::thread> others;
  bool refused = false;
  try {
    for (std::uint64_t t = 1; t < threads_; ++t)
      others.emplace_back([this, t, &works] { serve(t, works[t]); });
  } catch (const std::system_error&) {
    refused = true, fail(start_);
  }
  if (!refused) serve(0, works[0]);
  for (std::thread& other : others) other.join();
  if (refused)
    throw Error("officers: the system refuses " + std::to_string(threads_) + " threads: set fewer");
  for (const Work& one : works) {
    work.options += one.options, work.verifying += one.verifying;
    work.deepest = std::max(work.deepest, one.deepest), work.blocks += one.blocks;
  }
  for (std::uint64_t n = start_; n < failed_; ++n)
    out.push_back(static_cast<std::uint16_t>(uncompress(values_.bytes()[n], false)));
  return failed_ - start_;
}

void Threads::serve(std::uint64_t thread, Work& work) {
  const auto block = std::make_unique<Block>();
  for (block->first = start_ + thread * kBlock; block->first < end_;
       block->first += threads_ * kBlock) {
    block->count = std::min(kBlock, end_ - block->first);
    if (!find(*block, work)) return;
    known_.store(block->first + block->count, std::memory_order_release);
    verify(*block, work);
    ++work.blocks;
  }
}

/// False when another thread has failed, and what this one waits for may never come.
bool Threads::find(Block& block, Work& work) {
  std::memset(block.seen, 0, sizeof block.seen);
  std::uint8_t* const at = values_.bytes() + block.first;
  std::size_t near = 0;
  while (near < values_.rares() && values_.rare_position(near) + 1 < block.count) ++near;
  // From the last rare position to the first: the values that they need come later and later.
  for (std::size_t j = values_.rares(); j-- > 0;) {
    const std::uint64_t p = values_.rare_position(j);
    const std::uint64_t first = block.first - 1 - p, used = std::min(block.count, p + 1);
    if (!await(first + used)) return false;
    const std::uint8_t byte = values_.rare_byte(j);
    for (std::uint64_t x = 0; x < used; ++x)
      block.seen[x][at[static_cast<std::ptrdiff_t>(x - 1 - p)] ^ byte] = 1;
  }
  for (std::uint64_t x = 0; x < block.count; ++x) {
    for (std::size_t j = 0; j < near && values_.rare_position(j) < x; ++j)
      block.seen[x][at[x - 1 - values_.rare_position(j)] ^ values_.rare_byte(j)] = 1;
    block.places[x] = values_.first_common(block.seen[x]);
    at[x] = static_cast<std::uint8_t>(block.places[x]);  // 256: found out by verify()
  }
  work.options += block.count * values_.rares();
  return true;
}

void Threads::verify(const Block& block, Work& work) {
  for (std::uint64_t x = 0; x < block.count; ++x) {
    std::uint64_t sums = 0;
    if (block.places[x] == 256 || !values_.verify(block.first + x, block.places[x], sums))
      return fail(block.first + x);
    work.verifying += sums, work.deepest = std::max(work.deepest, sums);
  }
}

bool Threads::await(std::uint64_t needed) const {
  for (std::uint32_t tries = 1; known_.load(std::memory_order_acquire) < needed; ++tries) {
    if (failed_.load(std::memory_order_relaxed) != end_) return false;
    if (tries % 64 == 0) std::this_thread::yield();
  }
  return true;
}

void Threads::fail(std::uint64_t position) {
  std::uint64_t first = failed_.load();
  while (position < first && !failed_.compare_exchange_weak(first, position)) {
  }
}

}  // namespace ratchet::officers
