// Hashes that are the same on every machine and in every build, unlike std::hash. They tell
// versions apart and are no protection against forgery.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ratchet {

/// FNV-1a (Fowler, Noll, Vo), 64 bit, as 16 hexadecimal digits: for short keys.
std::string fnv1a(std::string_view text);

/// SHA-1 as 40 hexadecimal digits: for digests of machine code.
std::string sha1(std::string_view bytes);

/// 32 random bits of the system's, as a seed. Throws std::runtime_error where it has none.
std::uint32_t random_word();

/// 32 hexadecimal digits: a name that no two runs share.
std::string random_id();

/// FNV-1a over words of eight bytes, six times as fast as over bytes. For large data that is hashed
/// at every launch, where the hash is not stored. Continues from `state`, an earlier result.
std::uint64_t quick_hash(std::string_view bytes, std::uint64_t state = 0xcbf29ce484222325u);

}  // namespace ratchet
