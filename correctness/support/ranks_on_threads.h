// Ranks as threads of one process: any number of them on any machine, without MPI.
// What rank 0 tells the others and what their parts compute does not depend on the carrier.
#pragma once

#include <algorithm>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/support/cuda_device.h"
#include "kernels/support/ranks/job.h"
#include "kernels/support/ranks/ranked_run.h"

namespace ratchet::correctness {

/// Messages on their way, in order from one to another.
class Mail {
 public:
  void put(std::uint32_t from, std::uint32_t to, ranks::Bytes message) {
    const std::lock_guard lock(mutex_);
    sent_[{from, to}].push_back(std::move(message));
    arrived_.notify_all();
  }
  ranks::Bytes take(std::uint32_t from, std::uint32_t to) {
    std::unique_lock lock(mutex_);
    auto& queue = sent_[{from, to}];
    arrived_.wait(lock, [&] { return !queue.empty(); });
    ranks::Bytes message = std::move(queue.front());
    queue.pop_front();
    return message;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<ranks::Bytes>> sent_;
};

/// What the ranks of a communicator share.
class ThreadRanks {
 public:
  explicit ThreadRanks(std::uint32_t size) : size_(size), slots_(size), meet_(size) {}

  class Rank final : public ranks::Communicator {
   public:
    Rank(ThreadRanks& all, std::uint32_t rank) : all_(all), rank_(rank) {}
    std::uint32_t rank() const override { return rank_; }
    std::uint32_t size() const override { return all_.size_; }
    void barrier() override { all_.meet_.arrive_and_wait(); }
    void broadcast(void* data, std::size_t bytes, std::uint32_t from) override {
      all_.slots_[rank_] = data;
      barrier();
      if (rank_ != from && bytes > 0) std::memcpy(data, all_.slots_[from], bytes);
      barrier();
    }
    void all_reduce(std::uint64_t* values, std::size_t count, ranks::Fold fold) override {
      all_.slots_[rank_] = values;
      barrier();
      std::vector<std::uint64_t> folded(values, values + count);
      for (std::uint32_t other = 0; other < size(); ++other) {
        const auto* theirs = static_cast<const std::uint64_t*>(all_.slots_[other]);
        for (std::size_t i = 0; other != rank_ && i < count; ++i)
          folded[i] =
              fold == ranks::Fold::sum ? folded[i] + theirs[i] : std::max(folded[i], theirs[i]);
      }
      barrier();
      std::copy(folded.begin(), folded.end(), values);
    }
    void start_send(const void* data, std::size_t bytes, std::uint32_t to) override {
      const auto* from = static_cast<const std::byte*>(data);
      all_.mail_.put(rank_, to, ranks::Bytes(from, from + bytes));
    }
    void start_receive(void* data, std::size_t bytes, std::uint32_t from) override {
      wanted_.push_back({data, bytes, from});
    }
    void finish() override {
      for (const Wanted& each : wanted_) {
        const ranks::Bytes message = all_.mail_.take(each.from, rank_);
        if (message.size() != each.bytes) throw std::logic_error("a message of another size");
        if (each.bytes > 0) std::memcpy(each.data, message.data(), each.bytes);
      }
      wanted_.clear();
    }
    ranks::DeviceCommunicator& device() override {
      throw std::logic_error("ranks on threads have no GPU each");
    }
    double seconds() const override { return 0; }

   private:
    struct Wanted {
      void* data;
      std::size_t bytes;
      std::uint32_t from;
    };
    ThreadRanks& all_;
    std::uint32_t rank_;
    std::vector<Wanted> wanted_;
  };

 private:
  std::uint32_t size_;
  std::vector<void*> slots_;
  std::barrier<> meet_;
  Mail mail_;
};

/// Whether ranks on threads can run a stage here: where there is a GPU they have not one each.
inline bool runs_on_threads(const Stage& stage) {
  return !ranks::takes_gpus(stage) || !cuda_availability().ok;
}

/// A job whose other ranks are threads that follow rank 0, the test: while it lives, stages run on
/// up to `size` ranks as they do under mpirun.
class ThreadJob {
 public:
  /// Which rank a rank takes itself for: to plant a fault.
  using Claimed = std::function<std::uint32_t(std::uint32_t rank)>;

  explicit ThreadJob(std::uint32_t size, const Claimed& claimed = {}) {
    for (std::uint32_t rank = 0; rank < size; ++rank)
      ends_.push_back(std::make_unique<End>(*this, rank, claimed ? claimed(rank) : rank));
    before_ = ranks::replace_job(ends_[0].get());
    for (std::uint32_t rank = 1; rank < size; ++rank)
      threads_.emplace_back([this, rank] { ranks::follow(*ends_[rank]); });
  }
  ~ThreadJob() {
    for (std::uint32_t rank = 1; rank < ends_.size(); ++rank) ends_[0]->tell(rank, {});
    for (std::thread& thread : threads_) thread.join();
    ranks::replace_job(before_);
  }
  ThreadJob(const ThreadJob&) = delete;
  ThreadJob& operator=(const ThreadJob&) = delete;

 private:
  class End final : public ranks::Job {
   public:
    End(ThreadJob& all, std::uint32_t rank, std::uint32_t claimed)
        : all_(all), rank_(rank), claimed_(claimed) {}
    std::uint32_t rank() const override { return claimed_; }
    std::uint32_t size() const override { return static_cast<std::uint32_t>(all_.ends_.size()); }
    const std::string& host(std::uint32_t) const override { return all_.host_; }
    std::uint32_t local_rank() const override { return claimed_; }
    ranks::Communicator& first(std::uint32_t ranks) override {
      auto& slot = firsts_[ranks];
      if (!slot) slot = std::make_unique<ThreadRanks::Rank>(all_.ranks_of(ranks), rank_);
      return *slot;
    }
    void tell(std::uint32_t rank, const ranks::Bytes& message) override {
      all_.mail_.put(rank_, rank, message);
    }
    ranks::Bytes hear(std::uint32_t rank) override { return all_.mail_.take(rank, rank_); }
    [[noreturn]] void abandon(const std::string& why) override {
      std::fprintf(stderr, "ratchet: %s\n", why.c_str());
      std::abort();
    }
    void leave() override {}

   private:
    ThreadJob& all_;
    std::uint32_t rank_, claimed_;
    std::map<std::uint32_t, std::unique_ptr<ThreadRanks::Rank>> firsts_;
  };

  ThreadRanks& ranks_of(std::uint32_t size) {
    const std::lock_guard lock(mutex_);
    auto& slot = sizes_[size];
    if (!slot) slot = std::make_unique<ThreadRanks>(size);
    return *slot;
  }

  std::string host_ = "threads";
  Mail mail_;
  std::mutex mutex_;
  std::map<std::uint32_t, std::unique_ptr<ThreadRanks>> sizes_;
  std::vector<std::unique_ptr<End>> ends_;
  std::vector<std::thread> threads_;
  ranks::Job* before_ = nullptr;
};

}  // namespace ratchet::correctness
