// A search of ranks whose timed runs all play the same range: games are up to a third longer
// elsewhere, so that a row would tell how many runs there were before it.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "kernels/bmn/bmn.h"

namespace ratchet::bmn::search {

/// Goes on from run to run, but begins again with reset(), which the timers call before each run.
class FromTheFirst final : public Table {
 public:
  using Make = std::function<std::unique_ptr<Table>()>;
  explicit FromTheFirst(Make make) : make_(std::move(make)), table_(make_()) {}

  void run() override { table_->run(); }
  void wait() override { table_->wait(); }
  std::uint64_t units() const override { return table_->units(); }
  Result collect() override { return table_->collect(); }
  void reset() override {
    table_ = nullptr;  // gives its memory back first
    table_ = make_();
  }

 private:
  Make make_;
  std::unique_ptr<Table> table_;
};

/// `StageOf`, a bmn stage, with such tables.
template <class StageOf>
class RangeStage final : public StageOf {
 public:
  using StageOf::StageOf;
  std::unique_ptr<Table> prepare_table(const Parameters& parameters) const override {
    return std::make_unique<FromTheFirst>(
        [this, parameters] { return StageOf::prepare_table(parameters); });
  }
};

}  // namespace ratchet::bmn::search
