// Figures with their units, as all outputs write them.
#pragma once

#include <string>

#include "perf/identity/row_id.h"

namespace ratchet {

/// The unit of a row's work, plural: that of the stage in the registry, or "units". Rows of
/// third-party programs (Row::basis) count "items", "B" for bytes, or "calls".
std::string unit_of(const RowId& row, const std::string& basis);

/// "113 k calls/s", "1.03 GB/s"; three significant digits.
std::string rate_text(double per_second, const std::string& unit);
/// "1.03 -> 0.957 GB/s", with the prefix of the larger one.
std::string rates_text(double before, double now, const std::string& unit);
/// "15.4 us"
std::string time_text(double seconds);
/// "15.4 -> 16.6 us", in the unit of the larger one.
std::string times_text(double before, double now);

}  // namespace ratchet
