#include "perf/identity/explain/listing.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <regex>
#include <set>
#include <sstream>

#include "perf/identity/code/disassembler.h"
#include "perf/support/files.h"
#include "perf/support/printable.h"
#include "perf/support/process.h"

namespace ratchet::explain {
namespace {

namespace fs = std::filesystem;
using counters::CodeNode;
using counters::NoMetrics;
using counters::ObjectCode;
using counters::Reference;

constexpr double disassembly_limit_s = 60;

/// objdump's name of an object's machine; empty for untested machines.
std::string architecture(std::string_view image) {
  Elf64_Half machine = 0;
  std::memcpy(&machine, image.data() + offsetof(Elf64_Ehdr, e_machine), sizeof machine);
  if (machine == EM_X86_64) return "i386:x86-64";
  return machine == EM_AARCH64 ? "aarch64" : "";
}

/// Disassembles the bytes of one function, one line per instruction: "  1c:\tjne    0x4".
std::string disassembled(const ObjectCode& code, const CodeNode& node) {
  const std::string machine = architecture(code.image(node.object));
  if (machine.empty()) throw NoMetrics("the instructions of this machine cannot be listed");
  const ScratchFolder folder;
  const fs::path file = folder.path() / "code";
  write_atomically(file, code.bytes(node));
  const ProcessResult result = run_process({find_objdump().string(), "-D", "-b", "binary", "-m",
                                            machine, "--no-show-raw-insn", "-w", file.string()},
                                           disassembly_limit_s);
  if (!result.ok()) throw NoMetrics("objdump: " + result.describe());
  return result.output;
}

struct Line {
  std::uint64_t address = 0;
  std::string text;
};

std::vector<Line> lines_of(const std::string& output) {
  static const std::regex form("^ *([0-9a-f]+):\\t(.*)$");
  std::vector<Line> lines;
  std::istringstream stream(output);
  std::smatch match;
  for (std::string line; std::getline(stream, line);) {
    if (!std::regex_match(line, match, form)) continue;
    std::string text = match[2].str();
    text = text.substr(0, text.find(" # "));  // "#" alone begins a literal of AArch64
    text = text.substr(0, text.find("//"));
    lines.push_back({std::stoull(match[1].str(), nullptr, 16), text});
  }
  return lines;
}

/// The first word that is not a prefix.
std::string opcode_of(const std::string& text) {
  static const std::set<std::string> prefixes = {"rep", "repz", "repnz",   "lock",
                                                 "bnd", "cs",   "notrack", "data16"};
  std::istringstream words(text);
  std::string word;
  while (words >> word && prefixes.contains(word)) {
  }
  return word;
}

bool is_padding(const std::string& opcode, const std::string& text) {
  return opcode.starts_with("nop") || text.find("xchg   %ax,%ax") != std::string::npos;
}

/// Relative to the end of the instruction, as on x86.
bool is_relative(std::uint32_t type) {
  static const std::set<std::uint32_t> types = {
      R_X86_64_PC32,      R_X86_64_PLT32,         R_X86_64_GOTPCREL,
      R_X86_64_TLSGD,     R_X86_64_TLSLD,         R_X86_64_GOTTPOFF,
      R_X86_64_GOTPCRELX, R_X86_64_REX_GOTPCRELX, R_X86_64_GOTPC32};
  return types.contains(type);
}

std::string target_name(const ObjectCode& code, const Reference& reference, std::uint64_t end) {
  if (reference.external) return name_of(reference.name);
  std::int64_t offset = reference.addend + static_cast<std::int64_t>(reference.value);
  if (is_relative(reference.type)) offset += static_cast<std::int64_t>(end - reference.offset);
  const std::string name = name_of(code, reference.target);
  return offset == 0 ? name : fmt::format("{}{:+#x}", name, offset);
}

std::string collapsed(const std::string& text) {
  static const std::regex spaces("[ \\t]+");
  std::string plain = std::regex_replace(text, spaces, " ");
  plain.erase(plain.find_last_not_of(' ') + 1);
  return plain;
}

/// Replaces a relocated field by the name of its target.
std::string with_name(std::string text, const std::string& opcode, const std::string& name) {
  static const std::regex place("0x[0-9a-f]+$");
  if (opcode.starts_with("call") || opcode.starts_with("j") || opcode == "bl" || opcode == "b") {
    const std::string named = std::regex_replace(text, place, "");
    if (named != text) return named + name;
  }
  for (const char* hole : {"0x0(%rip)", "$0x0"}) {
    const std::size_t at = text.find(hole);
    if (at == std::string::npos) continue;
    const std::string by = hole[0] == '$' ? "$" + name : name;
    return text.replace(at, std::strlen(hole), by);
  }
  return text + " <" + name + ">";
}

/// Replaces the target of a jump inside the function by its direction, which is comparable.
std::string with_direction(const std::string& text, std::uint64_t address) {
  static const std::regex jump(
      "^((?:bnd |notrack )?(?:j[a-z]+|loop[a-z]*|b[.a-z]*|cbn?z|tbn?z)(?:,p[nt])? "
      "(?:[^ ]+,)?)0x([0-9a-f]+)$");
  std::smatch match;
  if (!std::regex_match(text, match, jump)) return text;
  return match[1].str() + (std::stoull(match[2].str(), nullptr, 16) <= address ? "back" : "on");
}

}  // namespace

fs::path find_objdump() {
  const char* named = std::getenv("RATCHET_OBJDUMP");
  if (named && *named) {
    if (access(named, X_OK) == 0) return named;
    throw NoMetrics(fmt::format("RATCHET_OBJDUMP names {}, which is not a program", named));
  }
  static const bool there = [] {
    try {
      return run_process({"objdump", "--version"}, 20).ok();
    } catch (const Error&) {
      return false;
    }
  }();
  if (there) return "objdump";
  throw NoMetrics("objdump is missing; install binutils, or name it in RATCHET_OBJDUMP");
}

std::vector<Instruction> listing_of(const ObjectCode& code, const CodeNode& node) {
  const std::vector<Line> lines = lines_of(disassembled(code, node));
  const std::vector<Reference> references = code.references(node);
  std::vector<Instruction> listing;
  auto next = references.begin();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint64_t end = i + 1 < lines.size() ? lines[i + 1].address : code.bytes(node).size();
    Instruction instruction{opcode_of(lines[i].text), collapsed(lines[i].text)};
    bool named = false;
    for (; next != references.end() && next->offset < end; ++next, named = true)
      instruction.text =
          with_name(instruction.text, instruction.opcode, target_name(code, *next, end));
    if (!named) instruction.text = with_direction(instruction.text, lines[i].address);
    if (!is_padding(instruction.opcode, lines[i].text)) listing.push_back(std::move(instruction));
  }
  return listing;
}

