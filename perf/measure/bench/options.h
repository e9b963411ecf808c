// The command line of ratchet-bench: its own flags, and the flags of Google Benchmark that it
// reads.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ratchet::bench {

struct Options {
  // Google Benchmark's flags and environment variables, handled here because rows have the
  // registry's names, without the suffixes that Google Benchmark adds and filters on.
  std::string filter;              ///< --benchmark_filter (kernels/contract/row_filter.h)
  bool list = false;               ///< --benchmark_list_tests
  bool list_work = false;          ///< --ratchet_list_work
  bool list_interleaved = false;   ///< --ratchet_list_interleaved
  std::string format = "console";  ///< --benchmark_format: console or json
  bool all_counters = false;       ///< --ratchet_counters
  std::string out;                 ///< --benchmark_out; Google Benchmark opens it
  std::string out_format = "json";
  std::vector<std::string> google_benchmark;  ///< remaining arguments

  std::vector<std::pair<std::string, std::string>> set;  ///< --ratchet_set name=value
  std::string input;               ///< --ratchet_input: input file of the stages
  std::optional<double> budget_s;  ///< --ratchet_budget_s
  double verify_s = 1;             ///< --ratchet_verify_in_situ_s
  bool survey = false;             ///< --ratchet_survey
  bool check_only = false;         ///< --ratchet_check_only
  bool verify_in_situ = false;     ///< --ratchet_verify_in_situ
  bool skip_check = false;         ///< --ratchet_skip_check
  bool profile = false;            ///< --ratchet_profile
  bool slices = false;             ///< --ratchet_interleaved
  bool skip_warm_up = false;       ///< --ratchet_skip_warm_up
  std::optional<double> slowdown;  ///< --ratchet_slowdown, share of the row's own time
  std::string samples_file;        ///< --ratchet_samples
  std::string verified_file;       ///< --ratchet_verified
  std::string peaks_file;          ///< --ratchet_peaks
};

/// Nothing after printing --help. Throws Error.
std::optional<Options> parse_options(int argc, const char* const* argv);

}  // namespace ratchet::bench
