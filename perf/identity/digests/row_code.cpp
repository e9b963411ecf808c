// What a function's place in its file must not move: distances to others in its section, of which
// assemblers leave no relocation (R8), padding, and tables of jumps, which lie in the order of
// their functions (R5).
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "perf/identity/digests/row_graph.h"

namespace ratchet::counters::rows {
namespace {

/// Bytes of code, from the begin of a function, that may be a distance to another function.
struct Distance {
  size_t at = 0, bytes = 0;
  int64_t target = 0;    ///< from the function's begin
  bool certain = false;  ///< else it is one only if it leads to the begin of a function
};

/// Every place that could be one: for each byte, whatever instruction it may be in.
std::vector<Distance> by_bytes(const string& code) {
  std::vector<Distance> found;
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(code[at]); };
  for (size_t at = 0; at < code.size(); ++at) {
    const unsigned char first = byte(at);
    const bool jumps = first == 0xeb || (first & 0xf0) == 0x70 || (first & 0xfc) == 0xe0;
    if (jumps && at + 1 < code.size())
      found.push_back(
          {at, 1, static_cast<int64_t>(at) + 2 + static_cast<signed char>(code[at + 1]), false});
    if (at + 4 > code.size()) continue;
    std::int32_t distance = 0;
    std::memcpy(&distance, code.data() + at, sizeof distance);
    const bool instruction =
        at > 0 && (byte(at - 1) == 0xe8 || byte(at - 1) == 0xe9 ||
                   (at > 1 && byte(at - 2) == 0x0f && (byte(at - 1) & 0xf0) == 0x80) ||
                   (at > 1 && byte(at - 2) == 0x8d && (byte(at - 1) & 0xc7) == 0x05));
    // Relative to the instruction's end: of a jump, or by a ModRM byte, perhaps before an
    // immediate.
    const bool relative = at > 0 && (byte(at - 1) & 0xc7) == 0x05;
    if (!instruction && !relative) continue;
    for (const int behind : {4, 5, 6, 8}) {
      const bool certain = instruction && behind == 4;
      found.push_back({at, 4, static_cast<int64_t>(at) + behind + distance, certain});
    }
  }
  return found;
}

bool is_nop(string_view code) {
  const size_t opcode = code.find_first_not_of("\x66\x2e");
  if (opcode == code.npos) return false;
  return code.substr(opcode) == "\x90" || code.substr(opcode, 2) == "\x0f\x1f";
}

/// By instruction: whether it pads up to an aligned place, as assemblers do, of which no two are a
/// byte long. What runs there takes time, as an address does: that is layout.
std::vector<bool> padding_of(string_view code, const std::vector<Instruction>& all,
                             uint64_t begin) {
  std::vector<bool> padding(all.size());
  const auto text = [&](const Instruction& each) { return code.substr(each.at, each.length); };
  for (size_t first = 0, last = 0; first < all.size(); first = last + 1) {
    last = first;
    if (!is_nop(text(all[first]))) continue;
    while (last + 1 < all.size() && is_nop(text(all[last + 1]))) ++last;
    size_t short_ones = 0;
    for (size_t i = first; i <= last; ++i) short_ones += all[i].length == 1;
    if ((begin + all[last].end()) % 8 != 0 || short_ones > 1) continue;
    std::fill(padding.begin() + static_cast<std::ptrdiff_t>(first),
              padding.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
  }
  return padding;
}

/// A branch without its distance, whose length depends on the place.
string without_distance(string_view code, const Instruction& branch) {
  string bytes(code.substr(branch.at, branch.distance_at - branch.at));
  if (bytes.back() == '\xeb') bytes.back() = '\xe9';
  if (branch.distance_bytes == 4 && bytes.size() > 1 && bytes[bytes.size() - 2] == '\x0f') {
    bytes.erase(bytes.size() - 2, 1);
    bytes.back() = static_cast<char>(bytes.back() - 0x10);  // 0F 8x is the long form of 7x
  }
  return bytes;
}

}  // namespace

/// The code of a function by its instructions; nothing where they are not known.
const FunctionCode* Graph::code_of(const Piece& piece) {
  const auto [place, added] = code_.emplace(piece, std::nullopt);
  if (added && objects_[piece.object]->is_code(piece.section)) {
    const string_view bytes = bytes_of(piece);
    if (auto all = instructions_of(bytes)) {
      FunctionCode code{std::move(*all), {}, {}};
      code.padding = padding_of(bytes, code.instructions, piece.begin);
      size_t number = 0;
      for (const bool padding : code.padding) code.number.push_back(padding ? number : number++);
      place->second = std::move(code);
    }
  }
  return place->second ? &*place->second : nullptr;
}

/// A place in a piece: of code the number of its instruction and the place in that.
string Graph::place_in(const Piece& piece, int64_t at) {
  const FunctionCode* code = code_of(piece);
  if (!code || at <= 0 || at >= static_cast<int64_t>(piece.end - piece.begin))
    return fmt::format("+{}", at);
  const auto after = std::upper_bound(
      code->instructions.begin(), code->instructions.end(), at,
      [](int64_t place, const Instruction& each) { return place < static_cast<int64_t>(each.at); });
  const auto index = static_cast<size_t>(after - code->instructions.begin()) - 1;
  return fmt::format("instruction {}{} byte {}", code->number[index],
                     code->padding[index] ? ", padding," : "",
                     at - static_cast<int64_t>(code->instructions[index].at));
}

/// The bytes that count, and what the code refers to in other functions of its section. By its
/// instructions: a byte of a constant or of an operand must not pass for a jump to whatever
/// function happens to lie there, which a moved function changes. Where they are not known, every
/// place that could be a distance counts.
void Graph::refer_nearby(RowNode& node, string& text, string& bytes) {
  const Piece here = node.piece;
  const Object& object = *objects_[here.object];
  std::vector<bool> relocated(bytes.size() + 4);
  if (const auto entries = object.relocations.find(here.section);
      entries != object.relocations.end())
    for (const Elf64_Rela& each : entries->second)
      if (each.r_offset >= here.begin && each.r_offset < here.end)
        for (int i = 0; i < 4; ++i) relocated[each.r_offset - here.begin + i] = true;
  const auto end = static_cast<int64_t>(whole(here.object, here.section).end);
  const auto elsewhere = [&](int64_t target) {
    const int64_t place = static_cast<int64_t>(here.begin) + target;
    return place >= 0 && place < end &&
           (place < static_cast<int64_t>(here.begin) || place >= static_cast<int64_t>(here.end));
  };
  const auto add = [&](size_t at, int64_t target) {
    const uint64_t place = here.begin + static_cast<uint64_t>(target);
    const Piece piece = containing(here.object, here.section, place);
    text += fmt::format("\nnear {} {}", place_in(here, static_cast<int64_t>(at)),
                        place_in(piece, static_cast<int64_t>(place - piece.begin)));
    node.targets.push_back(index_of(piece));
  };
  if (const FunctionCode* code = code_of(here)) {
    const string all = std::move(bytes);
    bytes.clear();
    for (size_t i = 0; i < code->instructions.size(); ++i) {
      const Instruction& each = code->instructions[i];
      if (code->padding[i]) continue;
      string of(all.substr(each.at, each.length));
      if (each.distance_bytes != 0 && !relocated[each.distance_at]) {
        const int64_t target = target_of(all, each);
        if (each.branch) of = without_distance(all, each);
        if (elsewhere(target)) {
          add(each.at, target);
          if (!each.branch)
            std::fill_n(of.begin() + static_cast<std::ptrdiff_t>(each.distance_at - each.at), 4, 0);
        } else if (each.branch) {
          of += place_in(here, target);
        }
      }
      bytes += of + '\n';
    }
    return;
  }
  const auto found = object.functions.find(here.section);
  if (found == object.functions.end() || found->second.size() < 2) return;
  const string all = bytes;
  for (const Distance& each : by_bytes(all)) {
    if (relocated[each.at] || !elsewhere(each.target)) continue;
    if (!each.certain && !found->second.contains(here.begin + static_cast<uint64_t>(each.target)))
      continue;
    add(each.at, each.target);
    if (each.certain)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(each.at), each.bytes, '\0');
  }
}

