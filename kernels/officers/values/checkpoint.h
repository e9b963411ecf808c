// A state in a file: a line of text that says what it is and how long, then fields, bytes and a
// check sum. Written whole beside its name and then renamed, so that a name never holds half a file.
#pragma once

#include <filesystem>
#include <string>

#include "kernels/officers/values/state.h"

namespace ratchet::officers {

/// The bytes of a file. States that go on alike give the same bytes.
std::string checkpoint_bytes(const State& state);
/// The state that `bytes` are. Throws Error naming `name` for a file that is foreign, of another
/// version, torn or altered.
State state_from_bytes(const std::string& bytes, const std::string& name);

/// Throws Error when the file cannot be written; what was there before stays.
void save_checkpoint(const State& state, const std::filesystem::path& file);
/// Throws Error for a file that cannot be read, contradicts itself, or is of another game: its rare
/// positions below 1024 are others.
State load_checkpoint(const std::filesystem::path& file);

}  // namespace ratchet::officers
