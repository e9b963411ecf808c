// `ratchet reproduce`: the column "here" of a family's tables, measured row by row until all of it
// is there. Rows are launched as the gate launches them; the rest is what other commands measure,
// each in a process of its own. The folder is laid out like one of baselines, for the tables.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>

#include "kernels/contract/counted.h"
#include "kernels/contract/stage.h"
#include "perf/cli/help.h"
#include "perf/gate/baseline/accept.h"
#include "perf/gate/run/bench_program.h"
#include "perf/identity/build/build_options.h"
#include "perf/study/cli/commands.h"
#include "perf/study/report/tables.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/interruption.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

struct ReproduceOptions {
  std::string family;
  fs::path bench = default_bench();
  fs::path baselines = "baselines";
  fs::path results = "results";
  double budget_s = 600;
};

constexpr std::size_t kLaunches = 3;  ///< of each row; the tables show their median
constexpr double kSamples_s = 0.25;   ///< of one launch
constexpr double kVerify_s = 0.3;     ///< the in-situ check of a row
constexpr std::size_t kTogether =
    8;  ///< rows of a stage that share a process: what a kill may cost
constexpr const char* kRevision = "ratchet.revision";
constexpr const char* kWork = "ratchet.work";  ///< digests of what the rows execute

class Reproduction {
 public:
  explicit Reproduction(const ReproduceOptions& options)
      : options_(options),
        published_(report::read_published(published_file(options_.family, options_.baselines))),
        folder_(options.results / "reproduce"),
        file_(folder_ / "here" / (options.family + "_survey.json")),
        lock_(folder_, "reproducing into " + folder_.string()),
        until_s_(seconds_now() + options.budget_s) {
    for (const Flags& flags : {Flags(), Flags{"--ratchet_survey=true"}}) add_rows(flags);
    for (const report::PublishedTable& table : published_.tables)
      for (const report::PublishedRow& row : table.rows)
        for (const RowId& named : {RowId(row.stage), RowId(row.against)})
          if (const auto settings = named.settings(); settings)
            add_point({{named.stage(), *settings, {}, {}}});
    for (const report::MeasuredCell& cell : report::measured_cells(published_, report::Machine()))
      add_point(cell.rows);
    if (fs::exists(file_)) kept_ = read_measurements(file_);
    if (!kept_.rows.empty()) keep_same_code();
  }

  ExitCode run() {
    try {
      for (std::size_t round = 1; round <= kLaunches; ++round) {
        for (const std::vector<RowId>& rows : together()) launch(rows, round);
        if (round == 1) measure_the_rest();  // before rows are repeated
      }
    } catch (const Interrupted&) {  // what was measured is in the files
    }
    report();
    if (interruption() != 0) return after_interruption(interruption());
    if (!failures_.empty()) return ExitCode::failed;
    return rows_.empty() ? ExitCode::nothing_ran : ExitCode::pass;
  }

 private:
  using Flags = std::vector<std::string>;  ///< that make the program have a row

  /// Whose processes end with the budget.
  gate::RatchetProgram program(const Flags& flags) const {
    gate::ProgramOptions program{options_.bench};
    program.launch_limit_s = program.check_limit_s = std::max(1.0, until_s_ - seconds_now());
    program.flags = flags;
    return gate::RatchetProgram(program);
  }

  void add_rows(const Flags& flags) {
    const gate::Listing listing = program(flags).list();
    for (const RowId& row : listing.rows)
      if (row.family() == options_.family && flags_.emplace(row, flags).second)
        rows_.push_back(row);
    for (const auto& [stage, reason] : listing.unavailable)
      if (stage.family() == options_.family) missing_[stage] = reason;
  }

