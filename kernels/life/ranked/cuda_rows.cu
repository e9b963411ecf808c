// A rank's rows on its GPU: passes of 05_strided's kernel, halos by NCCL.
#include <algorithm>
#include <string>
#include <utility>

#include "kernels/life/dense/cuda_dense.h"
#include "kernels/life/ranked/rank_rows.h"
#include "kernels/support/cuda_stream.h"
#include "kernels/support/device_buffer.h"
#include "perf/support/error.h"
#include "kernels/support/ranks/device_communicator.h"

namespace ratchet::life::ranked {
namespace {

using Word = std::uint32_t;

/// A stream whose kernels get the next multiprocessors that fall free.
class UrgentStream {
 public:
  UrgentStream() {
    int least = 0, greatest = 0;
    RATCHET_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    RATCHET_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest));
  }
  UrgentStream(const UrgentStream&) = delete;
  UrgentStream& operator=(const UrgentStream&) = delete;
  ~UrgentStream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class CudaRows final : public RankRows {
 public:
  CudaRows(const Kept& kept, const std::string& stage)
      : kept_(kept),
        // By what is equal on all ranks: rows travel as they lie.
        kernel_(kept.width, kept.width * kept.shares.even_rows(), kept.shares.edge()) {
    const std::uint64_t words =
        (static_cast<std::uint64_t>(kept.rows()) + DenseKernel::kSpareRows) * kernel_.pitch();
    const std::uint64_t bytes = (2 * words + staging_words()) * sizeof(Word);
    std::size_t free = 0, total = 0;
    RATCHET_CUDA(cudaMemGetInfo(&free, &total));
    if (bytes > free)
      throw Error(stage + ": " + std::to_string(kept.own().size()) + " rows of " +
                  std::to_string(kept.width) + " cells need " + std::to_string(bytes >> 20) +
                  " MiB of device memory, " + std::to_string(free >> 20) +
                  " MiB are free; choose a smaller universe, or more ranks");
    for (auto& copy : copies_) copy = DeviceBuffer<Word>(words), copy.zero();
    staging_ = DeviceBuffer<Word>(staging_words());
    RATCHET_CUDA(cudaDeviceSynchronize());
  }

  std::uint64_t pass_steps(std::uint64_t left) const override { return kernel_.pass_steps(left); }

  void load(const std::uint64_t* packed, std::int64_t y, std::uint64_t rows) override {
    in_chunks(y, rows, [&](Word* strided, std::uint64_t done, std::uint64_t n) {
      copy(staging_.data(), packed + done * packed_words() / 2, n * packed_words(),
           cudaMemcpyHostToDevice);
      kernel_.pack(staging_.data(), packed_words(), strided, n, main_);
    });
  }
  void unload(std::uint64_t* packed, std::int64_t y, std::uint64_t rows) const override {
    in_chunks(y, rows, [&](Word* strided, std::uint64_t done, std::uint64_t n) {
      kernel_.unpack(strided, staging_.data(), packed_words(), n, main_);
      copy(packed + done * packed_words() / 2, staging_.data(), n * packed_words(),
           cudaMemcpyDeviceToHost);
    });
  }

  void start_exchange(const std::vector<HaloPiece>& pieces, ranks::Communicator& ranks) override {
    if (pieces.empty()) return;
    made_.record(main_);
    made_.hold(side_);
    // A pass takes every multiprocessor there is until it ends. NCCL's kernel must have been given
    // its own before: the pass is held by the point behind which that kernel comes at once.
    begun_.record(side_);
    std::vector<ranks::Transfer> transfers;
    for (const HaloPiece& each : pieces) {
      const std::size_t bytes =
          static_cast<std::size_t>(each.rows) * kernel_.pitch() * sizeof(Word);
      if (each.from == each.to)
        RATCHET_CUDA(cudaMemcpyAsync(row(0, each.at), row(0, each.row), bytes,
                                     cudaMemcpyDeviceToDevice, side_));
      else if (each.to == kept_.rank)
        transfers.push_back({.other = each.from, .receive = row(0, each.at), .bytes = bytes});
      else
        transfers.push_back({.other = each.to, .send = row(0, each.row), .bytes = bytes});
    }
    ranks.device().exchange(transfers, side_);
    arrived_.record(side_);
    begun_.hold(main_);
  }
  void finish_exchange(ranks::Communicator&) override { arrived_.hold(main_); }

  void advance(RowRange rows, std::uint64_t steps, Queue queue) override {
    if (rows.size() == 0) return;
    const bool aside = queue == Queue::side;
    aside_ |= aside;
    kernel_.advance(origin(0), origin(1), rows.first, rows.size(), kept_.shares.height(), steps,
                    aside ? cudaStream_t{side_} : cudaStream_t{main_});
  }
  void swap() override {
    if (std::exchange(aside_, false)) {
      made_.record(side_);
      made_.hold(main_);
    }
    std::swap(copies_[0], copies_[1]);
  }
  void wait(ranks::Communicator& ranks) override { ranks.device().wait(main_); }

 private:
  static constexpr std::uint64_t kStaging = std::uint64_t{32} << 20;  // bytes

  /// A row of a Grid, in 32-bit words.
  std::uint64_t packed_words() const { return (kept_.width + 63) / 64 * 2; }
  std::uint64_t chunk_rows() const {
    return std::clamp<std::uint64_t>(kStaging / sizeof(Word) / packed_words(), 1,
                                     static_cast<std::uint64_t>(kept_.own().size()));
  }
  std::uint64_t staging_words() const { return chunk_rows() * packed_words(); }

  /// Where row 0 of the universe would lie.
  Word* origin(int copy) const {
    return copies_[copy].data() + kept_.index(0) * static_cast<std::int64_t>(kernel_.pitch());
  }
  Word* row(int copy, std::int64_t y) const {
    return copies_[copy].data() + kept_.index(y) * static_cast<std::int64_t>(kernel_.pitch());
  }
  void copy(void* to, const void* from, std::uint64_t words, cudaMemcpyKind kind) const {
    RATCHET_CUDA(cudaMemcpyAsync(to, from, words * sizeof(Word), kind, main_));
  }
  /// Calls body(strided rows, rows before, rows) for chunks that fit the staging buffer.
  template <class Body>
  void in_chunks(std::int64_t y, std::uint64_t rows, const Body& body) const {
    for (std::uint64_t done = 0; done < rows; done += chunk_rows())
      body(row(0, y + static_cast<std::int64_t>(done)), done, std::min(chunk_rows(), rows - done));
    RATCHET_CUDA(cudaStreamSynchronize(main_));
  }

  Kept kept_;
  DenseKernel kernel_;
  DeviceBuffer<Word> copies_[2], staging_;  // the first copy is what there is now
  CudaStream main_;
  UrgentStream side_;
  CudaEvent made_, begun_, arrived_;
  bool aside_ = false;  ///< a part of this pass is made there
};

}  // namespace

std::unique_ptr<RankRows> make_cuda_rows(const Kept& kept, const std::string& stage) {
  return std::make_unique<CudaRows>(kept, stage);
}

}  // namespace ratchet::life::ranked
