// The command line of ratchet-bench: its own flags, and those of Google Benchmark that it has to
// see.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ratchet::bench {

struct Options {
  // Google Benchmark's, handled here because row names are those of the registry, without the
  // suffixes that Google Benchmark would add and filter on.
  std::string filter;              ///< --benchmark_filter (or BENCHMARK_FILTER); empty: everything
  bool list = false;               ///< --benchmark_list_tests
  std::string format = "console";  ///< --benchmark_format: console or json
  std::string out;                 ///< --benchmark_out; left for Google Benchmark to open
  std::string out_format = "json";

  std::vector<std::pair<std::string, std::string>> set;  ///< --ratchet_set name=value
  std::string input;                ///< --ratchet_input: file that stages start from
  std::optional<double> budget_s;   ///< --ratchet_budget_s
  std::optional<double> precision;  ///< --ratchet_precision, relative
  bool survey = false;              ///< --ratchet_survey
  bool check_only = false;          ///< --ratchet_check_only
  bool skip_check = false;          ///< --ratchet_skip_check
  bool profile = false;             ///< --ratchet_profile
  std::optional<double> slowdown;   ///< --ratchet_slowdown, share of the row's own time
  bool fingerprint_needed = false;  ///< --ratchet_fingerprint=needed
  std::string rows_file;            ///< --ratchet_rows
  std::string samples_file;         ///< --ratchet_samples
  std::string verified_file;        ///< --ratchet_verified
  std::string limits_file;          ///< --ratchet_limits
  bool help = false;
};

/// Takes what it knows out of argv and leaves the rest for benchmark::Initialize. Throws Error.
Options parse_options(int& argc, char** argv);

/// Text for --help, own flags only.
const char* help_text();

}  // namespace ratchet::bench