  /// A row for a cell that neither the program's rows nor its surveys fill: the first of `patterns`
  /// that the program has here.
  void add_point(const std::vector<report::RowPattern>& patterns) {
    const auto measured = [&](const report::RowPattern& pattern) {
      return std::any_of(rows_.begin(), rows_.end(),
                         [&](const RowId& row) { return pattern.match(row).has_value(); });
    };
    if (std::any_of(patterns.begin(), patterns.end(), measured)) return;
    for (const report::RowPattern& pattern : patterns) {
      const bool known = std::any_of(rows_.begin(), rows_.end(), [&](const RowId& row) {
        return row.stage() == pattern.stage;
      });
      if (!known || pattern.wanted.empty()) continue;
      Flags flags;
      for (const auto& [name, value] : pattern.wanted)
        flags.push_back(fmt::format("--ratchet_set={}={}", name, value));
      // Other stages may refuse the settings.
      for (const RowId& row : program(flags).list("^" + pattern.stage + "(/|$)").rows)
        if (pattern.match(row) && flags_.emplace(row, flags).second) rows_.push_back(row);
      if (measured(pattern)) return;
    }
  }

  /// "" where the program does not tell.
  std::string digest(const RowId& row) {
    const Flags& flags = flags_.at(row);
    if (!digests_.contains(flags)) digests_[flags] = program(flags).code_identity().digests;
    const auto found = digests_[flags].find(row);
    return found == digests_[flags].end() ? "" : found->second;
  }

  [[noreturn]] void refuse(const std::string& difference) const {
    throw Error(
        fmt::format("{} was measured with {}; move it away, or name another folder "
                    "(--results)",
                    file_.string(), difference));
  }

  /// Of what an earlier build measured, the rows whose code is the same in this one.
  void keep_same_code() {
    const std::string revision = kept_.context.value(kRevision, "unknown");
    if (revision == revision_) return;
    if (const auto here = program({}).code_identity().context; here.is_object())
      require_same_machine(here);  // before any of its files is removed
    const auto work = kept_.context.value(kWork, std::map<std::string, std::string>());
    std::map<RowId, Row> same;
    bool changed = false;  // otherwise a program only does not tell what a row executes
    for (auto& [name, row] : kept_.rows) {
      const auto found = work.find(name);
      const std::string before = found == work.end() ? "" : found->second;
      const std::string now = flags_.contains(name) ? digest(name) : "";
      if (!now.empty() && now == before) same.emplace(name, row);
      changed = changed || (!now.empty() && !before.empty() && now != before);
    }
    if (same.empty())
      refuse(fmt::format("revision {}, and this build is of {}", revision, revision_));
    if (same.size() < kept_.rows.size())
      std::cerr << fmt::format(
          "ratchet: {}: {} of {} rows are of revision {}, whose code for them is another or not "
          "known; they are measured anew{}\n",
          file_.string(), kept_.rows.size() - same.size(), kept_.rows.size(), revision,
          changed ? ", as are time sinks, counters and builds" : "");
    if (changed)
      for (const fs::path& of_old_code : {sinks(), builds(), counters()}) fs::remove(of_old_code);
    kept_.rows = std::move(same);
    kept_.context[kRevision] = revision_;
  }

  /// Figures of two machines are no column of one table.
  void require_same_machine(const nlohmann::json& here) const {
    std::string other;
    for (const auto& field :
         kept_.fingerprint().differences(Measurements{here, {}}.fingerprint(), Device::both))
      other = fmt::format("{} {}, and here it is {}", field.field, field.stored, field.here);
    if (!other.empty()) refuse(other);
  }

  /// In their order; those that share a process.
  std::vector<std::vector<RowId>> together() const {
    std::vector<std::vector<RowId>> all;
    for (const RowId& row : rows_) {
      const bool joins = !all.empty() && all.back().size() < kTogether &&
                         all.back().front().stage() == row.stage() &&
                         flags_.at(all.back().front()) == flags_.at(row);
      if (!joins) all.emplace_back();
      all.back().push_back(row);
    }
    return all;
  }

