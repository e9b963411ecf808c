#include "correctness/life/tests/support/speed.h"

#include <chrono>
#include <map>

#include "correctness/life/checks/checks.h"

namespace ratchet::life {
namespace {

constexpr double kFew = 1e7;  // a tenth of a second for the slowest of stages
constexpr std::uint64_t kSteps = 16;

double seconds_of_one_run(const LifeStage& stage, std::uint64_t side) {
  const Grid start = soup(side, side, 1, 128);
  const auto universe = stage.prepare_universe(parameters_for(stage, side, side, kSteps), start);
  universe->run();  // what is built or woken up at the first run is not speed
  universe->wait();
  const auto begin = std::chrono::steady_clock::now();
  universe->run();
  universe->wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double measure(const LifeStage& stage) {
  double best = 0;
  for (std::uint64_t side = 256; side <= 8192; side *= 2) {
    const double seconds = seconds_of_one_run(stage, side);
    best = std::max(best, static_cast<double>(side * side * kSteps) / seconds);
    if (seconds > 3e-3) break;
  }
  return best;
}

}  // namespace

double updates_per_second(const LifeStage& stage) {
  static std::map<const LifeStage*, double> known;
  const auto found = known.find(&stage);
  return found != known.end() ? found->second : known[&stage] = measure(stage);
}

bool affordable(const LifeStage& stage, double updates, double seconds) {
  return updates <= kFew || updates <= seconds * updates_per_second(stage);
}

}  // namespace ratchet::life
