#include "perf/bench/options.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "kernels/support/error.h"

namespace ratchet::bench {
namespace {

/// The value of "--name=value", if `argument` is that flag.
std::optional<std::string> value_of(std::string_view argument, std::string_view name) {
  if (argument.substr(0, 2) != "--") return std::nullopt;
  argument.remove_prefix(2);
  if (argument.substr(0, name.size()) != name || argument.size() == name.size() ||
      argument[name.size()] != '=')
    return std::nullopt;
  return std::string(argument.substr(name.size() + 1));
}

/// "--name" alone, or with a value that says yes or no.
std::optional<bool> switch_of(std::string_view argument, std::string_view name) {
  if (argument == "--" + std::string(name)) return true;
  const auto value = value_of(argument, name);
  if (!value) return std::nullopt;
  if (*value == "true" || *value == "1" || *value == "yes") return true;
  if (*value == "false" || *value == "0" || *value == "no") return false;
  throw Error("--" + std::string(name) + ": '" + *value + "' is neither true nor false");
}

double positive(const std::string& text, const char* flag) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (text.empty() || status != std::errc() || stop != end || !(value > 0) || value > 1e6)
    throw Error(std::string("--") + flag + ": '" + text + "' is not a positive number up to 1e6");
  return value;
}

std::pair<std::string, std::string> assignment(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size())
    throw Error("--ratchet_set: '" + text + "' must read name=value");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// True when the argument is used up.
bool take(const std::string& argument, Options& options) {
  const auto text = [&](const char* name, std::string& target) {
    const auto value = value_of(argument, name);
    if (value) target = *value;
    return value.has_value();
  };
  const auto toggle = [&](const char* name, bool& target) {
    const auto value = switch_of(argument, name);
    if (value) target = *value;
    return value.has_value();
  };
  const auto number = [&](const char* name, std::optional<double>& target) {
    const auto value = value_of(argument, name);
    if (value) target = positive(*value, name);
    return value.has_value();
  };
  if (const auto value = value_of(argument, "ratchet_fingerprint")) {
    if (*value != "all" && *value != "needed")
      throw Error("--ratchet_fingerprint: '" + *value + "' is neither all nor needed");
    options.fingerprint_needed = *value == "needed";
    return true;
  }
  if (const auto value = value_of(argument, "ratchet_set")) {
    options.set.push_back(assignment(*value));
    return true;
  }
  return text("benchmark_filter", options.filter) || text("benchmark_format", options.format) ||
         text("benchmark_out_format", options.out_format) ||
         toggle("benchmark_list_tests", options.list) || text("ratchet_input", options.input) ||
         number("ratchet_budget_s", options.budget_s) ||
         number("ratchet_precision", options.precision) ||
         number("ratchet_slowdown", options.slowdown) || text("ratchet_rows", options.rows_file) ||
         text("ratchet_samples", options.samples_file) ||
         toggle("ratchet_survey", options.survey) ||
         toggle("ratchet_check_only", options.check_only) ||
         toggle("ratchet_skip_check", options.skip_check) ||
         toggle("ratchet_profile", options.profile) ||
         text("ratchet_verified", options.verified_file) ||
         text("ratchet_limits", options.limits_file) || toggle("help", options.help);
}

void from_environment(const char* name, std::string& target) {
  if (const char* value = std::getenv(name); value && *value) target = value;
}

void require_format(const std::string& format, const char* flag) {
  if (format != "console" && format != "json")
    throw Error(std::string("--") + flag + ": '" + format +
                "' is not supported, give console or json");
}

}  // namespace

Options parse_options(int& argc, char** argv) {
  Options options;
  from_environment("BENCHMARK_FILTER", options.filter);
  from_environment("BENCHMARK_FORMAT", options.format);
  from_environment("BENCHMARK_OUT", options.out);
  from_environment("BENCHMARK_OUT_FORMAT", options.out_format);
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (take(argument, options)) continue;
    if (argument.rfind("--ratchet_", 0) == 0)
      throw Error("unknown flag or missing value: " + argument + "; see --help");
    if (const auto value = value_of(argument, "benchmark_out")) options.out = *value;
    argv[kept++] = argv[i];
  }
  argc = kept;
  argv[argc] = nullptr;
  if (options.slowdown && *options.slowdown > 1)
    throw Error("--ratchet_slowdown: a share of the row's own time, at most 1 (0.02 is 2 %)");
  require_format(options.format, "benchmark_format");
  require_format(options.out_format, "benchmark_out_format");
  return options;
}

const char* help_text() {
  return R"(ratchet-bench: times the stages of the registry, as a Google Benchmark program.

  --benchmark_filter=REGEX     rows to run (a leading - inverts); rows are named like the stages,
                               sweep points STAGE/parameter:value
  --benchmark_list_tests       list the rows that can run here
  --benchmark_format=console|json   --benchmark_out=FILE   --benchmark_out_format=json|console
                               and Google Benchmark's other flags
  --ratchet_set=NAME=VALUE     set a parameter in every stage that has it (repeatable); it joins
                               the row's name. NAME=VALUE,VALUE,... makes a row of each
  --ratchet_input=FILE         start from this file instead of the generated input, in stages that
                               read one (life: a pattern, RLE or plaintext); its name joins the
                               row's name
  --ratchet_survey             the stages' surveys in place of their rows: points that are too many,
                               or too large, for every run of the gate. The output is for
                               baselines/<machine>/<family>_survey.json
  --ratchet_budget_s=SECONDS   time for the samples of one row (default 1), warm-up apart
  --ratchet_precision=SHARE    stop when the median is known this well (GPU 0.002, CPU 0.01)
  --ratchet_check_only         check the stages, time nothing; prints JSON lines
                               {name, passed, detail, token}
  --ratchet_verified=FILE      lines of an earlier --ratchet_check_only of this same binary since
                               the last boot: stages that passed there are not checked again
  --ratchet_skip_check         check nothing; rows without a valid line say verified: 0
  --ratchet_rows=FILE          append a line of JSON: the context, then each row as soon as it is
                               done, so that a crash in a later row loses none
  --ratchet_slowdown=SHARE     make every row slower by this share of its time, by extra work
                               inside the timed act: for measuring what a gate detects
  --ratchet_fingerprint=all|needed  needed: leave gpu.* out of the context when no row uses the
                               GPU; saves its start-up (default all)
  --ratchet_limits=FILE        output of `ratchet limits --json`: adds limit_percent
  --ratchet_samples=FILE       appends a line per row: {"row", "samples": [seconds of each sample]}
  --ratchet_profile            for Nsight: no check, no warm-up, 1 to 3 runs, timed by events
  Environment: RATCHET_TIMER=cupti|events|wall|opencl

Exit codes: 0 every row was measured; 2 bad input, a failed check or a failed row (the output is
complete, the row says why); 77 nothing that was asked for can run on this machine.
)";
}

}  // namespace ratchet::bench
