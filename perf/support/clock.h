// Two clocks: one for durations, one for dates.
#pragma once

#include <optional>
#include <string>

namespace ratchet {

/// Seconds of std::chrono::steady_clock, for differences only. A double resolves one or two
/// nanoseconds of it, which is too coarse for the samples of a row.
double seconds_now();

// Dates as text: UTC, ISO 8601, to the millisecond ("2026-01-31T12:00:00.000Z"). Sorting the text
// sorts by time.

std::string utc_now();

/// `text` in the form above; nothing where it is not a date. Accepts "2026-01-31",
/// "2026-01-31T13:00:00+01:00" and "2026-01-31 12:00:00Z", with or without fractions of a second;
/// without a time zone it is UTC.
std::optional<std::string> utc_time(const std::string& text);

/// For people: "7 s", "3 min 05 s".
std::string duration(double seconds);

}  // namespace ratchet
