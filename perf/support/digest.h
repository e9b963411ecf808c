// A short name for bytes: equal bytes, equal digest.
#pragma once

#include <string>
#include <string_view>

namespace ratchet::counters {

/// SHA-1 of `bytes` as 40 hexadecimal digits. Tells versions of code apart; guards nothing.
std::string digest(std::string_view bytes);

}  // namespace ratchet::counters
