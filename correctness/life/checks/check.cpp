// The quick check of a life stage, before it is timed: about a second.
#include "kernels/contract/check.h"

#include <chrono>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"
#include "correctness/life/tests/support/scenes.h"
#include "correctness/support/paths.h"

namespace ratchet::life {
namespace {

using Seconds = std::chrono::duration<double>;

/// What is checked so far, and how long the stage took for the last of it.
class QuickCheck {
 public:
  explicit QuickCheck(const LifeStage& stage) : stage_(stage) {}

  /// False when the stage differs from the oracle, with the difference in result().
  bool equal(const char* what, const Grid& start, std::uint64_t steps) {
    for (const Edge edge : {Edge::dead, Edge::torus}) {
      if (edge == Edge::torus && !has_torus(stage_)) continue;
      const auto begin = std::chrono::steady_clock::now();
      const Grid seen = stage_run(stage_, start, steps, 1, edge);
      took_ = std::chrono::steady_clock::now() - begin;
      const std::string wrong = difference(oracle_run(start, steps, edge), seen);
      if (!wrong.empty()) return fail(what, start, steps, wrong);
    }
    ++done_;
    largest_ =
        start.width() * start.height() > largest_cells_ ? size_of(start) + " cells" : largest_;
    largest_cells_ = std::max(largest_cells_, start.width() * start.height());
    return true;
  }
  Seconds took() const { return took_; }
  CheckResult result() const {
    if (!failure_.empty()) return {false, failure_};
    return {true, std::to_string(done_) + " starts, up to " + largest_ +
                      ", equal the definition bit for bit"};
  }

 private:
  static std::string size_of(const Grid& grid) {
    return std::to_string(grid.width()) + " x " + std::to_string(grid.height());
  }
  bool fail(const char* what, const Grid& start, std::uint64_t steps, const std::string& wrong) {
    failure_ = std::string(what) + ", " + size_of(start) + " cells, after " +
               std::to_string(steps) + " steps: " + wrong;
    return false;
  }
  const LifeStage& stage_;
  Seconds took_{};
  int done_ = 0;
  std::uint64_t largest_cells_ = 0;
  std::string largest_, failure_;
};

/// All neighbourhoods, borders, numbers of steps around what kernels do at a time, tiles at rest;
/// then a universe that fills a GPU, where the stage is fast enough for it.
CheckResult check(const Stage& stage) {
  const auto* life = dynamic_cast<const LifeStage*>(&stage);
  if (!life) return {false, stage.info().name + " is no life stage"};
  QuickCheck check(*life);
  check.equal("all neighbourhoods", truth_table(128), 1) &&
      check.equal("gliders and lines at the border", border_scene(515, 131), 33) &&
      check.equal("a single column", soup(1, 67, 7, 110), 5) &&
      check.equal("blinkers and gliders", ash_scene(301, 259), 96) &&
      check.equal("a soup", soup(1031, 517, 7, 110), 16) &&
      check.equal("a soup", soup(1031, 517, 8, 110), 17) &&
      ((!computes_with_cuda(stage) && check.took() > Seconds(0.001)) ||
       check.equal("a soup", soup(16411, 8209, 9, 128), 17));
  return check.result();
}

const CheckRegistration registered("life", check);

}  // namespace
}  // namespace ratchet::life
