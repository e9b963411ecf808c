// A gate run in the formats of other tools. All are UTF-8 JSON with finite numbers, times in
// milliseconds, throughput in units of work per second, and rows sorted by name, named as in the
// tables. Rows without figures (failed, missing, ...) are left out, since trackers would plot them.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

/// One entry per row with the medians over its launches, in Google Benchmark's format. Readers are
/// github-action-benchmark ("googlecpp") and Bencher ("cpp_google"). They treat every entry as a
/// separate series and need context.caches.
nlohmann::json tracker_json(const Measurements& measured);

/// [{name, unit, value, range, extra}] for github-action-benchmark's "customBiggerIsBetter".
/// `range` is half the width of the median's interval, in percent. Empty if nothing was measured;
/// the tool refuses an empty array, so the caller writes no such file.
nlohmann::json throughput_json(const Measurements& measured, const std::vector<RowReport>& reports);

/// {name: {"throughput": {value, lower_value, upper_value}}} for Bencher ("json"): the median of
/// the launches with its 95 % interval, or with their range if they are too few for an interval.
nlohmann::json bencher_json(const Measurements& measured);

/// Every launch of the named rows with its counters, in Google Benchmark's format. Its compare.py
/// treats entries of one name as repetitions.
nlohmann::json launches_json(const Measurements& measurements, const std::set<std::string>& rows);

/// The rows with launches on both sides. compare.py drops all others silently.
std::set<std::string> common_rows(const Measurements& a, const Measurements& b);

}  // namespace ratchet::gate
