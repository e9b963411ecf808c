// Short names for bytes: equal bytes, equal hash, on every machine and in every build, which
// std::hash does not promise. They tell versions apart; they guard nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ratchet {

/// FNV-1a (Fowler, Noll, Vo), 64 bit, as 16 hexadecimal digits: for keys, which are short.
std::string fnv1a(std::string_view text);

/// SHA-1 as 40 hexadecimal digits: for machine code, of which there is much to be told apart.
std::string sha1(std::string_view bytes);

/// For what is large, is read at every launch and is kept in no file: FNV-1a over words of eight
/// bytes, six times as fast. Continues from `state`, another hash of this kind.
std::uint64_t quick_hash(std::string_view bytes, std::uint64_t state = 0xcbf29ce484222325u);

}  // namespace ratchet
