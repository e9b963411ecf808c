#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "kernels/contract/counted.h"
#include "perf/gate/selftest/selftest.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/stats/quantile.h"
#include "perf/support/interruption.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

using nlohmann::json;

json rounded(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values) list.push_back(tidy_number(value));
  return list;
}

SelftestRow row_of(const Node& entry) {
  SelftestRow row;
  row.verdict = verdict_in(entry);
  row.ratio = entry.at("ratio").positive();
  row.detectable = entry.at("detectable").number();
  row.pairs.log_ratios = entry.at("log_ratios").numbers();
  row.pairs.reference = entry.at("reference").numbers();
  if (entry.has("clock")) row.pairs.clock = entry.at("clock").numbers();  // absent in older records
  return row;
}

SelftestRun run_of(const Node& entry) {
  SelftestRun run;
  run.slowdown = entry.at("slowdown").number();
  run.neighbour = entry.at("neighbour").truth();
  run.seconds = entry.at("seconds").number();
  run.measuring_s = entry.at("measuring_s").number();
  for (const auto& [name, row] : entry.at("rows").members()) run.rows[name] = row_of(row);
  return run;
}

Fingerprint machine_of(const json& context) {
  Measurements measurements;
  measurements.context = context;
  return measurements.fingerprint();
}

/// What the rows of a record depend on: a GPU's rows do not depend on the CPU.
Device device_of_rows(const Node& context) {
  if (!context.has("selftest")) return Device::both;
  std::set<Device> devices;
  for (const Node& row : context.at("selftest").at("rows").list())
    devices.insert(RowId(row.text()).device());
  return devices.size() == 1 ? *devices.begin() : Device::both;
}

void add_context(const Node& context, const std::string& where, SelftestRecord& record) {
  context.members();  // an object
  if (record.context.is_null()) record.context = context.value();
  const auto differences =
      machine_of(record.context).differences(machine_of(context.value()), device_of_rows(context));
  if (!differences.empty())
    throw Error(fmt::format(
        "{} is a record of another machine: {} is {} there, {} here; name another file with "
        "--record",
        where, differences.front().field, differences.front().stored, differences.front().here));
}

/// Whether runs of both belong into one table: of the same rows, by the same slowdowns and budget.
bool belong_together(const json& one, const json& other) {
  for (const char* key : {"rows", "slowdowns", "run_budget_s", "neighbour"})
    if (one.contains(key) && other.contains(key) && one.at(key) != other.at(key)) return false;
  return true;
}

/// FILE.1, or the first number that is free.
std::filesystem::path free_name(const std::filesystem::path& file) {
  for (int number = 1;; ++number) {
    std::filesystem::path name = file;
    name.replace_extension(fmt::format(".{}{}", number, file.extension().string()));
    if (!std::filesystem::exists(name)) return name;
  }
}

void read_file(const std::filesystem::path& file, SelftestRecord& record) {
  std::istringstream lines(read_text(file));
  std::size_t number = 0;
  for (std::string text; std::getline(lines, text);) {
    const std::string where = fmt::format("{}, line {}", file.string(), ++number);
    const json parsed = parse_json(text, where);
    const Node line(parsed, where);
    if (!line.has("context")) {
      if (number == 1) throw Error(where + " is not a selftest record: it has no \"context\"");
      record.runs.push_back(run_of(line));
      continue;
    }
    add_context(line.at("context"), where, record);
  }
}

}  // namespace

SelftestWriter::SelftestWriter(const SelftestOptions& options, const std::set<RowId>& rows)
    : file_(options.record) {
  std::error_code error;
  if (file_.has_parent_path())
    made_folder_ = std::filesystem::create_directories(file_.parent_path(), error);
  if (error)
    throw Error(fmt::format("the folder {} cannot be made: {}; --results names another",
                            file_.parent_path().string(), error.message()));
  made_file_ = !std::filesystem::exists(file_, error);
  if (made_file_) at_end_ = remove_at_end(file_);
  stream_.open(file_, std::ios::app);
  json context = json::object();
  auto fields = fingerprint_fields();
  if (std::any_of(rows.begin(), rows.end(),
                  [](const RowId& row) { return row.device() == Device::opencl; }))
    fields.merge(opencl_fields());
  for (const auto& [key, value] : fields) context[key] = value;
  context["selftest"] = {{"rows", rows},
                         {"runs", options.runs},
                         {"slowed_runs", options.slowed_runs},
                         {"slowdowns", rounded(options.slowdowns)},
                         {"run_budget_s", options.run_budget_s},
                         {"neighbour", options.neighbour},
                         {"seed", options.seed}};
  if (std::filesystem::is_regular_file(file_, error)) {  // before hours of runs are added to it
    SelftestRecord before;
    read_file(file_, before);
    add_context(Node(context, file_.string()), file_.string(), before);
    if (before.context.contains("selftest") &&
        !belong_together(before.context.at("selftest"), context.at("selftest")))
      set_aside_ = free_name(file_);
  }
  context_ = std::move(context);
  line("");  // a file that cannot be written is known before hours of runs
}

