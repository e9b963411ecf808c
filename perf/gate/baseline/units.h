// Figures with their units, as all outputs write them.
#pragma once

#include <string>

#include "perf/identity/row_id.h"

namespace ratchet {

/// The unit of a row's work, plural: that of the stage in the registry, or "units". Rows of
/// third-party programs (Row::basis) count "items", "B" for bytes, or "calls". For a figure that a
/// command prints it is the figure's kind (figure.h), and the texts below show the figure.
std::string unit_of(const RowId& row, const std::string& basis);

/// The unit of a throughput as it is stored: "calls/s"; "1/ms" of a figure, where smaller is
/// better.
std::string per_second_text(const std::string& unit);
/// "-5.02 %" of a ratio of throughputs; "+inf %" where a figure is 0 now, and was not.
std::string change_text(double ratio, int digits = 2);
/// "113 k calls/s", "1.03 GB/s"; three significant digits.
std::string rate_text(double per_second, const std::string& unit);
/// "1.03 -> 0.957 GB/s", with the prefix of the larger one.
std::string rates_text(double before, double now, const std::string& unit);
/// "15.4 us"
std::string time_text(double seconds);
/// "15.4 -> 16.6 us", in the unit of the larger one.
std::string times_text(double before, double now);

}  // namespace ratchet
