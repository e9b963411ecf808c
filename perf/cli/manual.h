// The manual page, made of the declarations that --help shows.
#pragma once

#include <string>

namespace CLI {
class App;
}
namespace ratchet {

/// ratchet(1) with all commands, in the macros of man(7).
std::string manual_page(const CLI::App& app);

}  // namespace ratchet