SelftestWriter::~SelftestWriter() {
  if (!made_file_) return;
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
  if (made_folder_) std::filesystem::remove(file_.parent_path(), ignored);  // if it is empty
  keep_at_end(at_end_);
}

void SelftestWriter::add(const SelftestRun& run) {
  json rows = json::object();
  for (const auto& [name, row] : run.rows)
    rows[name] = {{"verdict", row.verdict},
                  {"ratio", tidy_number(row.ratio)},
                  {"detectable", tidy_number(row.detectable)},
                  {"log_ratios", rounded(row.pairs.log_ratios)},
                  {"reference", rounded(row.pairs.reference)},
                  {"clock", rounded(row.pairs.clock)}};
  if (!context_.is_null() && !set_aside_.empty()) {
    stream_.close();
    std::filesystem::rename(file_, set_aside_);
    stream_.open(file_);
  }
  std::string lines;
  if (!context_.is_null()) lines = json{{"context", context_}}.dump() + "\n";
  const json of_run = {{"slowdown", tidy_number(run.slowdown)},
                       {"neighbour", run.neighbour},
                       {"seconds", tidy_number(run.seconds)},
                       {"measuring_s", tidy_number(run.measuring_s)},
                       {"rows", rows}};
  line(lines + of_run.dump() + "\n");
  context_ = nullptr;
  if (made_file_) keep_at_end(at_end_);
  made_file_ = false;
}

void SelftestWriter::line(const std::string& text) {
  stream_ << text << std::flush;
  if (!stream_)
    throw Error(fmt::format("{} cannot be written: {}", file_.string(), std::strerror(errno)));
}

std::string words(const SelftestRun& run) {
  VerdictCounts counts;
  for (const auto& [name, row] : run.rows) counts.add(row.verdict);
  return counts.text();
}

SelftestRecord read_selftest(const std::vector<std::filesystem::path>& files) {
  SelftestRecord record;
  for (const auto& file : files) read_file(file, record);
  if (record.runs.empty())
    throw Error(fmt::format("{} holds no run; `ratchet selftest --record FILE` adds some",
                            files.empty() ? "the record" : files.front().string()));
  return record;
}

bool holds_runs(const std::filesystem::path& file) {
  SelftestRecord record;
  read_file(file, record);
  return !record.runs.empty();
}

namespace {

bool has(const SelftestRun& run, Verdict verdict) {
  for (const auto& [name, row] : run.rows) {
    if (row.verdict == verdict) return true;
  }
  return false;
}

template <class Wanted>
SelftestSummary::Alarms alarms(const SelftestRecord& record, bool neighbour, Wanted&& wanted) {
  std::size_t runs = 0, slower = 0, faster = 0, undecided = 0;
  for (const SelftestRun& run : record.runs) {
    if (run.slowdown != 0 || !wanted(run)) continue;
    ++runs;
    slower += has(run, Verdict::slower);
    faster += has(run, Verdict::faster);
    undecided += has(run, Verdict::undecided) && !has(run, Verdict::slower);
  }
  return {neighbour, rate(slower, runs), rate(faster, runs), rate(undecided, runs)};
}

void add_detections(const SelftestRecord& record, SelftestSummary& summary) {
  struct Count {
    std::size_t rows = 0, slower = 0, same = 0;
    std::vector<double> effects;
  };
  std::map<std::pair<double, bool>, Count> counts;
  for (const SelftestRun& run : record.runs) {
    if (run.slowdown == 0) continue;
    Count& count = counts[{run.slowdown, run.neighbour}];
    for (const auto& [name, row] : run.rows) {
      ++count.rows;
      count.slower += row.verdict == Verdict::slower;
      count.same += row.verdict == Verdict::same;
      count.effects.push_back(1 / row.ratio - 1);
    }
  }
  for (const auto& [key, count] : counts)
    summary.detections.push_back({key.first, key.second, rate(count.slower, count.rows),
                                  rate(count.same, count.rows), stats::median(count.effects)});
}

/// Whether the record bears out a detectable slowdown: as large ones were injected, and nine in ten
/// of them called slower.
bool is_borne_out(const SelftestRecord& record, const std::string& name, double detectable) {
  std::size_t injected = 0, detected = 0;
  for (const SelftestRun& run : record.runs) {
    const auto row = run.rows.find(name);
    if (run.slowdown == 0 || run.slowdown < detectable || row == run.rows.end()) continue;
    ++injected;
    detected += row->second.verdict == Verdict::slower;
  }
  return injected > 0 && 10 * detected >= 9 * injected;
}

std::string text(const Rate& rate) {
  return fmt::format("{:.1f} % ({} of {}; {:.1f} ... {:.1f} %)", 100 * rate.share(), rate.hits,
                     rate.of, 100 * rate.low, 100 * rate.high);
}

}  // namespace

