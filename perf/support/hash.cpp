#include "perf/support/hash.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/uuid/detail/sha1.hpp>
#include <cstring>
#include <stdexcept>

namespace ratchet {
namespace {

constexpr std::uint64_t fnv_prime = 0x100000001b3u;

}  // namespace

std::string fnv1a(std::string_view text) {
  std::uint64_t state = 0xcbf29ce484222325u;
  for (const unsigned char byte : text) state = (state ^ byte) * fnv_prime;
  return fmt::format("{:016x}", state);
}

// Not std::random_device: linked into the program it needs glibc 2.36, newer than Ubuntu 22.04's.
std::uint32_t random_word() {
  std::uint32_t word = 0;
  if (getentropy(&word, sizeof word) != 0)
    throw std::runtime_error("the system has no random numbers");
  return word;
}

std::string random_id() {
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random_word(), random_word(), random_word(),
                     random_word());
}

std::string sha1(std::string_view bytes) {
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(bytes.data(), bytes.size());
  boost::uuids::detail::sha1::digest_type words;  // five words, since Boost 1.86 twenty bytes
  hash.get_digest(words);
  std::string text;
  for (const auto word : words)
    text += fmt::format("{:0{}x}", static_cast<unsigned>(word), 2 * sizeof word);
  return text;
}

std::uint64_t quick_hash(std::string_view bytes, std::uint64_t state) {
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    state = (state ^ word) * fnv_prime;
    state ^= state >> 32;  // multiplication never moves the high half down
  }
  return (state ^ bytes.size()) * fnv_prime;
}

}  // namespace ratchet
