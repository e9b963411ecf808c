// The sources of the tiles' kernel (life/cuda/07_sparse) on a CPU: warps of several blocks that
// list the tiles of the next pass for each other, in many orders.
#include "correctness/emulator/grid_on_host.h"
// After it:
#include "kernels/life/sparse/cuda_sparse.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"

namespace ratchet::life {
namespace {

using on_host::grid;
using on_host::launch;
using Words = std::vector<std::uint32_t>;

constexpr unsigned kBlocks = 2;

/// A universe and the lists of its tiles, as TiledUniverse keeps them.
class Tiles {
 public:
  explicit Tiles(const Grid& start) : universe_(start) {
    shape_ = {static_cast<std::uint32_t>(start.width()), static_cast<std::uint32_t>(start.height()),
              static_cast<std::uint32_t>(start.words_per_row() * 2),
              static_cast<std::uint32_t>((start.width() + 31) / 32),
              static_cast<std::uint32_t>((start.height() + 31) / 32)};
    const auto* words = reinterpret_cast<const std::uint32_t*>(start.words().data());
    now_.assign(words, words + std::size_t{shape_.pitch} * shape_.height);
    other_.assign(now_.size(), 0);
    for (Words& list : lists_) list.resize(tiles());
    stamps_.resize(tiles());
    counts_ = {sparse::kEveryTile, 0, 0};
  }

  void pass() {
    const sparse::Lists lists{lists_[turn_ % 2].data(),
                              &counts_[turn_ % 3],
                              lists_[(turn_ + 1) % 2].data(),
                              &counts_[(turn_ + 1) % 3],
                              &counts_[(turn_ + 2) % 3],
                              stamps_.data(),
                              turn_ + 1};
    // No two threads write to one place, or all do so atomically.
    grid.watched.emplace_back(other_.data(), other_.size() * 4);
    grid.watched.emplace_back(lists_[(turn_ + 1) % 2].data(), tiles() * 4);
    grid.watched.emplace_back(stamps_.data(), tiles() * 4);
    grid.watched.emplace_back(counts_.data(), sizeof counts_);
    launch(sparse::pass<>, kBlocks, sparse::kBlock, 0, now_.data(), other_.data(), shape_, lists);
    grid.watched.clear();
    now_.swap(other_);
    ++turn_;
  }
  Grid after_a_remainder(unsigned generations) {
    launch(sparse::remainder<>, kBlocks, sparse::kBlock, 0, now_.data(), other_.data(), shape_,
           generations);
    return grid_of(other_);
  }
  Grid cells() const { return grid_of(now_); }
  unsigned tiles() const { return shape_.columns * shape_.rows; }
  /// In their order.
  std::vector<std::uint32_t> listed() const {
    const std::uint32_t* first = lists_[turn_ % 2].data();
    std::vector<std::uint32_t> listed(first, first + std::min(counts_[turn_ % 3], tiles()));
    std::sort(listed.begin(), listed.end());
    return listed;
  }
  /// Those with a changed cell in them, or that near.
  std::vector<std::uint32_t> dependent(const Grid& before, const Grid& now) const {
    std::vector<std::uint32_t> dependent;
    const auto changes = [&](std::int64_t x, std::int64_t y) {
      return x >= 0 && y >= 0 && x < shape_.width && y < shape_.height &&
             before.at(x, y) != now.at(x, y);
    };
    constexpr int kNear = sparse::kPeriod, kSide = sparse::kSide;
    for (std::uint32_t tile = 0; tile < tiles(); ++tile) {
      const std::int64_t x = tile % shape_.columns * kSide, y = tile / shape_.columns * kSide;
      bool depends = false;
      for (int dy = -kNear; dy < kSide + kNear && !depends; ++dy)
        for (int dx = -kNear; dx < kSide + kNear; ++dx) depends |= changes(x + dx, y + dy);
      if (depends) dependent.push_back(tile);
    }
    return dependent;
  }

 private:
  Grid grid_of(const Words& words) const {
    Grid cells(shape_.width, shape_.height);
    auto* to = reinterpret_cast<std::uint32_t*>(cells.words().data());
    for (std::uint32_t y = 0; y < shape_.height; ++y)
      std::copy_n(words.data() + y * shape_.pitch, shape_.columns, to + y * shape_.pitch);
    return cells;
  }
  Grid universe_;
  sparse::Shape shape_{};
  Words now_, other_, lists_[2], stamps_;
  std::array<std::uint32_t, 3> counts_{};
  std::uint32_t turn_ = 0;
};

/// Passes and the rest of one, each as the oracle has it. Returns how many tiles are listed then.
std::size_t expect_right(const Grid& start, unsigned passes) {
  Tiles tiles(start);
  Grid before = start;
  for (unsigned pass = 0; pass < passes; ++pass) {
    tiles.pass();
    const Grid now = oracle_run(before, sparse::kPeriod, Edge::dead);
    EXPECT_EQ("", difference(now, tiles.cells()))
        << start.width() << " x " << start.height() << ", pass " << pass;
    EXPECT_EQ(tiles.dependent(before, now), tiles.listed()) << "pass " << pass;
    before = now;
  }
  EXPECT_EQ("", difference(oracle_run(before, 7, Edge::dead), tiles.after_a_remainder(7)));
  return tiles.listed().size();
}

class SparseKernel : public testing::Test {
  void SetUp() override { grid.random.seed(1), grid.stays = false; }
};

/// One tile, less than one, and sides with and without a rest.
TEST_F(SparseKernel, SoupsOfAFewTiles) {
  for (const std::uint64_t width : {20, 64, 150})
    for (const std::uint64_t height : {9, 96, 130}) expect_right(soup(width, height, 3, 110), 4);
}

/// A glider flies through the corners and over the edges of tiles that were at rest.
TEST_F(SparseKernel, AGliderWakesTiles) {
  Grid glider(3, 3);
  for (const auto& [x, y] : {std::pair{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}})
    glider.set(x, y, true);
  for (const std::uint64_t x : {5, 20})
    for (const bool stays : {false, true})
      for (unsigned seed = 2; seed < 4; ++seed) {
        grid.random.seed(seed), grid.stays = stays;
        const std::size_t listed = expect_right(placed(glider, 100, 100, x, 7), 12);
        EXPECT_GE(listed, 1u);
        EXPECT_LE(listed, 4u);
      }
}

/// What repeats itself after 1, 2 or 3 generations is skipped.
TEST_F(SparseKernel, WhatRepeatsItselfIsSkipped) {
  Grid cells(130, 70);
  for (const int i : {0, 1, 2}) cells.set(30 + i, 31, true);  // a blinker
  for (const auto& [x, y] : {std::pair{90, 40}, {91, 40}, {90, 41}, {91, 41}})
    cells.set(x, y, true);
  EXPECT_EQ(0u, expect_right(cells, 3));
}

}  // namespace
}  // namespace ratchet::life
