#include "perf/identity/code/x86_64.h"

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <set>

namespace ratchet::counters {
namespace {

using Byte = unsigned char;

/// What follows an opcode.
enum class Form {
  unknown,
  bare,
  byte,        ///< a constant of 1 byte
  word,        ///< of 2 bytes
  full,        ///< of 4 bytes; of 2 with the prefix 66
  enter,       ///< of 2 bytes and of 1
  address,     ///< of 8 bytes; of 4 with the prefix 67
  wide,        ///< of 4 bytes; of 8 with REX.W, of 2 with the prefix 66
  near8,       ///< a distance of 1 byte
  near32,      ///< of 4 bytes
  modrm,       ///< operands by a ModRM byte
  modrm_byte,  ///< and a constant of 1 byte
  modrm_full,  ///< and one as of `full`
  group_byte,  ///< and one of 1 byte if the ModRM byte says so (F6)
  group_full,  ///< and one as of `full` if it says so (F7)
};

bool is_one_of(int opcode, std::initializer_list<int> some) {
  for (const int each : some)
    if (each == opcode) return true;
  return false;
}

Form of_one_byte(int op) {
  using enum Form;
  if (op < 0x40) {
    const int low = op & 7;
    return low < 4 ? modrm : low == 4 ? byte : low == 5 ? full : unknown;
  }
  if (op < 0x50) return unknown;  // REX, read before
  if (op < 0x60) return bare;
  if (op >= 0x70 && op < 0x80) return near8;
  if (op >= 0xb0 && op < 0xb8) return byte;
  if (op >= 0xb8 && op < 0xc0) return wide;
  if (op >= 0xa0 && op < 0xa4) return address;
  if (op >= 0xd8 && op < 0xe0) return modrm;
  if (op >= 0xe0 && op < 0xe4) return near8;
  if (is_one_of(op, {0x60, 0x61, 0x62, 0x82, 0x9a, 0xc4, 0xc5, 0xce, 0xd4, 0xd5, 0xd6, 0xea}))
    return unknown;
  switch (op) {
    case 0x63:
      return modrm;
    case 0x68:
      return full;
    case 0x69:
      return modrm_full;
    case 0x6a:
      return byte;
    case 0x6b:
      return modrm_byte;
    case 0x80:
      return modrm_byte;
    case 0x81:
      return modrm_full;
    case 0x83:
      return modrm_byte;
    case 0xa8:
      return byte;
    case 0xa9:
      return full;
    case 0xc0:
      return modrm_byte;
    case 0xc1:
      return modrm_byte;
    case 0xc2:
      return word;
    case 0xc6:
      return modrm_byte;
    case 0xc7:
      return modrm_full;
    case 0xc8:
      return enter;
    case 0xca:
      return word;
    case 0xcd:
      return byte;
    case 0xe8:
      return near32;
    case 0xe9:
      return near32;
    case 0xeb:
      return near8;
    case 0xf6:
      return group_byte;
    case 0xf7:
      return group_full;
    case 0xfe:
      return modrm;
    case 0xff:
      return modrm;
    default:
      break;
  }
  if (op >= 0x84 && op < 0x90) return modrm;
  if (op >= 0xd0 && op < 0xd4) return modrm;
  if (op >= 0xe4 && op < 0xe8) return byte;  // in, out
  return bare;
}

/// After 0F.
Form of_two_bytes(int op) {
  using enum Form;
  if (op >= 0x80 && op < 0x90) return near32;
  if (op >= 0xc8 && op < 0xd0) return bare;
  if (is_one_of(op, {0x70, 0x71, 0x72, 0x73, 0xa4, 0xac, 0xba, 0xc2, 0xc4, 0xc5, 0xc6, 0x0f}))
    return modrm_byte;
  if (is_one_of(op, {0x05, 0x06, 0x07, 0x08, 0x09, 0x0b, 0x0e, 0x77, 0xa0, 0xa1, 0xa2, 0xa8, 0xa9,
                     0xaa}) ||
      (op >= 0x30 && op < 0x36) || op == 0x37)
    return bare;
  const bool unused =
      is_one_of(op, {0x04, 0x0a, 0x0c, 0x24, 0x25, 0x26, 0x27, 0x36, 0x38, 0x39, 0x3a,
                     0x3b, 0x3c, 0x3d, 0x3e, 0x3f, 0x78, 0x79, 0x7a, 0x7b, 0xa6, 0xa7});
  return unused ? unknown : modrm;
}

/// By the map of opcodes: 0 without a prefix byte, 1 after 0F, 2 after 0F 38, 3 after 0F 3A, 5 and
/// 6 of EVEX. `vector`: by VEX or EVEX, which have neither distances nor large constants.
Form form_of(int map, int op, bool vector) {
  using enum Form;
  if (map == 0) return of_one_byte(op);
  if (map == 2 || map == 5 || map == 6) return modrm;
  if (map == 3) return modrm_byte;
  if (map != 1) return unknown;
  if (!vector) return of_two_bytes(op);
  if (op == 0x77) return bare;
  return is_one_of(op, {0x70, 0x71, 0x72, 0x73, 0xc2, 0xc4, 0xc5, 0xc6}) ? modrm_byte : modrm;
}

/// Reads on, and remembers if the code ended.
class Reader {
 public:
  Reader(std::string_view code, std::size_t at) : code_(code), at_(at) {}
  int next() { return at_ < code_.size() ? static_cast<Byte>(code_[at_++]) : fail(); }
  int peek() const { return at_ < code_.size() ? static_cast<Byte>(code_[at_]) : -1; }
  void skip(std::size_t bytes) {
    at_ += bytes;
    if (at_ > code_.size()) fail();
  }
  std::size_t at() const { return at_; }
  bool failed() const { return failed_; }

