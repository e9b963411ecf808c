// A universe of which only the active tiles are computed, and all of it while most of them are.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "kernels/life/dense/cuda_dense.h"
#include "kernels/life/sparse/cuda_activity.cuh"
#include "kernels/life/sparse/cuda_sparse.cuh"
#include "kernels/life/sparse/sparse.h"
#include "kernels/support/device_buffer.h"

namespace ratchet::life::sparse {

inline constexpr std::uint64_t kChunk = 64 * kPeriod;  // generations from one look to the next
/// A changed tile lists itself and some of its neighbours.
inline constexpr double kListedPerChanged = 4;
/// Too few warps for the dense kernel to fill the device: such a universe starts sparse.
inline constexpr std::uint64_t kSmallUniverse = std::uint64_t{1} << 20;

class TiledUniverse final : public SparseUniverse {
  using Word = std::uint32_t;

 public:
  TiledUniverse(const Parameters& parameters, const Grid& start)
      : dense_(start.width(), start.width() * start.height(), Edge::dead),
        width_(start.width()),
        height_(start.height()),
        steps_(parameters.at("steps")),
        units_(cell_updates(parameters)),
        dense_above_(static_cast<double>(parameters.at("dense_above")) / 100) {
    shape_ = {static_cast<Word>(width_), static_cast<Word>(height_),
              static_cast<Word>(start.words_per_row() * 2), static_cast<Word>((width_ + 31) / 32),
              static_cast<Word>((height_ + 31) / 32)};
    const std::uint64_t settle = parameters.at("settle");
    allocate(settle);
    RATCHET_CUDA(cudaMemcpy(now_.data(), start.words().data(), packed_words() * sizeof(Word),
                            cudaMemcpyHostToDevice));
    list_every_tile();
    if (dense_above_ < 1 && width_ * height_ > kSmallUniverse) to_dense();
    if (settle > 0) advance(settle);
    save();
  }

  void run() override { advance(steps_); }
  void wait() override { RATCHET_CUDA(cudaStreamSynchronize(nullptr)); }
  std::uint64_t units() const override { return units_; }

  Grid collect() override {
    Grid grid(width_, height_);
    const Word* packed = pending_ > 0 ? rest_.data() : now_.data();
    if (!sparse_) {
      dense_.unpack(now_.data(), other_.data(), shape_.pitch, height_, nullptr);
      packed = other_.data();
    }
    const std::uint64_t row = shape_.pitch * sizeof(Word);
    RATCHET_CUDA(cudaMemcpy2D(grid.words().data(), row, packed, row, shape_.columns * sizeof(Word),
                              height_, cudaMemcpyDeviceToHost));
    return grid;
  }

  double active_share() override {
    if (!sparse_) return 1;
    const unsigned count = listed();
    return count == kEveryTile ? 1 : static_cast<double>(count) / tiles();
  }

  void reset() override {
    wait();
    sparse_ = saved_.sparse;
    pending_ = 0;
    const std::uint64_t words = sparse_ ? packed_words() : dense_words();
    copy(now_.data(), saved_.cells.data(), words);
    if (sparse_) {
      // Tiles that are not listed are the same in both grids, and those that are get written.
      copy(other_.data(), saved_.cells.data(), words);
      if (saved_.listed != kEveryTile)
        copy(lists_[turn_ % 2].data(), saved_.list.data(), saved_.listed);
      restart_lists(saved_.listed);
    }
    forget_looks();
    wait();
  }

 private:
  std::uint64_t tiles() const { return std::uint64_t{shape_.columns} * shape_.rows; }
  std::uint64_t packed_words() const { return std::uint64_t{shape_.pitch} * height_; }
  std::uint64_t dense_words() const { return dense_.pitch() * height_; }

  static void copy(Word* to, const Word* from, std::uint64_t words) {
    RATCHET_CUDA(
        cudaMemcpyAsync(to, from, words * sizeof(Word), cudaMemcpyDeviceToDevice, nullptr));
  }