  bool over() const { return seconds_now() >= until_s_; }
  std::size_t launches_of(const RowId& row) const {
    const auto found = kept_.rows.find(row);
    return found == kept_.rows.end() ? 0 : found->second.launches.size();
  }
  std::size_t left() const {
    std::size_t count = 0;
    for (const RowId& row : rows_)
      if (!failures_.contains(row)) count += kLaunches - std::min(kLaunches, launches_of(row));
    return count;
  }

  /// In one process each for the check of the stage, those where rows are timed, and the samples.
  void launch(const std::vector<RowId>& together, std::size_t round) {
    std::vector<RowId> rows;
    for (const RowId& row : together)
      if (launches_of(row) < round && !failures_.contains(row)) rows.push_back(row);
    if (rows.empty() || over()) return;
    steps_.now(fmt::format("{} to go: {}", counted(left(), "launches"), rows.front()));
    std::map<RowId, gate::LaunchOutcome> outcomes;
    try {
      rows = right_of(rows);
      gate::LaunchRequest request;
      request.budget_s = kSamples_s * static_cast<double>(rows.size());
      request.verified_file = proofs();
      request.scratch = scratch_.path() / "launch.json";
      if (!rows.empty())
        outcomes = program(flags_.at(rows.front())).measure_together(rows, request);
    } catch (const Error& error) {  // of this stage alone: no mpirun, no data of its check
      for (const RowId& row : rows) fail(row, error.what());
      return;
    }
    for (const auto& [row, outcome] : outcomes)
      if (outcome.launch || rows.size() == 1)
        keep(row, outcome);
      else
        launch({row}, round);  // another row may have ended the process
  }

  fs::path beside(const std::string& suffix) const {
    return file_.parent_path() / (options_.family + suffix);
  }
  fs::path sinks() const { return beside("_timesink.json"); }
  fs::path builds() const { return beside("_build_settings.json"); }
  fs::path counters() const {
    return folder_ / "metrics" / "here-counters" / (options_.family + ".json");
  }
  fs::path proofs() const { return scratch_.path() / "verified.jsonl"; }

  bool passed(const gate::CheckOutcome& outcome) const {
    if (outcome.passed) std::ofstream(proofs(), std::ios::app) << outcome.line << "\n";
    return outcome.passed;
  }

  /// Those of a stage's rows that its check and their own find right; the others have failed.
  std::vector<RowId> right_of(const std::vector<RowId>& rows) {
    const RowId stage = rows.front().stage();
    const gate::RatchetProgram bench = program(flags_.at(rows.front()));
    if (!checked_.contains(stage)) {
      const gate::CheckOutcome outcome = bench.check(stage);
      checked_[stage] = passed(outcome) ? "" : "check: " + outcome.detail;
    }
    std::vector<RowId> unseen;
    for (const RowId& row : rows)
      if (checked_.at(stage).empty() && !checked_in_situ_.contains(row)) unseen.push_back(row);
    if (!unseen.empty())
      for (const auto& [row, outcome] : bench.verify_in_situ(unseen, kVerify_s))
        checked_in_situ_[row] = passed(outcome) ? "" : "in-situ check: " + outcome.detail;
    std::vector<RowId> right;
    for (const RowId& row : rows) {
      const std::string& wrong =
          checked_.at(stage).empty() ? checked_in_situ_[row] : checked_.at(stage);
      if (wrong.empty())
        right.push_back(row);
      else
        fail(row, wrong);
    }
    return right;
  }

  /// Unless it was the budget that ended the process.
  void fail(const RowId& row, const std::string& why) {
    if (!over()) failures_[row] = why;
  }

  void keep(const RowId& row, const gate::LaunchOutcome& outcome) {
    if (!outcome.launch) {
      fail(row, outcome.failure);
      return;
    }
    if (const auto wrong = complaint(*outcome.launch)) {
      fail(row, *wrong);
      return;
    }
    if (kept_.context.empty()) {
      kept_.context = outcome.context;
      for (const char* name : {"host_name", "executable"}) kept_.context.erase(name);
      kept_.context[kRevision] = revision_;  // only a survey's own output has it
    }
    require_same_machine(outcome.context);
    take_opencl(kept_.context, outcome.context);
    kept_.context[kWork][row] = digest(row);
    Row& kept = kept_.rows[row];
    kept.name = row;
    kept.launches.push_back(*outcome.launch);
    kept.launches.back().index = static_cast<int>(kept.launches.size()) - 1;
    write_atomically(file_, to_text(kept_));
  }

