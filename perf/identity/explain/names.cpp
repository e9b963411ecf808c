#include "perf/identity/explain/names.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <regex>

#include "perf/support/printable.h"

namespace ratchet::explain {
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
