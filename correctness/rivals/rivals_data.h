// Launches to try decision rules on: simulated, or recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "correctness/rivals/rivals.h"

namespace ratchet::rivals {

/// A machine whose launches differ by a relative standard deviation `between`, and the samples
/// within one by `within`; log-normal, about one second each. Every launch has `samples` of them.
/// Half of the variance between launches is the machine's and moves the control workload as well,
/// whose rate differs by another 0.1 %; half is the launch's own.
struct Simulation {
  double between = 0.01;
  double within = 0.005;
  std::size_t samples = 100;
};

/// That many blocks, B slower by the factor `slowdown`.
std::vector<Block> simulate(const Simulation& simulation, std::size_t blocks, double slowdown,
                            std::mt19937_64& generator);

/// Recorded blocks by row, in the order of their numbers. JSON lines, each a launch or a list
/// of them: {"row": "name", "side": "A" or "B", "block": 0, "samples": [seconds, ...]}, with
/// "reference": the rate of the control workload where it ran; blank lines and other keys are
/// ignored. Throws ratchet::Error naming file and line for a line of another form, or a sample or
/// rate that is not positive. Also for a launch given twice, or a block with one side only.
std::map<std::string, std::vector<Block>> read_launches(const std::filesystem::path& path);

/// The blocks as such lines, all of one row. Throws ratchet::Error where the file cannot be
/// written.
void write_launches(const std::filesystem::path& path, const std::vector<Block>& blocks);

/// How often a rule called B slower.
struct Rate {
  std::size_t slower = 0;
  std::size_t runs = 0;
  double blocks = 0;  ///< mean number of blocks that a decision took
  double value() const { return runs == 0 ? 0 : double(slower) / double(runs); }
};

/// 95 % Clopper-Pearson interval of the rate.
struct RateInterval {
  double low = 0;
  double high = 1;
};
RateInterval interval(const Rate& rate);

/// Each rule on the same `runs` simulated comparisons.
std::vector<Rate> try_rules(const std::vector<Rule>& rules, const Simulation& simulation,
                            double slowdown, std::size_t runs, std::uint64_t seed);

/// Each rule on the recorded launches, cut into as many separate runs of consecutive blocks as it
/// needs; B's seconds are multiplied by `slowdown`.
std::vector<Rate> try_rules(const std::vector<Rule>& rules,
                            const std::map<std::string, std::vector<Block>>& launches,
                            double slowdown);

}  // namespace ratchet::rivals
