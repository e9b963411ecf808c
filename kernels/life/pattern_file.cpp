#include "kernels/life/pattern_file.h"

#include "kernels/support/error.h"

namespace ratchet::life {

Grid read_pattern(const std::filesystem::path& file) {
  throw Error(file.string() + ": pattern files are not read yet");
}

}  // namespace ratchet::life
