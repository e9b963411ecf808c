// How far pairs of a program with itself scatter, by the way in which the pairs are made.
//
//   pair_spread BENCH ROW,ROW,... [--pairs N] [--seconds S] [--turn-s S] [--launches]
//
// A line a row: spread of a pair's ln ratio in per cent, seconds a pair, and the half width of the
// plain interval that a minute of pairs would give, the smaller the better.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <random>

#include "kernels/support/error.h"
#include "perf/gate/rule/compare_rows.h"
#include "perf/gate/run/session.h"
#include "perf/stats/quantile.h"
#include "perf/support/clock.h"

namespace ratchet::gate {
namespace {

struct Request {
  ProgramOptions bench;
  std::vector<std::string> rows;
  std::size_t pairs = 25;
  bool launches = false;
  SessionOptions session;
};

double deviation(const std::vector<double>& values) {
  double mean = 0, square = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) square += (value - mean) * (value - mean);
  return std::sqrt(square / static_cast<double>(values.size() - 1));
}

void measure(const Request& request) {
  const RatchetProgram before(request.bench), now(request.bench);
  SessionOptions options = request.session;
  options.turns = !request.launches;
  options.budget_s = 1e6;
  options.seed = std::random_device()();
  for (const std::string& row : request.rows) {
    options.selection.filter = exact_filter(row);
    Session session({{"base", &before}, {"new", &now}}, options, [](const std::string&) {});
    session.check();
    const double start = seconds_now();
    session.measure(session.alive(), request.pairs);
    for (const auto& [name, failure] : session.failures())
      throw Error(name + ": " + failure.reason);
    const double each_s = (seconds_now() - start) / static_cast<double>(request.pairs);
    const Row& base = session.measured(0).rows.at(row);
    const std::vector<double> d = pairs_of(base, session.measured(1).rows.at(row)).log_ratios;
    const double robust = stats::robust_deviation(d);
    std::cout << fmt::format("| {} | {:.4g} | {:.0f} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |",
                             row, base.launches.back().real_ms,
                             base.launches.back().counter("samples").value_or(0), d.size(),
                             100 * deviation(d), 100 * robust, each_s,
                             100 * robust * std::sqrt(each_s))
              << std::endl;
  }
}

int run(int argc, char** argv) {
  Request request;
  CLI::App app("How far pairs of a program with itself scatter.", "pair_spread");
  app.add_option("bench", request.bench.program, "a ratchet-bench")->required();
  app.add_option("rows", request.rows, "rows, with commas between")->required()->delimiter(',');
  app.add_option("--pairs", request.pairs)->check(CLI::Range(3, 10000))->capture_default_str();
  app.add_option("--seconds", request.session.sample_s, "samples of one launch");
  app.add_option("--turn-s", request.session.turn_s, "how long a turn is");
  app.add_flag("--launches", request.launches, "one after the other, as programs without turns");
  CLI11_PARSE(app, argc, argv);
  measure(request);
  return 0;
}

}  // namespace
}  // namespace ratchet::gate

int main(int argc, char** argv) {
  try {
    return ratchet::gate::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "pair_spread: " << error.what() << "\n";
    return 2;
  }
}
