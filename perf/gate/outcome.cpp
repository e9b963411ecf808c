#include "perf/gate/outcome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <set>

#include "perf/gate/baseline/metric.h"
#include "perf/measure/doctor/checks.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/git.h"
#include "perf/support/hash.h"
#include "perf/support/interruption.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"

namespace ratchet::gate {

Circumstances circumstances_now() {
  Circumstances now;
  now.id = random_id();
  now.began = utc_now();
  double load[3];
  if (getloadavg(load, 3) == 3) now.load.assign(load, load + 3);
  const doctor::SystemFiles files;
  for (const auto& some : {doctor::check_cpus(files), doctor::check_system(files),
                           doctor::check_gpus(doctor::read_gpus(), files)})
    now.machine.insert(now.machine.end(), some.begin(), some.end());
  return now;
}

nlohmann::json to_json(const Circumstances& circumstances) {
  nlohmann::json load = nlohmann::json::array();
  for (const double average : circumstances.load) load.push_back(tidy_number(average));
  nlohmann::json made = {{"id", circumstances.id},
                         {"began", circumstances.began},
                         {"load", load},
                         {"doctor", doctor::to_json(circumstances.machine)},
                         {"seconds", tidy_number(circumstances.seconds)},
                         {"budget_s", tidy_number(circumstances.budget_s)},
                         {"against", circumstances.against},
                         {"commands", circumstances.commands}};
  made.update(to_json(circumstances.provenance));
  for (const Override& each : circumstances.overrides) made["accepts"].push_back(to_json(each));
  return made;
}

std::string clock_words(ClockChoice clock) {
  if (clock == ClockChoice::automatic) return "";
  return clock == ClockChoice::cpu ? " --clock cpu" : " --clock wall";
}

Ending ending_of(const Outcome& outcome) {
  Ending ending(outcome.reports);
  ending.loss = !outcome.lost.empty();
  if (outcome.interrupted) ending.interruption = interruption();
  return ending;
}

std::string metric_words(const ProgramOptions& bench) {
  if (wants_no_metrics(bench.metrics)) return "";
  std::set<std::string> texts, named;
  for (const Metric& metric : read_metrics(bench.metrics, bench.direction))
    named.insert(metric.name);
  for (const auto& [row, kind] : bench.stored_metrics) {
    const Metric metric{row.text().substr(row.text().rfind('/') + 1), kind};
    if (!named.contains(metric.name)) texts.insert(to_text(metric));
  }
  std::string words;
  for (const std::string& text : texts) words += " --metric " + shell_quoted(text);
  return words;
}

std::string argument_words(const std::vector<std::string>& arguments) {
  std::string words = arguments.empty() ? "" : " --";
  for (const std::string& argument : arguments) words += " " + shell_quoted(argument);
  return words;
}

namespace {

std::string bench_words(const GateCall& call) {
  if (!call.command.empty()) return " --exec " + shell_quoted(call.command);
  return call.bench == own_executable().parent_path() / "ratchet-bench"
             ? ""
             : " --bench " + shell_quoted(call.bench);
}

std::string given_to(const GateCall& call, const std::string& command) {
  const auto given = call.given.find(command);
  return given == call.given.end() ? "" : given->second;
}

}  // namespace

std::map<std::string, std::string> gate_commands(const GateCall& call) {
  const std::string program = shell_quoted(call.program);
  const std::string bench = bench_words(call);
  const std::string base = call.base.empty() ? "" : " --base " + shell_quoted(call.base);
  const std::string baselines = " --baseline-dir " + shell_quoted(call.baselines);
  std::map<std::string, std::string> commands;
  commands["repeat"] = program + " gate {row}" + bench + (base.empty() ? baselines : base) +
                       given_to(call, "gate") + call.arguments;
  if (base.empty())
    commands["accept"] = fmt::format("{} accept {{row}} --from {}{}{} --reason \"WHY\"", program,
                                     shell_quoted(call.results / "gate.json"), baselines,
                                     call.checked ? "" : " --allow-unverified");
  if (call.recordable || call.explainable) {
    commands["explain"] = program + " explain {row}" + bench + (base.empty() ? baselines : base) +
                          given_to(call, "explain");
    if (!call.explainable)  // its results are the recording, and that runs the program
      commands["explain"] +=
          (call.results == "results" ? "" : " --results " + shell_quoted(call.results)) +
          call.arguments;
  }
  if (call.explainable && call.profiles)
    commands["profile"] = program + " profile {row}" + bench + given_to(call, "profile");
  return commands;
}

BisectOffer offer_bisect(const GateCall& call, const std::filesystem::path& repository,
                         const std::string& good) try {
  const std::string bad = resolve_revision(repository, "HEAD");
  if (!is_ancestor(repository, good) || good == bad) return {};
  const std::string between = ask_git(repository, {"rev-list", "--count", good + ".." + bad});
  if (trimmed(between) == "1") return {};  // it is the commit
  if (const std::string changed = first_change(repository, {call.baselines}); !changed.empty())
    return {"", changed + " has uncommitted changes: commit them, and repeat the gate"};
  return {fmt::format("{} bisect {:.12} {:.12} {{row}}{}{}{}", shell_quoted(call.program), good,
                      bad, bench_words(call), given_to(call, "bisect"), call.arguments),
          ""};
} catch (const Error&) {  // no repository
  return {};
}

std::vector<RowId> rows_to_accept(const std::vector<RowReport>& reports) {
  std::vector<RowId> rows;
  bool settled = true;
  for (const RowReport& report : reports) {
    const Verdict verdict = report.verdict;
    if (verdict == Verdict::uncompared) return {};
    settled &= verdict != Verdict::missing && verdict != Verdict::changed;
    if (verdict == Verdict::missing || verdict == Verdict::changed || verdict == Verdict::added)
      rows.push_back(report.name);
  }
  return settled ? std::vector<RowId>() : rows;
}

namespace {

/// The place of `words` outside of quotes.
std::size_t find_unquoted(const std::string& command, const std::string& words) {
  bool quoted = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (!quoted && command.compare(i, words.size(), words) == 0) return i;
    quoted ^= command[i] == '\'';
  }
  return std::string::npos;
}

}  // namespace

std::string command_for(const std::string& command, const RowId& row, const std::string& option) {
  std::string text = command;
  if (const std::size_t value = option.find(' ', 1); value != std::string::npos) {
    const std::string name = option.substr(0, value + 1);
    const std::size_t given = find_unquoted(text, name);
    if (given < find_unquoted(text, " -- "))  // the program's own come after
      text.erase(given, text.find(' ', given + name.size()) - given);
  }
  const std::size_t place = text.find("{row}");
  if (place != std::string::npos) text.replace(place, 5, shell_quoted(row) + option);
  return text;
}

std::string shell_quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-./:=@%+,{}") == std::string::npos;
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

}  // namespace ratchet::gate
