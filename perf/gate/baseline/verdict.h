// Verdicts, and their words in reports and files.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "perf/identity/row_id.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {

/// Worst first.
enum class Verdict {
  slower,      ///< the whole simultaneous interval lies below the tolerance
  failed,      ///< its check failed, it crashed, hung or reported an error
  unverified,  ///< timed, but no check of what it computes ran
  missing,     ///< in the baseline, not in this build
  changed,     ///< the work of one call differs from the baseline's
  added,       ///< "new": measured, but not in the baseline
  undecided,
  faster,
  same,
  uncompared,   ///< no baseline of this fingerprint
  unavailable,  ///< known, but cannot run on this machine, or measures nothing on both sides
};

/// Slower or faster.
inline bool is_moved(Verdict verdict) {
  return verdict == Verdict::slower || verdict == Verdict::faster;
}

/// The word in reports and files: "slower", "new", ...
std::string to_string(Verdict verdict);

/// The verdict of a word; nothing for an unknown word.
std::optional<Verdict> parse_verdict(const std::string& word);

/// `entry`'s "verdict". Throws `Error` naming the place where it is not a verdict.
Verdict verdict_in(const Node& entry);

/// The verdict of a row in the results of a gate run: `entry` of context.ratchet.rows. Throws
/// `Error` naming the row where it is not a verdict.
Verdict verdict_left(const RowId& row, const nlohmann::json& entry);

// In JSON a verdict is its word; get<Verdict>() throws `Error` for an unknown word.
void to_json(nlohmann::json& value, Verdict verdict);
void from_json(const nlohmann::json& value, Verdict& verdict);

/// The number of rows of each verdict, worst first.
class VerdictCounts {
 public:
  void add(Verdict verdict) { ++counts_[static_cast<std::size_t>(verdict)]; }
  std::size_t operator[](Verdict verdict) const {
    return counts_[static_cast<std::size_t>(verdict)];
  }
  std::string text() const;  ///< "1 slower, 5 same"; empty where there is no row

 private:
  std::array<std::size_t, static_cast<std::size_t>(Verdict::unavailable) + 1> counts_{};
};

}  // namespace ratchet::gate
