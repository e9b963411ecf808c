// How far pairs of a program with itself scatter, by the way in which the pairs are made.
//
//   pair_spread BENCH ROW,ROW,... [--pairs N] [--seconds S] [--slice-s S] [--launches] [--slots N]
//
// A line a row: the spread of a pair's ln ratio in per cent and seconds a pair. Then the half width
// of the per-comparison interval after a minute of pairs (the smaller the better).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>
#include <random>

#include "perf/gate/rule/facts.h"
#include "perf/gate/run/run.h"
#include "perf/stats/quantile.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"

namespace ratchet::gate {
namespace {

RunOptions one_lane() {
  RunOptions options;
  options.slots = 1;
  return options;
}

struct Request {
  ProgramOptions bench;
  std::vector<std::string> rows;
  std::size_t pairs = 25;
  bool launches = false;
  RunOptions run = one_lane();
};

double deviation(const std::vector<double>& values) {
  double mean = 0, square = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) square += (value - mean) * (value - mean);
  return std::sqrt(square / static_cast<double>(values.size() - 1));
}

void print(const RowId& row, const gate::Run& run, double each_s) {
  const Row& base = run.ledger().measured(0).rows.at(row);
  const std::vector<double> d = pairs_of(base, run.ledger().measured(1).rows.at(row)).log_ratios;
  const double robust = stats::robust_deviation(d);
  std::cout << fmt::format("| {} | {:.4g} | {:.0f} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |", row,
                           base.launches.back().real_ms,
                           base.launches.back().counter("samples").value_or(0), d.size(),
                           100 * deviation(d), 100 * robust, each_s,
                           100 * robust * std::sqrt(each_s))
            << std::endl;
}

/// As many rows at once as there are slots.
void measure(const Request& request) {
  const RatchetProgram before(request.bench), now(request.bench);
  RunOptions options = request.run;
  options.slices = !request.launches;
  options.budget_s = 1e6;
  options.seed = std::random_device()();
  for (std::size_t first = 0; first < request.rows.size(); first += options.slots) {
    const std::size_t last = std::min(first + options.slots, request.rows.size());
    const std::vector<RowId> rows(request.rows.begin() + static_cast<std::ptrdiff_t>(first),
                                  request.rows.begin() + static_cast<std::ptrdiff_t>(last));
    options.selection.filter = exact_filter(rows);
    gate::Run run({{"base", &before}, {"new", &now}}, options, [](const std::string&) {});
    run.checker().check();
    const double start = seconds_now();
    run.scheduler().measure(run.ledger().alive(), request.pairs);
    for (const auto& [name, failure] : run.ledger().failures())
      throw Error(name.text() + ": " + failure.reason);
    const double each_s =
        (seconds_now() - start) / static_cast<double>(request.pairs * rows.size());
    for (const RowId& row : rows) print(row, run, each_s);
  }
}

int run(int argc, char** argv) {
  Request request;
  CLI::App app("How far pairs of a program with itself scatter.", "pair_spread");
  app.add_option("bench", request.bench.program, "a ratchet-bench")->required();
  app.add_option("rows", request.rows, "rows, with commas between")->required()->delimiter(',');
  app.add_option("--pairs", request.pairs)->check(CLI::Range(3, 10000))->capture_default_str();
  app.add_option("--seconds", request.run.sample_s, "samples of one launch");
  app.add_option("--slots", request.run.slots, "rows of one thread at once, a CPU each")
      ->check(CLI::Range(1, 64));
  app.add_option("--slice-s", request.run.slice_s, "how long a slice is");
  app.add_flag("--launches", request.launches, "one after the other, as programs without slices");
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
