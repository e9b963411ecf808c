// Other stages that a stage runs as its parts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "kernels/contract/stage.h"

namespace ratchet {

/// Not defined, so that a malformed PartName does not compile.
void a_part_is_named_as_family_backend_NN_idea();

/// Three parts between slashes, of lower-case letters, digits and underscores.
consteval bool is_part_name(std::string_view name) {
  int slashes = 0;
  char before = '/';
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!letter && (c != '/' || before == '/')) return false;
    slashes += c == '/';
    before = c;
  }
  return slashes == 2 && before != '/';
}

/// A stage's name as a compile-time constant, which the symbol of find_part() in an object file
/// spells.
template <std::size_t size>
struct PartName {
  char text[size];
  consteval PartName(const char (&name)[size]) {
    if (!is_part_name({name, size - 1})) a_part_is_named_as_family_backend_NN_idea();
    std::copy_n(name, size, text);
  }
};

/// Like find_stage(), by a name in the source: `find_part<"life/cpu/05_simd">()`. The digest of the
/// calling stage includes that of the part. A stage that finds others in another way does not
/// build: rule D9 of perf/identity/digests/README.md.
template <PartName name>
const Stage* find_part();

/// The search of find_part(), which only find_part() can call.
class StagePart {
  template <PartName name>
  friend const Stage* find_part();
  static const Stage* find(const char* name);
};

template <PartName name>
[[gnu::noinline]] const Stage* find_part() {
  return StagePart::find(name.text);
}

}  // namespace ratchet
