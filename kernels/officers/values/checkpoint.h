// A state in a file.
#pragma once

#include <filesystem>

#include "kernels/officers/values/state.h"

namespace ratchet::officers {

State load_checkpoint(const std::filesystem::path& file);

}  // namespace ratchet::officers