  static void refuse_too_large(std::uint64_t words) {
    std::size_t free = 0, total = 0;
    RATCHET_CUDA(cudaMemGetInfo(&free, &total));
    if (words * sizeof(Word) > free)
      throw Error("life/cuda/07_sparse: up to " + std::to_string((words * sizeof(Word)) >> 20) +
                  " MiB of device memory wanted, " + std::to_string(free >> 20) +
                  " MiB are free; choose a smaller width or height");
  }

  void allocate(std::uint64_t settle) {
    const std::uint64_t words = std::max(packed_words(), dense_words());
    // The list that is saved at the end of prepare included.
    refuse_too_large(3 * words + packed_words() + 4 * tiles());
    for (auto* grid : {&now_, &other_, &saved_.cells}) {
      *grid = DeviceBuffer<Word>(words);
      grid->zero();
    }
    // Runs that kPeriod divides never need it.
    if (steps_ % kPeriod != 0 || settle % kPeriod != 0) rest_ = DeviceBuffer<Word>(packed_words());
    for (auto& list : lists_) list = DeviceBuffer<Word>(tiles());
    stamps_ = DeviceBuffer<Word>(tiles());
    stamps_.zero();
    counts_ = DeviceBuffer<Word>(3);
    int device = 0, sms = 0, blocks = 0;
    RATCHET_CUDA(cudaGetDevice(&device));
    RATCHET_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    RATCHET_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, pass<>, kBlock, 0));
    const std::uint64_t needed = (tiles() * 32 + kBlock - 1) / kBlock;
    blocks_ =
        static_cast<unsigned>(std::min<std::uint64_t>(needed, static_cast<unsigned>(sms * blocks)));
  }

  /// Until the generations are enqueued, in chunks between which the activity is looked at.
  void advance(std::uint64_t generations) {
    while (generations > 0) {
      if (!sparse_ && wants_sparse()) {
        // Sparse passes make kPeriod generations each: what is left over is made densely first, so
        // that they end with the run.
        const std::uint64_t odd = generations % kPeriod;
        dense_passes(odd);
        generations -= odd;
        to_sparse();
      } else if (sparse_ && wants_dense()) {
        generations += pending_;
        to_dense();
      }
      const std::uint64_t chunk = std::min(generations, kChunk);
      sparse_ ? sparse_passes(chunk) : dense_passes(chunk);
      generations -= chunk;
      since_look_ += chunk;
      if (since_look_ >= kChunk) look();
    }
    if (sparse_ && pending_ > 0) {
      remainder<>
          <<<blocks_, kBlock>>>(now_.data(), rest_.data(), shape_, static_cast<unsigned>(pending_));
      RATCHET_CUDA_LAUNCHED();
    }
  }

  void dense_passes(std::uint64_t generations) {
    // The short pass first: the look compares what lies a full pass apart.
    for (std::uint64_t left = generations; left > 0;) {
      const std::uint64_t odd = left % dense_.most_steps();
      const std::uint64_t steps = dense_.pass_steps(odd > 0 ? odd : left);
      dense_.advance(now_.data(), other_.data(), 0, static_cast<std::int64_t>(height_),
                     static_cast<std::int64_t>(height_), steps, nullptr);
      std::swap(now_, other_);
      full_pass_ = steps == dense_.most_steps();
      left -= steps;
    }
  }

  void sparse_passes(std::uint64_t generations) {
    for (pending_ += generations; pending_ >= kPeriod; pending_ -= kPeriod) {
      const auto number = static_cast<std::uint32_t>(turn_ % (kEveryTile - 1)) + 1;
      if (number == 1) stamps_.zero();  // from here on numbers come again
      const Lists lists{lists_[turn_ % 2].data(),
                        counts_.data() + turn_ % 3,
                        lists_[(turn_ + 1) % 2].data(),
                        counts_.data() + (turn_ + 1) % 3,
                        counts_.data() + (turn_ + 2) % 3,
                        stamps_.data(),
                        number};
      pass<><<<blocks_, kBlock>>>(now_.data(), other_.data(), shape_, lists);
      RATCHET_CUDA_LAUNCHED();
      std::swap(now_, other_);
      ++turn_;
    }
  }

  /// The next pass reads `count` tiles from the list whose turn it is, or computes every tile.
  void restart_lists(unsigned count) {
    RATCHET_CUDA(cudaMemsetAsync(counts_.data(), 0, counts_.bytes(), nullptr));
    Word* now = counts_.data() + turn_ % 3;
    if (count == kEveryTile)
      RATCHET_CUDA(cudaMemsetAsync(now, 0xFF, sizeof(Word), nullptr));
    else
      RATCHET_CUDA(cudaMemcpy(now, &count, sizeof(Word), cudaMemcpyHostToDevice));
  }
  void list_every_tile() { restart_lists(kEveryTile); }
  unsigned listed() const {
    unsigned count = 0;
    RATCHET_CUDA(
        cudaMemcpy(&count, counts_.data() + turn_ % 3, sizeof(count), cudaMemcpyDeviceToHost));
    return count;
  }

  void to_sparse() {
    dense_.unpack(now_.data(), other_.data(), shape_.pitch, height_, nullptr);
    std::swap(now_, other_);
    list_every_tile();
    sparse_ = true;
    forget_looks();
  }

  void to_dense() {
    dense_.pack(now_.data(), shape_.pitch, other_.data(), height_, nullptr);
    std::swap(now_, other_);
    sparse_ = false, full_pass_ = false, pending_ = 0;
    forget_looks();
  }

  /// How active the universe is, to be known when the device gets there.
  void look() {
    if (!sparse_ && !full_pass_) return;
    since_look_ = 0;
    if (sparse_)
      activity_.look_at_count(counts_.data() + turn_ % 3, tiles());
    else
      activity_.look_at_change(now_.data() + dense_.lead(), other_.data() + dense_.lead(),
                               dense_.pitch(), dense_.words(), height_);
  }
  void forget_looks() {
    activity_.forget();
    since_look_ = 0;
  }

  bool wants_sparse() const {
    if (dense_above_ >= 1) return true;
    const std::optional<double> share = activity_.share();
    return share && *share * kListedPerChanged < dense_above_;
  }
  bool wants_dense() const {
    if (dense_above_ >= 1) return false;
    const std::optional<double> share = activity_.share();
    return share && *share > dense_above_;
  }

  /// What reset() brings back.
  struct Saved {
    bool sparse = false;
    unsigned listed = 0;
    DeviceBuffer<Word> cells, list;
  };
  void save() {
    if (pending_ > 0) {  // the universe is in rest_, ahead of now_
      copy(now_.data(), rest_.data(), packed_words());
      pending_ = 0;
      list_every_tile();
      if (steps_ % kPeriod == 0) rest_ = {};
    }
    forget_looks();
    saved_.sparse = sparse_;
    copy(saved_.cells.data(), now_.data(), sparse_ ? packed_words() : dense_words());
    saved_.listed = sparse_ ? listed() : 0;
    if (sparse_ && saved_.listed != kEveryTile) {
      saved_.list = DeviceBuffer<Word>(saved_.listed);
      copy(saved_.list.data(), lists_[turn_ % 2].data(), saved_.listed);
    }
    wait();
  }

  DenseKernel dense_;
  std::uint64_t width_, height_, steps_, units_;
  double dense_above_;  // of all tiles
  Shape shape_{};
  unsigned blocks_ = 0;
  bool sparse_ = true;      // what now_ holds: packed rows of tiles, or the dense kernel's layout
  bool full_pass_ = false;  // dense: other_ is a longest pass older than now_
  DeviceBuffer<Word> now_, other_;
  std::uint64_t pending_ = 0;  // sparse: generations that the universe is ahead of now_,
  DeviceBuffer<Word> rest_;    // and then it is here
  std::uint64_t turn_ = 0;
  DeviceBuffer<Word> lists_[2], counts_, stamps_;
  Activity activity_;
  std::uint64_t since_look_ = 0;
  Saved saved_;
};

}  // namespace ratchet::life::sparse