 private:
  int fail() {
    failed_ = true;
    return 0;
  }
  std::string_view code_;
  std::size_t at_;
  bool failed_ = false;
};

/// Operands in memory: a SIB byte and a displacement. Relative to the instruction's end it is a
/// distance.
void read_modrm(Reader& reader, int modrm, Instruction& read) {
  const int mode = modrm >> 6, low = modrm & 7;
  if (mode == 3) return;
  const int sib = low == 4 ? reader.next() : 0;
  if (mode == 0 && low == 5) {
    read.distance_at = reader.at();
    read.distance_bytes = 4;
  }
  if (mode == 1)
    reader.skip(1);
  else if (mode == 2 || low == 5 || (low == 4 && (sib & 7) == 5))
    reader.skip(4);
}

}  // namespace

std::optional<Instruction> instruction_at(std::string_view code, std::size_t at) {
  Instruction read;
  read.at = at;
  Reader reader(code, at);
  bool short_operand = false, short_address = false, vector = false, rex_w = false;
  for (bool more = true; more;) {
    more = is_one_of(reader.peek(),
                     {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3});
    if (!more) break;
    const int prefix = reader.next();
    short_operand = short_operand || prefix == 0x66;
    short_address = short_address || prefix == 0x67;
  }
  if ((reader.peek() & ~0xf) == 0x40) rex_w = (reader.next() & 8) != 0;
  int map = 0, op = reader.next();
  if (op == 0x0f) {
    map = 1;
    op = reader.next();
    if (op == 0x38 || op == 0x3a) {
      map = op == 0x38 ? 2 : 3;
      op = reader.next();
    }
  } else if (op == 0xc5) {
    vector = true;
    map = 1;
    reader.skip(1);
    op = reader.next();
  } else if (op == 0xc4 || op == 0x62) {
    vector = true;
    const bool evex = op == 0x62;
    map = reader.next() & (evex ? 7 : 0x1f);
    if (map == 0) return std::nullopt;
    reader.skip(evex ? 2 : 1);
    op = reader.next();
  }
  using enum Form;
  Form form = form_of(map, op, vector);
  // POP has no other operand; what has is AMD's XOP.
  if (map == 0 && op == 0x8f && (reader.peek() & 0x38) != 0) form = unknown;
  if (form == unknown || reader.failed()) return std::nullopt;
  const std::size_t full_bytes = short_operand && !rex_w ? 2 : 4;
  int modrm_read = 0;
  if (form >= modrm) {
    modrm_read = reader.next();
    read_modrm(reader, modrm_read, read);
  }
  const bool tests = (modrm_read & 0x30) == 0;  // of the groups F6 and F7, TEST has a constant
  switch (form) {
    case byte:
    case modrm_byte:
      reader.skip(1);
      break;
    case word:
      reader.skip(2);
      break;
    case full:
    case modrm_full:
      reader.skip(full_bytes);
      break;
    case enter:
      reader.skip(3);
      break;
    case address:
      reader.skip(short_address ? 4 : 8);
      break;
    case wide:
      reader.skip(rex_w ? 8 : full_bytes);
      break;
    case near8:
    case near32:
      read.branch = true;
      read.distance_at = reader.at();
      read.distance_bytes = form == near8 ? 1 : 4;
      reader.skip(read.distance_bytes);
      break;
    case group_byte:
      reader.skip(tests ? 1 : 0);
      break;
    case group_full:
      reader.skip(tests ? full_bytes : 0);
      break;
    default:
      break;
  }
  if (reader.failed()) return std::nullopt;
  read.length = reader.at() - at;
  constexpr std::size_t longest = 15;
  if (read.length > longest) return std::nullopt;
  return read;
}

long long target_of(std::string_view code, const Instruction& instruction) {
  std::int32_t distance = 0;
  if (instruction.distance_bytes == 1)
    distance = static_cast<signed char>(code[instruction.distance_at]);
  else
    std::memcpy(&distance, code.data() + instruction.distance_at, sizeof distance);
  return static_cast<long long>(instruction.end()) + distance;
}

std::optional<std::vector<Instruction>> instructions_of(std::string_view code) {
  std::vector<Instruction> all;
  std::set<long long> begins;
  for (std::size_t at = 0; at < code.size(); at = all.back().end()) {
    const auto next = instruction_at(code, at);
    if (!next) return std::nullopt;
    all.push_back(*next);
    begins.insert(static_cast<long long>(at));
  }
  for (const Instruction& each : all) {
    if (!each.branch) continue;
    const long long target = target_of(code, each);
    const bool inside = target >= 0 && target < static_cast<long long>(code.size());
    if (inside && !begins.contains(target)) return std::nullopt;
  }
  return all;
}

}  // namespace ratchet::counters