Rate rate(std::size_t hits, std::size_t of) {
  using boost::math::binomial_distribution;
  if (of == 0) return {};
  const auto n = static_cast<double>(of);
  const auto k = static_cast<double>(hits);
  constexpr double half_error = 0.025;
  return {hits, of,
          hits == 0 ? 0 : binomial_distribution<>::find_lower_bound_on_p(n, k, half_error),
          hits == of ? 1 : binomial_distribution<>::find_upper_bound_on_p(n, k, half_error)};
}

SelftestSummary summarize(const SelftestRecord& record) {
  SelftestSummary summary;
  for (const bool neighbour : {false, true}) {
    const auto found = alarms(record, neighbour,
                              [&](const SelftestRun& run) { return run.neighbour == neighbour; });
    if (found.slower.of > 0) summary.alarms.push_back(found);
  }
  add_detections(record, summary);
  std::map<std::string, std::vector<double>> detectable;
  double seconds = 0, measuring = 0;
  for (const SelftestRun& run : record.runs) {
    seconds += run.seconds;
    measuring += run.measuring_s;
    if (run.slowdown != 0) continue;
    for (const auto& [name, row] : run.rows) {
      auto& effects = detectable[name];
      if (row.detectable > 0) effects.push_back(row.detectable);
    }
  }
  for (const auto& [name, values] : detectable)
    if (!values.empty() && is_borne_out(record, name, stats::median(values)))
      summary.detectable[name] = stats::median(values);
  summary.unknown = detectable.size() - summary.detectable.size();
  summary.overhead = seconds > 0 ? 1 - measuring / seconds : 0;
  return summary;
}

std::string unknown_text(const SelftestSummary& summary) {
  if (summary.unknown == 0) return "";
  return fmt::format(
      "Of {} the smallest slowdown that is detected is unknown.",
      counted(summary.unknown, summary.detectable.empty() ? "rows" : "further rows"));
}

json to_json(const SelftestSummary& summary) {
  const auto rate_json = [](const Rate& rate) {
    return json{{"share", tidy_number(rate.share())},
                {"hits", rate.hits},
                {"of", rate.of},
                {"low", tidy_number(rate.low)},
                {"high", tidy_number(rate.high)}};
  };
  json value = {{"format", 1},
                {"same_against_same", json::array()},
                {"slowed", json::array()},
                {"detectable", json::object()},
                {"unknown", summary.unknown},
                {"overhead", tidy_number(summary.overhead)}};
  for (const auto& alarms : summary.alarms)
    value["same_against_same"].push_back({{"busy_neighbour", alarms.neighbour},
                                          {"runs_slower", rate_json(alarms.slower)},
                                          {"runs_faster", rate_json(alarms.faster)},
                                          {"runs_undecided", rate_json(alarms.undecided)}});
  for (const auto& detection : summary.detections)
    value["slowed"].push_back({{"slowdown", tidy_number(detection.slowdown)},
                               {"measured", tidy_number(detection.measured)},
                               {"busy_neighbour", detection.neighbour},
                               {"rows_slower", rate_json(detection.slower)},
                               {"rows_same", rate_json(detection.same)}});
  for (const auto& [name, effect] : summary.detectable)
    value["detectable"][name] = tidy_number(effect);
  return value;
}

std::string selftest_table(const SelftestRecord& record, bool explained) {
  const auto says = [&](const char* sentence) { return explained ? sentence : ""; };
  const SelftestSummary summary = summarize(record);
  const auto load_text = [](bool neighbour) { return neighbour ? "busy neighbour" : "alone"; };
  std::string out =
      says("The program against itself: whatever is called slower or faster is a false alarm.\n\n");
  out +=
      "| same against same | runs called slower | runs called faster | runs undecided |\n"
      "| --- | --- | --- | --- |\n";
  for (const auto& alarms : summary.alarms)
    out += fmt::format("| {} | {} | {} | {} |\n", load_text(alarms.neighbour), text(alarms.slower),
                       text(alarms.faster), text(alarms.undecided));
  out += says(
      "\nOne side slowed on purpose: slower is right, same is a miss where the slowdown exceeds "
      "the "
      "tolerance.\n");
  out +=
      "\n| slowed by | measured | | rows called slower | rows called same |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const auto& detection : summary.detections)
    out += fmt::format("| {:.1f} % | {:.2f} % | {} | {} | {} |\n", 100 * detection.slowdown,
                       100 * detection.measured, load_text(detection.neighbour),
                       text(detection.slower), text(detection.same));
  if (!summary.detectable.empty())
    out += says("\nWhat a run of this length sees:\n") +
           std::string("\n| row | smallest slowdown detected nine times in ten |\n| --- | --- |\n");
  for (const auto& [name, effect] : summary.detectable)
    out += fmt::format("| `{}` | {:.2f} % |\n", name, 100 * effect);
  if (const std::string unknown = unknown_text(summary); !unknown.empty())
    out += "\n" + unknown +
           says(
               " The runs were too short, none as large was injected, or too few of those were "
               "called slower: a longer --run-budget-s, larger --slowdowns or more --slowed-runs "
               "may show it.") +
           "\n";
  out += fmt::format("\nOverhead of the gate: {:.1f} % of the time.\n", 100 * summary.overhead);
  return out;
}

}  // namespace ratchet::gate