/// Places in data whose address an instruction LEA takes, by section.
static std::map<uint32_t, std::set<uint64_t>> addresses_taken(const Object& object) {
  std::map<uint32_t, std::set<uint64_t>> taken;
  for (const auto& [section, relocations] : object.relocations) {
    if (!object.has(section) || !object.is_code(section)) continue;
    const string_view code = object.section(section).bytes;
    for (const Elf64_Rela& entry : relocations) {
      const Elf64_Sym& symbol = object.symbols.at(ELF64_R_SYM(entry.r_info));
      if (ELF64_R_TYPE(entry.r_info) == R_X86_64_PC32 && object.has(symbol.st_shndx) &&
          entry.r_offset >= 2 && entry.r_offset <= code.size() &&
          code[entry.r_offset - 2] == '\x8d' && (code[entry.r_offset - 1] & 0xc7) == 0x05)
        taken[symbol.st_shndx].insert(symbol.st_value + static_cast<uint64_t>(entry.r_addend) + 4);
    }
  }
  return taken;
}

/// A table of jumps has an entry of 4 bytes for each case: the distance to its code. It begins
/// where code takes its address, and ends before the next such place.
void Graph::read_tables(Object& object) {
  const auto taken = addresses_taken(object);
  for (const auto& [section, relocations] : object.relocations) {
    if (!object.has(section) || object.is_code(section)) continue;
    const auto flags = object.section(section).header.sh_flags;
    const auto begins = taken.find(section);
    if (!(flags & SHF_ALLOC) || (flags & (SHF_WRITE | SHF_MERGE)) || begins == taken.end())
      continue;
    auto& tables = object.tables[section];
    for (const Elf64_Rela& entry : relocations) {
      const Elf64_Sym& symbol = object.symbols.at(ELF64_R_SYM(entry.r_info));
      if (ELF64_R_TYPE(entry.r_info) != R_X86_64_PC32 || !object.has(symbol.st_shndx) ||
          !object.is_code(symbol.st_shndx))
        continue;
      if (begins->second.contains(entry.r_offset))
        tables[entry.r_offset] = entry.r_offset + 4;
      else if (!tables.empty() && tables.rbegin()->second == entry.r_offset)
        tables.rbegin()->second += 4;
    }
  }
}

/// A reference by section to data with tables of jumps: to a table, or to what is left of the
/// section without them. False: the section has none.
bool Graph::refer_beside_tables(RowNode& node, string& text, uint32_t section, int64_t addend) {
  const uint32_t object = node.piece.object;
  const auto found = objects_[object]->tables.find(section);
  if (found == objects_[object]->tables.end() || found->second.empty()) return false;
  const auto at = static_cast<uint64_t>(addend + 4);
  uint64_t before = 0;  // bytes of tables
  bool behind_table = at == 0;
  for (const auto& [begin, end] : found->second) {
    if (end <= at) before += end - begin;
    behind_table = behind_table || end == at;
    if (at <= begin || at >= end) continue;
    node.targets.push_back(index_of({object, section, begin, end}));
    return false;  // a reference of an unknown kind: its place counts
  }
  const auto table = found->second.find(at);
  if (table != found->second.end()) {
    text += "table ";
    node.targets.push_back(index_of({object, section, at, table->second}));
    if (behind_table) return true;  // else it may be the end of the data before it
  }
  text += fmt::format("+{}", addend - static_cast<int64_t>(before));
  node.targets.push_back(index_of(whole(object, section)));
  return true;
}

}  // namespace ratchet::counters::rows