std::map<std::string, int> mix_of(const std::vector<Instruction>& listing) {
  std::map<std::string, int> mix;
  for (const Instruction& each : listing) ++mix[each.opcode];
  return mix;
}

namespace {

constexpr std::size_t longest_name = 72, longest_text = 40;

/// The symbol in ".text.unlikely._ZN3foo3barEv". It begins after the last dot before "_Z"; for C
/// functions and the like, after the kind of section.
std::string symbol_in(const std::string& section) {
  if (const std::size_t mangled = section.find("._Z"); mangled != std::string::npos)
    return section.substr(mangled + 1);
  static const std::regex kind(
      "^[.](text|rodata|data|bss|tbss|tdata|init_array|data[.]rel|data[.]rel[.]ro)"
      "([.](unlikely|startup|hot|exit|local))*[.]?");
  return std::regex_replace(section, kind, "");
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : symbol;
}

/// nvcc names the function that launches a kernel "_Z80__device_stub__" plus the kernel's name.
std::string without_stub(const std::string& symbol) {
  static const std::regex form("_ZL?([0-9]+)(__device_stub__(.*))");
  std::smatch match;
  if (!std::regex_match(symbol, match, form)) return symbol;
  const std::string name = match[2].str().substr(0, std::stoul(match[1].str()));
  return "_" + name.substr(std::string("__device_stub__").size());
}

/// A word's bits, and the number they represent if it is a plausible literal.
std::string word(const std::string& bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  std::string text = fmt::format("0x{:x}", bits);
  double number = 0;
  if (bytes.size() == 8) std::memcpy(&number, &bits, 8);
  if (bytes.size() == 4) {
    float single = 0;
    std::memcpy(&single, bytes.data(), 4);
    number = single;
  }
  const double size = number < 0 ? -number : number;
  if (size > 1e-9 && size < 1e15) text += fmt::format(" ({:.6g})", number);
  return text;
}

std::string constant(const std::string& bytes, bool is_text) {
  if (is_text) return "\"" + printable(bytes, longest_text) + "\"";
  if (bytes.size() == 4 || bytes.size() == 8) return "{" + word(bytes) + "}";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    text += fmt::format("{}0x{:x}", at == 0 ? "" : " ", bits);
  }
  return "{" + text + "}";
}

/// Shortens long template names and keeps their ends.
std::string shortened(const std::string& name) {
  if (characters(name) <= longest_name) return printable(name);
  return printable(name.substr(0, longest_name * 2 / 3)) + "..." +
         printable(name.substr(name.size() - longest_name / 4));
}

}  // namespace

std::string without_clones(const std::string& section_name) {
  static const std::regex clone("[.](constprop|isra|part|cold|lto_priv)([.][0-9]+)?");
  return std::regex_replace(symbol_in(section_name), clone, "");
}

std::string without_template_arguments(const std::string& name) {
  if (name.find("operator") != std::string::npos) return name;  // its < may be no bracket
  std::string base;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) base += c;
    if (c == '>') --depth;
  }
  return depth == 0 ? base : name;
}

std::string name_of(const counters::ObjectCode& code, const counters::CodeNode& node) {
  const std::uint64_t flags = code.flags(node);
  if (flags & SHF_MERGE) return constant(code.bytes(node), flags & SHF_STRINGS);
  const std::string& section = code.section_name(node);
  const std::string symbol = symbol_in(section);
  if (symbol.empty()) return flags & SHF_EXECINSTR ? "all code of a file" : "data of a file";
  if (symbol.starts_with("_GLOBAL__sub_I_") || section.starts_with(".init_array"))
    return "the registration of the stage";
  return name_of(symbol);
}

std::string name_of(const std::string& symbol) {
  static const std::regex noise(
      R"(\(anonymous namespace\)::|ratchet::| \[clone [^\]]*\]|\[abi:cxx11\])");
  std::string name = std::regex_replace(demangled(without_stub(symbol)), noise, "");
  if (name.starts_with("void ")) name.erase(0, 5);
  return shortened(name);
}

}  // namespace ratchet::explain
