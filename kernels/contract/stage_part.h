// Other stages that a stage runs as parts of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "kernels/contract/stage.h"

namespace ratchet {

/// Not defined: a compiler that evaluates a PartName of another form stops here.
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

/// A stage's name that a compiler knows, so that find_part()'s own name in an object file spells it.
template <std::size_t size>
struct PartName {
  char text[size];
  consteval PartName(const char (&name)[size]) {
    if (!is_part_name({name, size - 1})) a_part_is_named_as_family_backend_NN_idea();
    std::copy_n(name, size, text);
  }
};

/// As find_stage(), by a name in the source: `find_part<"life/cpu/05_simd">()`. The digest of work
/// of the stage that calls it takes in that of the part. A stage that finds others in another way does
/// not build: rule D9 of digests/README.md in perf.
template <PartName name>
const Stage* find_part();

/// What find_part() calls, and nothing else can.
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
