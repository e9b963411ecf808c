// The check of an officers row at the point that was timed: the values of the timed run itself
// against another stage, which goes on from those before. By induction a wrong value shows in the
// window that holds the first of them. So windows can be compared in any order: the last one first,
// which shows a run that stopped early. Then the first, then others, until the time is over.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "correctness/support/in_situ_result.h"
#include "kernels/officers/officers.h"
#include "kernels/officers/start/start.h"
#include "kernels/officers/values/checkpoint.h"

namespace ratchet::officers {
namespace {

using correctness::exact;
using correctness::Stopwatch;
using correctness::TestResult;
using correctness::TestResults;

constexpr std::uint64_t kWindow = 4096;

const OfficersStage& referee_of(const OfficersStage& stage) {
  for (const char* name : {"officers/cpu/07_simd", "officers/cpu/06_threads"}) {
    const auto* referee = dynamic_cast<const OfficersStage*>(find_stage(name));
    if (referee && referee != &stage) return *referee;
  }
  return stage;
}

/// Values against those of the referee, window by window.
class Windows {
 public:
  Windows(const OfficersStage& referee, State start, const Result& result)
      : referee_(referee), start_(std::move(start)), result_(result) {
    for (std::uint64_t from = 0; from < result.values.size(); from += kWindow) left_.insert(from);
  }
  bool any_left() const { return !left_.empty() && differing_.empty(); }

  /// The last one, then the first, then any.
  void compare_next() {
    auto window = done_ == 0 ? std::prev(left_.end()) : left_.begin();
    if (done_ > 1) std::advance(window, draw_() % left_.size());
    compare(*window);
    left_.erase(window);
    ++done_;
  }
  TestResult test() const {
    const std::size_t all = done_ + left_.size();
    TestResult test =
        exact("values of the timed run", differing_.empty(),
              differing_.empty() ? fmt::format("{} of {} windows of {} values as by {}", done_, all,
                                               kWindow, referee_.info().name)
                                 : differing_);
    if (!left_.empty())
      test.power = fmt::format(
          "{:.2g} % of the windows wrong",
          100 * (1 - std::pow(1 - correctness::kDetection, 1 / static_cast<double>(done_))));
    return test;
  }

 private:
  void compare(std::uint64_t from) {
    const auto& values = result_.values;
    const std::uint64_t count = std::min<std::uint64_t>(kWindow, values.size() - from);
    State state = start_;
    state.append({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(from)});
    const auto run = referee_.prepare_run(referee_.defaults().set("count", count), state);
    run->run();
    const Result wanted = run->collect();
    for (std::uint64_t i = 0; i < count && differing_.empty(); ++i)
      if (values[from + i] != wanted.values.at(i))
        differing_ = fmt::format("position {}: {}, {} says {}", result_.start + from + i,
                                 values[from + i], referee_.info().name, wanted.values[i]);
  }

  const OfficersStage& referee_;
  State start_;
  const Result& result_;
  std::set<std::uint64_t> left_;
  std::size_t done_ = 0;
  std::string differing_;
  std::mt19937_64 draw_{7};
};

TestResults check_timed(const OfficersStage& stage, const TimedRow& row, Run& timed) {
  const Stopwatch watch;
  const std::uint64_t count = row.parameters.at("count");
  const Result result = timed.collect();
  State start =
      row.input.empty() ? state_at(row.parameters.at("start")) : load_checkpoint(row.input);
  TestResults tests = {exact("values asked for",
                             result.values.size() == count && result.start == start.next,
                             fmt::format("{} values from {}, asked for {} from {}",
                                         result.values.size(), result.start, count, start.next))};
  if (correctness::any_rejected(tests)) return tests;
  const OfficersStage& referee = referee_of(stage);
  if (!referee.takes(start)) return {};
  Windows windows(referee, std::move(start), result);
  do {
    if (windows.any_left()) windows.compare_next();
  } while (windows.any_left() && watch.seconds() < row.budget_s);
  tests.push_back(windows.test());
  if (!row.time_for(row.run_s)) return tests;
  timed.run();
  timed.wait();
  tests.push_back(exact("the run after it", timed.collect().values == result.values,
                        "the same values once more"));
  return tests;
}

InSituResult check(const TimedRow& row) {
  const auto* stage = dynamic_cast<const OfficersStage*>(&row.stage);
  auto* timed = dynamic_cast<Run*>(&row.instance);
  if (!stage || !timed) return {InSituState::unchecked, "no run that officers knows was timed"};
  TestResults tests = check_timed(*stage, row, *timed);
  if (!tests.empty())  // nothing compared is unchecked, whatever the run says of itself
    tests.push_back(correctness::units_of_a_run(row, row.parameters.at("count")));
  return correctness::in_situ_result(tests);
}

const InSituCheckRegistration registered("officers", check);

}  // namespace
}  // namespace ratchet::officers