  /// This program with these arguments; its stdout. A refusal becomes the reason why `what` is
  /// missing.
  std::optional<std::string> ask(const std::string& what, std::vector<std::string> command) {
    command.insert(command.begin(), own_executable().string());
    return output_of(what, command);
  }

  std::optional<std::string> output_of(const std::string& what,
                                       const std::vector<std::string>& command) {
    steps_.now("measuring " + what);
    const ProcessResult result = run_process(command, std::max(1.0, until_s_ - seconds_now()));
    if (result.ok()) return result.output;
    if (over()) return std::nullopt;
    const bool cannot = result.exit_code == static_cast<int>(ExitCode::nothing_ran) ||
                        result.exit_code == static_cast<int>(ExitCode::undecided);
    (cannot ? missing_ : failures_)[what] =
        result.last_error().empty() ? result.describe() : result.last_error();
    return std::nullopt;
  }

  void measure_the_rest() {
    if (const auto peaks = file_.parent_path() / "peaks.json"; !fs::exists(peaks) && !over())
      if (const auto json = ask("peaks", {"peaks", "--json"})) write_atomically(peaks, *json);
    for (const report::PublishedTable& table : published_.tables) {
      if (table.kind == report::TableKind::timesink && !fs::exists(sinks()) && !over())
        ask(table.title,
            {"timesink", "^" + table.stage + "$", "--store", sinks().string(), "--uncommitted"});
      if (table.kind == report::TableKind::builds) measure_builds(table.title);
    }
    if (!fs::exists(counters()) && !over()) read_counters();
  }

  /// By a script of the sources, which builds the stages with each setting.
  void measure_builds(const std::string& title) {
    if (fs::exists(builds()) || over()) return;
    if (!fs::exists("ci/lab/__main__.py")) {
      missing_[title] = "call it in the sources, whose ci/lab builds and measures it";
      return;
    }
    const double each_s = std::clamp((until_s_ - seconds_now()) / 5, 20.0, 60.0);
    output_of(title, {"python3", "ci/lab", "build-settings", builds().string(), "--ratchet",
                      own_executable().string(), "--budget-s", fmt::format("{:.0f}", each_s)});
  }

  /// The command names the folder after the GPU.
  void read_counters() {
    const ScratchFolder scratch;
    if (!ask(report::kGpuCounters,
             {"metrics", "^" + options_.family + "/", "--counters", "--accept", "--uncommitted",
              "--reason", "ratchet reproduce", "--baseline-dir", scratch.path().string()}))
      return;
    for (const fs::path& basis : sorted_entries(scratch.path() / "metrics"))
      for (const fs::path& path : sorted_entries(basis))
        write_atomically(counters().parent_path() / path.filename(), read_text(path));
  }

  /// Why this is not here, if that is known.
  std::string reason_for(const RowId& what) const {
    if (const auto found = missing_.find(what); found != missing_.end()) return found->second;
    const auto found = failures_.find(what);
    return found == failures_.end() ? "" : found->second;
  }

  std::string reason_for(const report::MeasuredCell& cell) const {
    if (!cell.from.empty()) {
      if (const std::string why = reason_for(RowId(cell.from)); !why.empty()) return why;
      return cell.from != report::kGpuCounters && fs::exists(builds()) && fs::exists(sinks())
                 ? "no program with this setting has the stage"
                 : "not measured yet";
    }
    if (cell.stage.empty()) return "no stage computes it";
    if (const std::string why = reason_for(cell.stage); !why.empty()) return why;
    bool listed = false;
    for (const RowId& row : rows_) {
      if (row.stage() != cell.stage.stage()) continue;
      if (const std::string why = reason_for(row); !why.empty()) return why;
      if (launches_of(row) == 0) return "not measured yet";
      listed = true;
    }
    return listed ? "no row or point of its survey has these settings on this machine"
                  : "not a row of this machine";
  }

