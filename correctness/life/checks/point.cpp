// The in-situ check of a life row. One more run of the timed instance, from where the timed runs
// left it, is compared with another kernel, cell by cell. Then a first run from the start of the
// row likewise, because a universe at rest hides much. The other kernel is the fastest here that
// shares no loop with the stage. It takes a second for 65536^2 x 768 on a GPU, and minutes on a
// CPU, which is done on request only.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "correctness/life/checks/checks.h"
#include "correctness/support/in_situ_result.h"

namespace ratchet::life {
namespace {

using correctness::exact;
using correctness::Stopwatch;
using correctness::TestResults;

/// Judges, the fastest first.
constexpr std::array kReferees = {"life/cuda/05_strided", "life/cuda/03_lop3_10",
                                  "life/cuda/06_streamed", "life/cpu/08_strided_threads",
                                  "life/cpu/06_simd_threads"};

/// What stages share whose universes go through the grid by the same loop, though their kernels
/// differ: a fault in it would be judged by itself.
std::string loop_of(const std::string& name) {
  const bool strided = name.find("strided") != name.npos || name.find("resident") != name.npos;
  const std::string backend(to_string(backend_of(name)));
  return backend + (strided ? " strided" : " rows");
}

const LifeStage* referee_of(const LifeStage& stage, Edge edge) {
  for (const char* name : kReferees) {
    const auto* referee = dynamic_cast<const LifeStage*>(find_stage(name));
    if (!referee || !referee->availability().ok || loop_of(name) == loop_of(stage.info().name))
      continue;
    if (edge == Edge::dead || has_torus(*referee)) return referee;
  }
  return nullptr;
}

/// Cell updates a second of a referee, by the best of some runs of milliseconds: others on the
/// machine make single ones thirty times as long.
double speed_of(const LifeStage& referee) {
  static std::map<std::string, double> known;
  double& speed = known[referee.info().name];
  if (speed > 0) return speed;
  const std::uint64_t side = referee.info().backend == Backend::cuda ? 16384 : 2048, steps = 16;
  const auto universe = referee.prepare_universe(parameters_for(referee, side, side, steps),
                                                 soup(side, side, 1, 128));
  for (int run = 0; run < 5; ++run) {  // the first warms up
    const Stopwatch watch;
    universe->run();
    universe->wait();
    speed = std::max(speed, static_cast<double>(side * side * steps) / watch.seconds());
  }
  return speed;
}

Grid next_run(Universe& universe) {
  universe.run();
  universe.wait();
  return universe.collect();
}

/// The stages of one check.
class Point {
 public:
  Point(const LifeStage& stage, const Parameters& parameters, const LifeStage& referee)
      : parameters_(parameters), stage_(stage), referee_(referee) {}

  double seconds() const {
    return static_cast<double>(cell_updates(parameters_)) / speed_of(referee_);
  }
  void timed(Universe& universe) {
    const Grid last = universe.collect();
    universe.reset();
    const Grid start = universe.collect(), end = next_run(universe);
    compare("the run after the timed ones", start, end);
    // A stage that starts again and again ends again and again at the same.
    if (start != last) add("the timed run", difference(end, last), "as the run after it");
  }
  void fresh(const std::string& input) {
    const auto instance =
        input.empty() ? stage_.prepare(parameters_) : stage_.prepare_input(parameters_, input);
    auto& universe = dynamic_cast<Universe&>(*instance);
    const Grid start = universe.collect();
    compare("the first run", start, next_run(universe));
  }
  const TestResults& tests() const { return tests_; }

 private:
  void compare(const std::string& what, const Grid& start, const Grid& end) {
    const Grid wanted =
        stage_run(referee_, start, parameters_.at("steps"), 1, edge_of(parameters_));
    add(what, difference(wanted, end),
        fmt::format("{} of {} cells alive, as by {}", end.population(), end.width() * end.height(),
                    referee_.info().name));
  }
  void add(const std::string& what, const std::string& wrong, const std::string& right) {
    tests_.push_back(exact(what, wrong.empty(), wrong.empty() ? right : wrong));
  }

  const Parameters& parameters_;
  const LifeStage& stage_;
  const LifeStage& referee_;
  TestResults tests_;
};

InSituResult check(const TimedRow& row) {
  const auto* stage = dynamic_cast<const LifeStage*>(&row.stage);
  auto* timed = dynamic_cast<Universe*>(&row.instance);
  if (!stage || !timed) return {InSituState::unchecked, "no universe that life knows was timed"};
  const LifeStage* referee = referee_of(*stage, edge_of(row.parameters));
  if (!referee) return {InSituState::unchecked, "no other stage here can judge this row"};
  Point point(*stage, row.parameters, *referee);
  const double least_s = point.seconds() + row.run_s;
  if (least_s > row.most_s()) return correctness::too_long("a check at this point", least_s);
  const Stopwatch watch;
  point.timed(*timed);
  if (row.time_for(watch.seconds())) point.fresh(row.input);
  // Not by cell_updates(), from which most stages have what they claim.
  const std::uint64_t updates =
      row.parameters.at("width") * row.parameters.at("height") * row.parameters.at("steps");
  TestResults tests = point.tests();
  tests.push_back(correctness::units_of_a_run(row, updates));
  return correctness::in_situ_result(tests);
}

const InSituCheckRegistration registered("life", check);

}  // namespace
}  // namespace ratchet::life
