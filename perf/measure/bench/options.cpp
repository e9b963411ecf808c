#include "perf/measure/bench/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "perf/support/error.h"

namespace ratchet::bench {
namespace {

/// A check of a text, since a value of another type would be refused in words of its own.
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
                 "rows to run, named like the stages, sweep points STAGE/parameter:value: a name, "
                 "or a regular expression found in names; a - before it inverts")
      ->envname("BENCHMARK_FILTER");
  app.add_flag("--benchmark_list_tests", options.list, "list the rows that can run here");
  app.add_option("--benchmark_format", options.format, "what is printed")
      ->check(formats)
      ->envname("BENCHMARK_FORMAT");
  app.add_flag("--ratchet_counters", options.all_counters,
               "the console shows every counter of a row, not time and throughput alone");
  app.add_option("--benchmark_out", options.out, "a file for the results as well")
      ->envname("BENCHMARK_OUT");
  app.add_option("--benchmark_out_format", options.out_format, "of that file")
      ->check(formats)
      ->envname("BENCHMARK_OUT_FORMAT");
}

void add_row_options(CLI::App& app, Options& options, std::vector<std::string>& set) {
  app.add_option("--ratchet_set", set,
                 "NAME=VALUE: set a parameter in every selected stage that has it (repeatable); it "
                 "joins the row's name. NAME=VALUE,VALUE,... makes a row of each")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->check(assignment());
  app.add_option("--ratchet_input", options.input,
                 "start from this file instead of the generated input, in stages that read one "
                 "(life: a pattern, RLE or plaintext); its name joins the row's name");
  app.add_flag(
      "--ratchet_survey", options.survey,
      "the stages' surveys in place of their rows: points that are too many, or too large, "
      "for every run of the gate. The output is for "
      "baselines/<machine>/<family>_survey.json");
  app.add_option("--ratchet_budget_s", options.budget_s,
                 "time for the samples of one row, warm-up apart (default 1)")
      ->check(positive_up_to(1e6, "a positive number up to 1e6"));
  app.add_option("--ratchet_slowdown", options.slowdown,
                 "make every row slower by this share of its time, by extra work inside the timed "
                 "act: for measuring what a gate detects")
      ->check(positive_up_to(1, "a positive share of the row's own time, at most 1 (0.02 is 2 %)"));
}

void add_listing_options(CLI::App& app, Options& options) {
  app.add_flag(
      "--ratchet_list_work", options.list_work,
      "times nothing; prints JSON lines {row, work, code, input, parameters}: a digest of what the "
      "row executes, and what it is made of, for rows of which that is known "
      "(perf/identity/README.md)");
  app.add_flag(
      "--ratchet_list_interleaved", options.list_interleaved,
      "times nothing; prints JSON lines {row, one_cpu, between_runs, one_at_a_time}: the "
      "rows that can be interleaved with another process, whether they are kept on one CPU, "
      "can be stopped between their runs, and have one thread at work at a time");
}

void add_check_options(CLI::App& app, Options& options) {
  app.add_flag("--ratchet_check_only", options.check_only,
               "check the stages, time nothing; prints JSON lines {name, passed, detail, token}");
  app.add_option(
         "--ratchet_verify_in_situ_s", options.verify_s,
         "seconds a row for judging what it computed where it was timed, at its very size "
         "and threads (default 1); what takes over three times as long says verified_in_situ: "
         "0, and how many it wants")
      ->check(positive_up_to(1e6, "a positive number up to 1e6"));
  app.add_flag("--ratchet_verify_in_situ", options.verify_in_situ,
               "judge the rows so, time nothing; prints JSON lines {row, state, detail, token}");
  app.add_option(
      "--ratchet_verified", options.verified_file,
      "lines of an earlier --ratchet_check_only or --ratchet_verify_in_situ of this same binary "
      "since the last boot: stages and rows that passed there are not checked again");
  app.add_flag("--ratchet_skip_check", options.skip_check,
               "check nothing; rows without a valid line say verified: 0, verified_in_situ: 0");
  app.add_option("--ratchet_peaks", options.peaks_file,
                 "output of `ratchet peaks --json`: adds limit_percent");
  app.add_option("--ratchet_samples", options.samples_file,
                 "appends a line per row: {\"row\", \"samples\": [seconds of each sample]}");
  app.add_flag("--ratchet_profile", options.profile,
               "for Nsight: no check, no warm-up, 1 to 3 runs, timed by events");
  app.add_flag(
      "--ratchet_interleaved", options.slices,
      "one row, interleaved with another process: a conversation with the gate on stdin and "
      "stdout (perf/measure/bench/interleaving.h)");
  app.add_flag("--ratchet_skip_warm_up", options.skip_warm_up,
               "with --ratchet_interleaved: no run before those that count");
}

/// What is not ours is Google Benchmark's, which then refuses what it does not know either.
std::vector<std::string> for_google_benchmark(const CLI::App& app, const Options& options) {
  std::vector<std::string> rest = app.remaining();
  for (const std::string& argument : rest)
    if (argument.starts_with("--ratchet_"))
      throw Error("unknown flag: " + argument + "; see --help");
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
      "Environment: RATCHET_TIMER=cupti|events|wall|opencl\n"
      "Exit codes: 0 every row was measured; 2 bad input, a failed check or a failed row (the "
      "output is complete, the row says why); 77 nothing that was asked for can run on this "
      "machine.");
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
