// The tables in README.md, between two marks, written by `ratchet tables --readme`.
#pragma once

#include <filesystem>
#include <string>

namespace ratchet::report {

/// The block as it should be now: the ladder of every family on every machine of `baselines`.
/// Throws `Error` for bad baselines or published figures.
std::string readme_block(const std::filesystem::path& baselines);

/// Whether a text has the marks <!-- ratchet:tables:begin --> and <!-- ratchet:tables:end -->.
bool has_marks(const std::string& readme);

/// `readme` with everything between the marks replaced by `block`. Throws `Error` naming `file`
/// when a mark is missing, doubled, or the two are in the wrong order.
std::string replace_block(const std::string& readme, const std::string& block,
                          const std::string& file);

}  // namespace ratchet::report
