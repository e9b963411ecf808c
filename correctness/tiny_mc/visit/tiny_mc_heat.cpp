// Writes the heat that stages of tiny_mc leave in each shell, for the plot of exact, corrected and
// printed physics.
//
// usage: tiny_mc_heat STAGE... [--photons N] [--runs R] [--seed S] [--baseline-dir DIR | --stdout]
//
// The curves go to DIR/<machine>/tiny_mc_heat.tsv, the machine being the one that the stage's
// baseline belongs to, where `ratchet tables tiny_mc --plots` finds them. A file is written as a
// whole, so all of its stages must be named. Exit codes: 0; 2 when a stage is unknown or cannot run
// here, a file has a further stage, or cannot be written.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "correctness/support/binomial_law.h"
#include "correctness/support/data_file.h"
#include "correctness/tiny_mc/checks/heat_curve.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/identity/row_id.h"
#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet {
namespace {

struct HeatOptions {
  std::vector<std::string> stages;
  std::uint64_t photons = 0;  ///< 0: by the stage
  std::uint32_t runs = 64;
  std::uint64_t seed = 1;
  std::filesystem::path baselines = "baselines";
  bool to_stdout = false;
};

/// Enough for a smooth curve, few enough for the slowest stage to be done in seconds.
constexpr std::uint64_t kMostPhotons = 1u << 22;

const tiny_mc::PhotonStage& photon_stage(const std::string& name) {
  const auto* stage = dynamic_cast<const tiny_mc::PhotonStage*>(find_stage(name));
  if (stage == nullptr)
    throw Error(name + ": no such stage of tiny_mc; `ratchet list tiny_mc` shows them");
  return *stage;
}

void require_all_named(const std::filesystem::path& file,
                       const std::vector<const tiny_mc::PhotonStage*>& stages) {
  if (!std::filesystem::exists(file)) return;
  for (const std::string& name : tiny_mc::stages_in_heat_tsv(read_text(file))) {
    const bool named = std::any_of(stages.begin(), stages.end(),
                                   [&](const auto* stage) { return stage->info().name == name; });
    if (!named)
      throw Error(
          fmt::format("{} has a curve of {}, too; name that stage as well, or remove the file",
                      file.string(), name));
  }
}

void write_curves(const HeatOptions& options) {
  std::map<std::filesystem::path, std::vector<const tiny_mc::PhotonStage*>> files;
  const Fingerprint here{fingerprint_fields()};
  for (const std::string& name : options.stages)
    files[options.baselines / here.machine_slug(RowId(name).device()) / "tiny_mc_heat.tsv"]
        .push_back(&photon_stage(name));
  if (!options.to_stdout) {
    for (const auto& [file, stages] : files) require_all_named(file, stages);
  }
  const auto oracle =
      tiny_mc::read_heat_oracle(correctness::data_file("tiny_mc/oracles/heat_reference.tsv"));
  for (const auto& [file, stages] : files) {
    std::vector<tiny_mc::HeatCurve> curves;
    for (const tiny_mc::PhotonStage* stage : stages) {
      const std::uint64_t photons = options.photons != 0
                                        ? options.photons
                                        : std::min(kMostPhotons, stage->defaults().at("photons"));
      curves.push_back(tiny_mc::measure_heat(*stage, photons, options.runs, options.seed));
      if (!options.to_stdout) fmt::print("{}\n", tiny_mc::heat_summary(curves.back(), oracle));
    }
    const std::string tsv = tiny_mc::heat_tsv(curves, oracle);
    if (options.to_stdout) {
      fmt::print("{}", tsv);
    } else {
      write_atomically(file, tsv);
      fmt::print("{}\n", file.string());
    }
  }
}

}  // namespace
}  // namespace ratchet

int main(int argc, char** argv) {
  ratchet::HeatOptions options;
  CLI::App app("Writes the heat per shell that stages of tiny_mc leave");
  app.add_option("stages", options.stages, "names, such as tiny_mc/cpu/05_radial")->required();
  app.add_option("--photons", options.photons, "a run; by default the stage's, 2^22 at most");
  app.add_option("--runs", options.runs, "of fresh photons, 2 or more")->capture_default_str();
  app.add_option("--seed", options.seed, "of the random numbers")->capture_default_str();
  app.add_option("--baseline-dir", options.baselines, "where the machines' folders are")
      ->capture_default_str();
  app.add_flag("--stdout", options.to_stdout, "print the curves and write no file");
  try {
    app.parse(argc, argv);
    ratchet::write_curves(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const ratchet::Error& error) {
    fmt::print(stderr, "tiny_mc_heat: {}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
