// Prints what a fleet costs and sees, as Markdown, by the shipped rule.
//
//   fleet_table [--pair-s S] [--pair-spread SHARE] [--pairs N] [--tolerance SHARE]
#include "correctness/perf/gate/fleet/fleet_table.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  ratchet::gate::FleetModel model;
  CLI::App app("What a fleet costs and sees, by the rule of perf/gate/README.md");
  app.add_option("--pair-s", model.pair_s, "seconds a pair")->check(CLI::Range(1e-3, 1e4));
  app.add_option("--pair-spread", model.pair_spread, "standard deviation of a pair's ln ratio")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--pairs", model.pairs, "of a row on a node")->check(CLI::Range(1, 1000));
  app.add_option("--tolerance", model.tolerance, "relative")->check(CLI::Range(0.0001, 0.9999));
  CLI11_PARSE(app, argc, argv);
  fmt::print("{}", ratchet::gate::fleet_table(model));
  return 0;
}
