#include "perf/support/digest.h"

#include <fmt/format.h>

#include <boost/uuid/detail/sha1.hpp>

namespace ratchet::counters {

std::string digest(std::string_view bytes) {
  boost::uuids::detail::sha1 hash;
  hash.process_bytes(bytes.data(), bytes.size());
  boost::uuids::detail::sha1::digest_type words;  // five words, since Boost 1.86 twenty bytes
  hash.get_digest(words);
  std::string text;
  for (const auto word : words)
    text += fmt::format("{:0{}x}", static_cast<unsigned>(word), 2 * sizeof word);
  return text;
}

}  // namespace ratchet::counters
