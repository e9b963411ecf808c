// The verdicts as JUnit XML, for CI systems that show test reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

/// One suite per family, one case per row, in the format of GoogleTest's report. A slower or
/// undecided row is a failure. A failed, unverified, missing, changed or new row is an error. An
/// unavailable row is skipped, and without `policy.strict` an uncompared one too. So the report is
/// green exactly if the exit code is 0 or 77. Messages state effect and interval. Properties are
/// ratio, low, high, detectable, tolerance, launches, baseline_launches and units_per_second, if
/// known. `time`: seconds of one call, the median over this run's launches; 0 if not measured.
/// Source: GoogleTest's XML report (docs/advanced.md), read by Jenkins, GitLab and others.
std::string junit_xml(const std::vector<RowReport>& reports, const Measurements& measured,
                      const Policy& policy);

/// `text` for an XML 1.0 attribute or element, with & < > " ' escaped. XML cannot hold control
/// characters even escaped; printable() replaces them by U+FFFD.
std::string xml_escape(std::string_view text);

}  // namespace ratchet::gate
