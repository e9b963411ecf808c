// A gate run in the forms that other tools read unmodified. All of them: UTF-8 JSON, finite numbers
// only, times in milliseconds, throughput in units of work per second, names as in the tables, rows
// by name. Rows without figures (failed, missing, ...) are left out: trackers would plot them.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

/// One row per name with the medians over its launches, in Google Benchmark's form: for
/// github-action-benchmark ("googlecpp") and Bencher ("cpp_google"), which take every row for a
/// series of its own and need context.caches.
nlohmann::json tracker_json(const Measurements& measured);

/// [{name, unit, value, range, extra}], for github-action-benchmark's "customBiggerIsBetter";
/// `range` is half the width of the median's interval, in percent. Empty when nothing was measured:
/// that tool refuses an empty array, so such a file is not to be written.
nlohmann::json throughput_json(const Measurements& measured, const std::vector<RowReport>& reports);

/// {name: {"throughput": {value, lower_value, upper_value}}}, for Bencher ("json"): the median of
/// the launches with its 95 % interval, or their range where they are too few for one.
nlohmann::json bencher_json(const Measurements& measured);

/// Every launch of the rows named with its counters, in Google Benchmark's form, for its
/// compare.py, which takes rows of one name for repetitions.
nlohmann::json launches_json(const Measurements& measurements, const std::set<std::string>& rows);

/// The rows that both have launches of: compare.py drops all others without a word.
std::set<std::string> common_rows(const Measurements& a, const Measurements& b);

}  // namespace ratchet::gate
