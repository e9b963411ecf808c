// What must hold for every input of the JSON reader, whoever makes the inputs up: libFuzzer
// (ci/fuzz) or the seeds in this folder (json_corpus_test.cpp).
#pragma once

#include <string_view>

namespace ratchet::fuzz {

/// How far an input came.
enum class Reached {
  refused,      ///< not JSON: an Error of one printable line
  json,         ///< JSON, but no measurements of ratchet's: likewise
  measurements  ///< measurements that read back equal after they were written
};

/// Reads `text` every way there is. Throws std::logic_error when a property does not hold. An input
/// is read, or refused by an `Error` of one printable line of at most 4096 bytes. JSON dumped reads
/// back equal. Measurements written by to_text read back with the same rows, launches and figures
/// to seven digits; written again they are the same.
Reached check_json_input(std::string_view text);

}  // namespace ratchet::fuzz
