// The figures that perf/guide/fleet.md gives of a fleet are the shipped rule's, and true.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "correctness/perf/gate/fleet/fleet_table.h"
#include "perf/gate/rule/rule.h"
#include "perf/stats/sequential.h"
#include "perf/support/files.h"

namespace ratchet::gate {
namespace {

TEST(FleetTable, GuideHoldsIt) {
  const std::string page = read_text(RATCHET_SOURCE_DIR "/perf/guide/fleet.md");
  EXPECT_NE(page.find("\n" + fleet_table({})), std::string::npos)
      << "build/correctness/fleet_table prints:\n"
      << fleet_table({});
}

/// How often one slower row among `rows` is called so, and an unchanged one.
double called_slower(std::size_t rows, std::size_t nodes, double effect, int runs,
                     std::mt19937_64& generator) {
  const FleetModel model;
  std::normal_distribution<double> normal;
  const double within = model.pair_spread / std::sqrt(static_cast<double>(model.pairs));
  int slower = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> logs(nodes);
    for (double& log : logs)
      log = std::log1p(-effect) + model.large * normal(generator) + within * normal(generator);
    slower += decide_nodes(logs, stats::Reference::own, model.tolerance,
                           {nodes, stats::error_per_claim(stats::kFalseAlarms, rows), 0.05})
                  .verdict == Verdict::slower;
  }
  return static_cast<double>(slower) / runs;
}

TEST(FleetTable, WhatItDetectsIsCaught) {
  std::mt19937_64 generator(31);
  for (const auto& [rows, nodes] :
       {std::pair<std::size_t, std::size_t>{10, 10}, {1000, 30}, {1000, 100}}) {
    const double effect = fleet_detects({}, rows, nodes, FleetModel().large);
    const double caught = called_slower(rows, nodes, effect, 300, generator);
    EXPECT_GE(caught, 0.82) << rows << " rows, " << nodes << " nodes, " << effect;
    EXPECT_LE(caught, 0.97) << rows << " rows, " << nodes << " nodes, " << effect;
    EXPECT_LE(called_slower(rows, nodes, effect / 2, 300, generator), 0.5);
  }
}

TEST(FleetTable, AThousandUnchangedRowsRaiseNoAlarm) {
  std::mt19937_64 generator(32);
  // Ten runs of a thousand rows: 0.1 expected at most.
  EXPECT_LE(called_slower(1000, 30, 0, 10000, generator) * 10000, 2);
}

}  // namespace
}  // namespace ratchet::gate
