#include "correctness/rivals/rivals_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "perf/support/error.h"

namespace ratchet::rivals {
namespace {

using Launches = std::map<std::string, std::map<std::int64_t, Block>>;

void launch(const Simulation& simulation, double seconds, std::mt19937_64& generator,
            std::vector<double>& samples, double& reference) {
  std::normal_distribution<double> normal;
  const double half = simulation.between * std::sqrt(0.5);
  const double machine = half * normal(generator);
  const double level = std::log(seconds) + machine + half * normal(generator);
  reference = std::exp(0.001 * normal(generator) - machine);
  samples.resize(simulation.samples);
  for (double& sample : samples) sample = std::exp(level + simulation.within * normal(generator));
}

std::vector<double> seconds_of(const nlohmann::json& line) {
  std::vector<double> samples = line.at("samples").get<std::vector<double>>();
  const auto bad = [](double s) { return !(s > 0) || !std::isfinite(s); };
  if (samples.empty() || std::any_of(samples.begin(), samples.end(), bad))
    throw Error("samples must be positive seconds, and at least one");
  return samples;
}

void read_launch(const nlohmann::json& line, Launches& launches) {
  const auto side = line.at("side").get<std::string>();
  if (side != "A" && side != "B") throw Error("\"side\" must be \"A\" or \"B\"");
  Block& block = launches[line.at("row").get<std::string>()][line.at("block").get<std::int64_t>()];
  std::vector<double>& samples = side == "A" ? block.a : block.b;
  if (!samples.empty()) throw Error("this launch was given before");
  samples = seconds_of(line);
  if (!line.contains("reference")) return;
  double& reference = side == "A" ? block.reference_a : block.reference_b;
  reference = line["reference"].get<double>();
  if (!(reference > 0)) throw Error("\"reference\" must be a positive rate");
}

void count(const Rule& rule, std::span<const Block> blocks, Rate& rate) {
  const Outcome outcome = rule.judge(blocks.first(rule.most_blocks));
  ++rate.runs;
  rate.slower += outcome.slower;
  rate.blocks += (static_cast<double>(outcome.blocks) - rate.blocks) / double(rate.runs);
}

}  // namespace

std::vector<Block> simulate(const Simulation& simulation, std::size_t blocks, double slowdown,
                            std::mt19937_64& generator) {
  std::vector<Block> result(blocks);
  for (Block& block : result) {
    launch(simulation, 1, generator, block.a, block.reference_a);
    launch(simulation, slowdown, generator, block.b, block.reference_b);
  }
  return result;
}

std::map<std::string, std::vector<Block>> read_launches(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file)
    throw Error(fmt::format("cannot read {}: give a file of recorded launches", path.string()));
  Launches launches;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      const auto parsed = nlohmann::json::parse(line);
      for (const auto& each : parsed.is_array() ? parsed : nlohmann::json::array({parsed}))
        read_launch(each, launches);
    } catch (const std::exception& error) {  // of the JSON library too
      throw Error(
          fmt::format("{}:{}: not a recorded launch: {}", path.string(), number, error.what()));
    }
  }
  std::map<std::string, std::vector<Block>> rows;
  for (auto& [row, blocks] : launches) {
    for (auto& [number, block] : blocks) {
      if (block.a.empty() || block.b.empty())
        throw Error(
            fmt::format("{}: block {} of {} has one side only", path.string(), number, row));
      rows[row].push_back(std::move(block));
    }
  }
  return rows;
}

void write_launches(const std::filesystem::path& path, const std::vector<Block>& blocks) {
  std::ofstream file(path);
  for (std::size_t number = 0; number < blocks.size(); ++number) {
    const auto write = [&](const char* side, const std::vector<double>& samples, double reference) {
      file << nlohmann::json{{"row", "simulated"},
                             {"side", side},
                             {"block", number},
                             {"samples", samples},
                             {"reference", reference}}
           << '\n';
    };
    write("A", blocks[number].a, blocks[number].reference_a);
    write("B", blocks[number].b, blocks[number].reference_b);
  }
  if (!file.flush()) throw Error(fmt::format("cannot write {}", path.string()));
}

RateInterval interval(const Rate& rate) {
  using Law = boost::math::binomial_distribution<double>;
  if (rate.runs == 0) return {};
  const auto runs = double(rate.runs);
  const auto hits = double(rate.slower);
  return {rate.slower == 0 ? 0 : Law::find_lower_bound_on_p(runs, hits, 0.025),
          rate.slower == rate.runs ? 1 : Law::find_upper_bound_on_p(runs, hits, 0.025)};
}

std::vector<Rate> try_rules(const std::vector<Rule>& rules, const Simulation& simulation,
                            double slowdown, std::size_t runs, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::size_t most = 0;
  for (const Rule& rule : rules) most = std::max(most, rule.most_blocks);
  std::vector<Rate> rates(rules.size());
  for (std::size_t run = 0; run < runs; ++run) {
    const std::vector<Block> blocks = simulate(simulation, most, slowdown, generator);
    for (std::size_t i = 0; i < rules.size(); ++i) count(rules[i], blocks, rates[i]);
  }
  return rates;
}

std::vector<Rate> try_rules(const std::vector<Rule>& rules,
                            const std::map<std::string, std::vector<Block>>& launches,
                            double slowdown) {
  std::vector<Rate> rates(rules.size());
  for (auto [row, blocks] : launches) {
    for (Block& block : blocks)
      for (double& seconds : block.b) seconds *= slowdown;
    const std::span<const Block> all(blocks);
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const std::size_t size = rules[i].most_blocks;
      for (std::size_t begin = 0; begin + size <= all.size(); begin += size)
        count(rules[i], all.subspan(begin), rates[i]);
    }
  }
  return rates;
}

}  // namespace ratchet::rivals
