#include "perf/identity/code/static_code.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

#include "perf/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet::counters {
namespace {

using nlohmann::json;

/// The value after `key` in a line of "KEY:VALUE" words.
std::optional<int> figure(const std::string& line, const std::string& key) {
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    if (word.size() <= key.size() || !word.starts_with(key) || word[key.size()] != ':') continue;
    char* end = nullptr;
    const long value = std::strtol(word.c_str() + key.size() + 1, &end, 10);
    if (*end != '\0' || value < 0) return std::nullopt;
    return static_cast<int>(value);
  }
  return std::nullopt;
}

std::optional<std::string> after(const std::string& line, const std::string& prefix) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == std::string::npos || line.compare(start, prefix.size(), prefix) != 0)
    return std::nullopt;
  return line.substr(start + prefix.size());
}

/// Reads `cuobjdump -res-usage` line by line; the figures of a function follow its name.
class ResourceReader {
 public:
  explicit ResourceReader(const std::string& what) : what_(what) {}

  void read(std::string line) {
    ++number_;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!symbol_.empty()) return figures(line);
    if (line.starts_with("Fatbin ")) {
      in_code_ = line.starts_with("Fatbin elf code");
      if (in_code_) listings_.emplace_back();
    }
    if (!in_code_) return;
    if (const auto arch = after(line, "arch = ")) listings_.back().arch = *arch;
    if (const auto source = after(line, "identifier = ")) listings_.back().source = *source;
    if (const auto function = after(line, "Function ")) name(*function, line);
  }

  std::vector<ResourceListing> finish() {
    if (!symbol_.empty()) fail("ends within a function");
    return std::move(listings_);
  }

 private:
  void name(const std::string& function, const std::string& line) {
    if (function.size() < 2 || function.back() != ':') fail(line);
    symbol_ = function.substr(0, function.size() - 1);
  }
  void figures(const std::string& line) {
    const auto registers = figure(line, "REG"), stack = figure(line, "STACK");
    const auto shared = figure(line, "SHARED");
    if (!registers || !stack || !shared) fail(line);
    KernelCode& kernel = listings_.back().functions[symbol_];
    kernel.registers = *registers;
    kernel.stack = *stack;
    kernel.shared = *shared;
    kernel.constant = figure(line, "CONSTANT[0]").value_or(0);
    symbol_.clear();
  }
  [[noreturn]] void fail(const std::string& line) const {
    throw Error(fmt::format("{}, line {}: unexpected: {}", what_, number_, line));
  }

  const std::string& what_;
  std::vector<ResourceListing> listings_;
  std::string symbol_;  // of the figures on the next line
  bool in_code_ = false;
  int number_ = 0;
};

KernelCode count_instructions(const json& function) {
  KernelCode kernel;
  for (const json& instruction : function.at("sass-instructions")) {
    const std::string opcode = instruction.at("opcode").get<std::string>();
    const std::string base = opcode.substr(0, opcode.find('.'));
    if (base == "NOP") continue;  // padding to the section's alignment
    ++kernel.instructions;
    ++kernel.mix[base];
  }
  const auto of = [&](const char* base) {
    const auto found = kernel.mix.find(base);
    return found == kernel.mix.end() ? 0 : found->second;
  };
  kernel.local_loads = of("LDL");
  kernel.local_stores = of("STL");
  return kernel;
}

std::string toolchain_of(const json& header) {
  const auto note = header.find(".note.nv.tkinfo");
  if (note == header.end()) return "unknown";
  std::string version = note->value("tki_toolVersion", "unknown");
  if (const auto at = version.find("release "); at != std::string::npos) version.erase(0, at);
  std::istringstream options(note->value("tki_toolOptions", ""));
  for (std::string word; options >> word;) version += " " + word;
  return version;
}

/// The parts of a path, without empty ones as in "a//b".
std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  std::istringstream stream{std::string(path)};
  for (std::string part; std::getline(stream, part, '/');)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// The parts of a path below its last kernels/: family, folders, file; empty without kernels/.
std::vector<std::string> below_kernels(std::string_view source) {
  const std::vector<std::string> parts = parts_of(source);
  const auto kernels = std::find(parts.rbegin(), parts.rend(), "kernels");
  if (kernels == parts.rend() || parts.end() - kernels.base() < 2) return {};
  return {kernels.base(), parts.end()};
}

const std::regex& stage_file() {
  static const std::regex form("(cuda|hybrid)_([0-9]+[a-z]?_[a-z0-9_]+)[.]cu");
  return form;
}

}  // namespace

std::vector<ResourceListing> parse_resource_usage(std::string_view text, const std::string& what) {
  ResourceReader reader(what);
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) reader.read(line);
  return reader.finish();
}

std::map<std::string, KernelCode> parse_disassembly(std::string_view text, const std::string& what,
                                                    std::string& toolchain) {
  const json parsed = parse_json(text, what, {.bytes = std::size_t{1} << 30, .depth = 16});
  std::map<std::string, KernelCode> functions;
  try {
    toolchain = toolchain_of(parsed.at(0));
    for (const json& function : parsed.at(1))
      functions[function.at("function-name").get<std::string>()] = count_instructions(function);
  } catch (const json::exception&) {
    throw Error(what + " is not a JSON disassembly of nvdisasm of CUDA 13");
  }
  return functions;
}

std::string readable_kernel(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !demangled) return symbol;
  static const std::regex noise(R"(\(anonymous namespace\)::|ratchet::(?:[a-z]\w*::)?)");
  std::string name = std::regex_replace(demangled.get(), noise, "");
  if (name.starts_with("void ")) name.erase(0, 5);
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0) return name.substr(0, i);
  }
  return name;
}

std::string stage_of_source(std::string_view source) {
  const std::vector<std::string> place = below_kernels(source);
  std::smatch match;
  if (place.size() != 2 || !std::regex_match(place[1], match, stage_file())) return "";
  return fmt::format("{}/{}/{}", place[0], match[1].str(), match[2].str());
}

std::string shared_by(std::string_view source) {
  const std::vector<std::string> place = below_kernels(source);
  return !place.empty() && stage_of_source(source).empty() ? place[0] : "";
}

}  // namespace ratchet::counters
