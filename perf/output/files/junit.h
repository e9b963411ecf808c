// The verdicts as JUnit XML, for CI systems that show test reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perf/gate/rule/verdicts.h"

namespace ratchet::gate {

/// One suite per family, one case per row, in the form of GoogleTest's report: a failure for a row
/// that is slower or undecided, an error for one that failed, is unverified, missing, changed or
/// new, skipped for one that is unavailable or, unless `policy.strict`, uncompared. So the report
/// is green exactly when the exit code is 0 (or 77). Messages carry effect and interval; properties
/// ratio, low, high, detectable, tolerance, launches, baseline_launches, units_per_second where
/// known. `time`: seconds of one call, the median of this session's launches; 0 where not measured.
/// Source: GoogleTest's XML report (docs/advanced.md), read by Jenkins, GitLab and others.
std::string junit_xml(const std::vector<RowReport>& reports, const Measurements& measured,
                      const Policy& policy);

/// `text` fit for an XML 1.0 attribute or element: printable() (control characters, which XML
/// cannot hold even escaped, become U+FFFD), with & < > " ' escaped.
std::string xml_escape(std::string_view text);

}  // namespace ratchet::gate
