// The two clocks: one for how long something took, one for when it was.
#pragma once

#include <optional>
#include <string>

namespace ratchet {

/// Of a clock that never jumps (std::chrono::steady_clock); only differences mean something. To a
/// nanosecond or two, which is too coarse for the samples of a row.
double seconds_now();

// Points in time as text: UTC, ISO 8601, to the millisecond ("2026-01-31T12:00:00.000Z"), so that
// their order as text is their order in time.

std::string utc_now();

/// `text` ("2026-01-31", "2026-01-31T13:00:00+01:00", "2026-01-31 12:00:00Z", with or without
/// fractions of a second; without a zone it is UTC) in the form above; nothing if it is no such
/// time.
std::optional<std::string> utc_time(const std::string& text);

/// For people: "7 s", "3 min 05 s".
std::string duration(double seconds);

}  // namespace ratchet
