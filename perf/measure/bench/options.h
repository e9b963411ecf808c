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
  // suffixes that Google Benchmark would add and filter on. Also from its environment variables.
  std::string filter;              ///< --benchmark_filter (kernels/contract/row_filter.h)
  bool list = false;               ///< --benchmark_list_tests
  bool list_work = false;          ///< --ratchet_list_work
  bool list_turns = false;         ///< --ratchet_list_turns
  std::string format = "console";  ///< --benchmark_format: console or json
  std::string out;                 ///< --benchmark_out; Google Benchmark opens it
  std::string out_format = "json";
  std::vector<std::string> google_benchmark;  ///< arguments left for it

  std::vector<std::pair<std::string, std::string>> set;  ///< --ratchet_set name=value
  std::string input;               ///< --ratchet_input: file that stages start from
  std::optional<double> budget_s;  ///< --ratchet_budget_s
  double check_point_s = 1;        ///< --ratchet_check_point
  bool survey = false;             ///< --ratchet_survey
  bool check_only = false;         ///< --ratchet_check_only
  bool check_points = false;       ///< --ratchet_check_points
  bool skip_check = false;         ///< --ratchet_skip_check
  bool profile = false;            ///< --ratchet_profile
  bool turns = false;              ///< --ratchet_turns
  bool skip_warm_up = false;       ///< --ratchet_skip_warm_up
  std::optional<double> slowdown;  ///< --ratchet_slowdown, share of the row's own time
  std::string samples_file;        ///< --ratchet_samples
  std::string verified_file;       ///< --ratchet_verified
  std::string limits_file;         ///< --ratchet_limits
};

/// Nothing where --help was asked for and printed. Throws Error.
std::optional<Options> parse_options(int argc, const char* const* argv);

}  // namespace ratchet::bench