  /// How many cells of the article's tables are filled, and a line for each that is not.
  void report_cells() const {
    report::Machine here;
    for (report::Machine& machine : report::machines_with(options_.family, folder_, {}))
      here = std::move(machine);
    const auto cells = report::measured_cells(published_, here);
    for (const report::MeasuredCell& cell : cells)
      if (cell.text.empty())
        std::cout << fmt::format("empty cell: {}: {}\n", cell.place, reason_for(cell));
    std::cout << "cells of the tables that are filled: " << report::filled(cells) << "\n";
  }

  /// What is there, and a line for each thing that is not.
  void report() {
    std::size_t complete = 0;
    for (const RowId& row : rows_) complete += launches_of(row) >= 1 ? 1 : 0;
    for (const auto& [what, reason] : missing_)
      std::cout << fmt::format("not here: {}: {}\n", what, reason);
    for (const auto& [what, reason] : failures_)
      std::cout << fmt::format("failed: {}: {}\n", what, reason);
    report_cells();
    std::cout << fmt::format("{} of {} rows have figures, in {}\n", complete, rows_.size(),
                             file_.string());
    if (const std::size_t launches = left(); launches > 0)
      std::cout << fmt::format("{}: {} {} left; the same command continues (--budget-s)\n",
                               interruption() != 0 ? "interrupted" : "the budget is spent",
                               counted(launches, "launches"), launches == 1 ? "is" : "are");
    if (complete > 0)
      std::cout << fmt::format("`ratchet tables {}` shows them as \"here\"\n", options_.family);
  }

  ReproduceOptions options_;
  report::Published published_;
  fs::path folder_, file_;
  FolderLock lock_;
  double until_s_;
  std::string revision_ = built_revision(options_.bench);
  std::map<Flags, std::map<RowId, std::string>> digests_ = {};  ///< by the flags of the program
  std::vector<RowId> rows_;  ///< in the program's order, surveys and points last
  std::map<RowId, Flags> flags_;
  Measurements kept_;
  std::map<RowId, std::string> checked_;  ///< by stage, what its check says; "": passed
  std::map<RowId, std::string> checked_in_situ_;
  std::map<RowId, std::string> missing_;   ///< not possible here, with the reason
  std::map<RowId, std::string> failures_;  ///< possible, but wrong
  ScratchFolder scratch_;
  Phase steps_;
};

}  // namespace

void add_reproduce_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ReproduceOptions>();
  CLI::App* command =
      app.add_subcommand("reproduce", "measure all tables of an article that this machine can");
  command->add_option("FAMILY", options->family, "a family, such as graveler")->required();
  command
      ->add_option("--budget-s", options->budget_s,
                   "wall time, at least that of the longest launch; the same command continues")
      ->option_text("SECONDS")
      ->check(CLI::Range(0.1, 86400.0 * 7))
      ->capture_default_str();
  command
      ->add_option("--results", options->results,
                   "folder of the results, for `ratchet tables --results`")
      ->option_text("DIR")
      ->capture_default_str();
  command->add_option("--baseline-dir", options->baselines, "folder of the baselines")
      ->option_text("DIR")
      ->capture_default_str();
  command->add_option("--bench", options->bench, "program to measure; default: ratchet-bench")
      ->option_text("FILE");
  command->footer(
      "Exit codes: 0 measured, or the budget is spent, 2 a row failed, or the command, 77 nothing "
      "can run here, 130 or 143 interrupted.\n"
      "Example:\n"
      "  ratchet reproduce graveler --budget-s 1800");
  command->callback([options, &exit_code] {
    catch_interruption();
    exit_code = static_cast<int>(Reproduction(*options).run());
  });
}

}  // namespace ratchet
