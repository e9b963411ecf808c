#include "perf/measure/bench/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <set>

#include "perf/support/error.h"
#include "perf/support/process.h"

namespace ratchet::bench {
namespace {

/// Checks the text itself, so that CLI11 does not reject it with its own message.
CLI::Validator positive_up_to(double most, const std::string& what) {
  return CLI::Validator(
      [=](const std::string& text) {
        double value = 0;
        const bool is_number = CLI::detail::lexical_cast(text, value);
        return is_number && value > 0 && value <= most ? "" : "'" + text + "' is not " + what;
      },
      "");
}

CLI::Validator assignment() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto equals = text.find('=');
        const bool good = equals != text.npos && equals > 0 && equals + 1 < text.size();
        return good ? "" : "'" + text + "' must read name=value";
      },
      "");
}

void add_benchmark_options(CLI::App& app, Options& options) {
  const auto formats = CLI::IsMember({"console", "json"});
  app.add_option("--benchmark_filter", options.filter,
                 "rows to run, named STAGE or STAGE/parameter:value: a name, or a regular "
                 "expression that matches part of names; a leading - inverts it")
      ->envname("BENCHMARK_FILTER");
  app.add_flag("--benchmark_list_tests", options.list,
               "list the rows that can run on this machine");
  app.add_option("--benchmark_format", options.format, "format of stdout")
      ->check(formats)
      ->envname("BENCHMARK_FORMAT");
  app.add_flag("--ratchet_counters", options.all_counters,
               "show every counter of a row on the console, not only time and throughput");
  app.add_option("--benchmark_out", options.out, "also write the results to this file")
      ->envname("BENCHMARK_OUT");
  app.add_option("--benchmark_out_format", options.out_format, "format of that file")
      ->check(formats)
      ->envname("BENCHMARK_OUT_FORMAT");
}

void add_row_options(CLI::App& app, Options& options, std::vector<std::string>& set) {
  app.add_option(
         "--ratchet_set", set,
         "NAME=VALUE: set a parameter in every selected stage that has it (repeatable); the "
         "row's name contains it. NAME=VALUE,VALUE,... makes one row per value")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(assignment());
  app.add_option("--ratchet_input", options.input,
                 "read this file instead of generating the input, in stages that read one (life: a "
                 "pattern, RLE or plaintext); the row's name contains the file's name");
  app.add_flag(
      "--ratchet_survey", options.survey,
      "measure the stages' surveys instead of their rows: configurations that are too many or too "
      "large for every gate run. Store the output as baselines/<machine>/<family>_survey.json");
  app.add_option("--ratchet_budget_s", options.budget_s,
                 "seconds for the samples of one row, without warm-up (default 1)")
      ->check(positive_up_to(1e6, "a positive number up to 1e6"));
  app.add_option("--ratchet_slowdown", options.slowdown,
                 "inject a slowdown: extra work of this share of the row's time, inside the timed "
                 "region, to measure what a gate detects")
      ->check(positive_up_to(1, "a positive share of the row's own time, at most 1 (0.02 is 2 %)"));
}

void add_listing_options(CLI::App& app, Options& options) {
  app.add_flag(
      "--ratchet_list_work", options.list_work,
      "time nothing; print JSON lines {row, work, code, input, parameters}: the digest of the code "
      "that a row executes, and its parts, if known (perf/identity/README.md)");
  app.add_flag("--ratchet_list_interleaved", options.list_interleaved,
               "time nothing; print JSON lines {row, one_cpu, between_runs, one_at_a_time} for the "
               "rows that can be interleaved with another process: pinned to one CPU, pausable "
               "between runs, one thread working at a time");
}

void add_check_options(CLI::App& app, Options& options) {
  app.add_flag("--ratchet_check_only", options.check_only,
               "check the stages, time nothing; print JSON lines {name, passed, detail, token}");
  app.add_option(
         "--ratchet_verify_in_situ_s", options.verify_s,
         "seconds per row for the in-situ check of the result at the timed size and threads "
         "(default 1); a check that needs over three times as long is skipped: verified_in_situ "
         "is 0 and the label states the seconds needed")
      ->check(positive_up_to(1e6, "a positive number up to 1e6"));
  app.add_flag("--ratchet_verify_in_situ", options.verify_in_situ,
               "only check the rows in situ; print JSON lines {row, state, detail, token}");
  app.add_option(
      "--ratchet_verified", options.verified_file,
      "output of --ratchet_check_only or --ratchet_verify_in_situ of this binary since the last "
      "boot: stages and rows that passed there are not checked again");
  app.add_flag("--ratchet_skip_check", options.skip_check,
               "check nothing; rows without a valid token get verified: 0, verified_in_situ: 0");
  app.add_option("--ratchet_peaks", options.peaks_file,
                 "output of `ratchet peaks --json`; adds limit_percent");
  app.add_option("--ratchet_samples", options.samples_file,
                 "append a line per row: {\"row\", \"samples\": [seconds of each sample]}");
  app.add_flag("--ratchet_profile", options.profile,
               "for Nsight: no check, no warm-up, 1 to 3 runs, timed by events");
  app.add_flag(
      "--ratchet_interleaved", options.slices,
      "measure one row interleaved with another process, controlled by the gate through stdin and "
      "stdout (perf/measure/interleaving_protocol.h)");
  app.add_flag("--ratchet_skip_warm_up", options.skip_warm_up,
               "with --ratchet_interleaved: no warm-up run");
}

/// Passes other arguments to Google Benchmark, which rejects unknown ones itself, and takes the
/// last of two that set one flag.
std::vector<std::string> for_google_benchmark(const CLI::App& app, const Options& options) {
  std::vector<std::string> rest = app.remaining();
  std::set<std::string> names;
  for (const std::string& argument : rest) {
    if (argument.starts_with("--ratchet_"))
      throw Error("unknown flag: " + argument + "; see --help");
    const std::string name = argument.substr(0, argument.find('='));
    if (argument.starts_with("--") && !names.insert(name).second)
      throw Error(name + " is given twice; give it once");
  }
  if (!options.out.empty()) rest.push_back("--benchmark_out=" + options.out);
  return rest;
}

}  // namespace

std::optional<Options> parse_options(int argc, const char* const* argv) {
  Options options;
  std::vector<std::string> set;
  CLI::App app("Times the stages of the registry, as a Google Benchmark program.", "ratchet-bench");
  app.allow_extras();
  add_benchmark_options(app, options);
  add_row_options(app, options, set);
  add_listing_options(app, options);
  add_check_options(app, options);
  app.footer(
      "Google Benchmark's other flags are passed on to it.\n"
      "Environment: RATCHET_TIMER=cupti|events|wall|opencl; an empty RATCHET_ variable counts as "
      "not set\n"
      "Exit codes: 0 every row was measured; 2 bad input, a failed check or a failed row (the "
      "output is complete, the row states the reason); 77 no selected row can run on this "
      "machine.");
  refuse_empty_values({argv + 1, argv + argc});
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + "; see --help");
  }
  for (const std::string& each : set)
    options.set.emplace_back(each.substr(0, each.find('=')), each.substr(each.find('=') + 1));
  options.google_benchmark = for_google_benchmark(app, options);
  return options;
}

}  // namespace ratchet::bench
