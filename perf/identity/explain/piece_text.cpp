#include "perf/identity/explain/piece_text.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>

#include "kernels/contract/counted.h"
#include "perf/identity/code/disassembler.h"
#include "perf/identity/explain/listing.h"
#include "perf/identity/static_metrics/metrics.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/printable.h"
#include "perf/support/process.h"

namespace ratchet::explain {
namespace {

using counters::CodeNode;
using counters::ObjectCode;

constexpr std::size_t mix_shown = 5, longest_instruction = 60, places_shown = 3;

std::uint64_t flags_of(const PieceChange& change, const BuildCode& before, const BuildCode& now) {
  return change.now ? now.code().flags(*change.now) : before.code().flags(*change.before);
}

std::string quoted(const Instruction& instruction) {
  return "`" + printable(instruction.text, longest_instruction) + "`";
}

bool same_text(const Instruction& a, const Instruction& b) { return a.text == b.text; }

/// For listings of equal length: the replaced instructions, if they are few.
std::string replaced_instructions(const std::vector<Instruction>& before,
                                  const std::vector<Instruction>& now) {
  std::string text;
  std::size_t places = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (same_text(before[i], now[i])) continue;
    if (++places > places_shown) return "";
    text +=
        fmt::format("{}{} is now {}", text.empty() ? "" : ", ", quoted(before[i]), quoted(now[i]));
  }
  return text;
}

/// The inserted or removed instructions, if they are few and in one place.
std::string moved_instructions(const std::vector<Instruction>& before,
                               const std::vector<Instruction>& now) {
  const bool more = now.size() > before.size();
  const auto &shorter = more ? before : now, &longer = more ? now : before;
  const std::size_t count = longer.size() - shorter.size();
  if (count == 0 || count > places_shown) return "";
  const auto [a, b] =
      std::mismatch(shorter.begin(), shorter.end(), longer.begin(), longer.end(), same_text);
  if (!std::equal(a, shorter.end(), b + static_cast<std::ptrdiff_t>(count), longer.end(),
                  same_text))
    return "";
  std::string text;
  for (auto each = b; each != b + static_cast<std::ptrdiff_t>(count); ++each)
    text += (text.empty() ? "" : ", ") + quoted(*each);
  return text + (more ? " added" : " removed");
}

/// The differing instructions of two listings, if they are few, since they are the best
/// description.
std::string small_edit(const std::vector<Instruction>& before,
                       const std::vector<Instruction>& now) {
  return before.size() == now.size() ? replaced_instructions(before, now)
                                     : moved_instructions(before, now);
}

std::string code_text(const ObjectCode& code_before, const CodeNode& before,
                      const ObjectCode& code_now, const CodeNode& now) {
  const std::size_t bytes_before = code_before.bytes(before).size();
  const std::size_t bytes_now = code_now.bytes(now).size();
  const std::string bytes = bytes_before == bytes_now
                                ? counted(bytes_now, "bytes")
                                : fmt::format("{} -> {} bytes", bytes_before, bytes_now);
  try {
    const auto was = listing_of(code_before, before), is = listing_of(code_now, now);
    const std::string counts = was.size() == is.size()
                                   ? counted(is.size(), "instructions")
                                   : fmt::format("{} -> {} instructions", was.size(), is.size());
    std::string how = small_edit(was, is);
    if (how.empty()) how = counters::mix_difference(mix_of(was), mix_of(is), mix_shown);
    if (how.empty()) how = "equal counts of each opcode, with other operands or in another order";
    return fmt::format("{}, {}: {}", counts, bytes, how);
  } catch (const counters::NoMetrics&) {
    return bytes + (bytes_before == bytes_now ? ", other machine code" : "");
  }
}

std::string data_text(const std::string& before, const std::string& now) {
  if (before.size() != now.size()) return fmt::format("{} -> {} bytes", before.size(), now.size());
  std::size_t differ = 0, first = before.size();
  for (std::size_t i = before.size(); i-- > 0;)
    if (before[i] != now[i]) ++differ, first = i;
  if (differ == 0) return "equal bytes, but other references";
  return fmt::format("{} of {} bytes changed, the first at {}", differ, now.size(), first);
}

}  // namespace

bool is_code(const PieceChange& change, const BuildCode& before, const BuildCode& now) {
  return flags_of(change, before, now) & SHF_EXECINSTR;
}

double size_difference(const PieceChange& change, const BuildCode& before, const BuildCode& now) {
  const auto size = [](const BuildCode& build, const std::optional<CodeNode>& node) {
    return node ? static_cast<double>(build.code().bytes(*node).size()) : 0;
  };
  return std::fabs(size(now, change.now) - size(before, change.before));
}

std::string piece_name(const PieceChange& change, const BuildCode& before, const BuildCode& now) {
  return change.now ? name_of(now.code(), *change.now) : name_of(before.code(), *change.before);
}

std::string piece_text(const PieceChange& change, const BuildCode& before, const BuildCode& now) {
  const std::string name = piece_name(change, before, now);
  const bool code = is_code(change, before, now);
  if (!change.before || !change.now) {
    const BuildCode& build = change.now ? now : before;
    const CodeNode& node = change.now ? *change.now : *change.before;
    return fmt::format("{}: {}, {} bytes{}", name, change.now ? "new" : "gone",
                       build.code().bytes(node).size(),
                       code && change.now      ? "; before, it was inlined or absent"
                       : code && change.before ? "; now it is inlined or not called"
                                               : "");
  }
  if (flags_of(change, before, now) & SHF_MERGE)
    return fmt::format("{}{} is now {}",
                       change.user ? "in " + name_of(now.code(), *change.user) + ": " : "",
                       name_of(before.code(), *change.before), name);
  if (name.starts_with("vtable for ")) return name + ": other virtual functions";
  if (!code)
    return "table " + name + ": " +
           data_text(before.code().bytes(*change.before), now.code().bytes(*change.now));
  const std::string was = name_of(before.code(), *change.before);
  const bool renamed =
      was != name && without_template_arguments(was) == without_template_arguments(name);
  const std::string renaming = renamed ? " (renamed from " + was + ")" : "";
  const std::string launches = change.launches.empty() ? "" : ", which launches " + change.launches;
  return name + renaming + launches + ": " +
         code_text(before.code(), *change.before, now.code(), *change.now);
}

std::vector<std::string> unified_diff(const NamedLines& before, const NamedLines& now) {
  constexpr double limit_s = 60;
  if (before.lines == now.lines) return {};
  const ScratchFolder folder;
  std::vector<std::string> command = {"diff", "-U3"};
  for (const NamedLines* side : {&before, &now}) {
    const auto file = folder.path() / (side == &before ? "before" : "now");
    std::string text;
    for (const std::string& line : side->lines) text += line + "\n";
    write_atomically(file, text);
    command.push_back("--label=" + side->name);
    if (side == &now) command.push_back((folder.path() / "before").string());
    if (side == &now) command.push_back(file.string());
  }
  const ProcessResult result = run_process(command, limit_s);
  if (result.signal != 0 || result.timed_out || result.exit_code > 1)
    throw Error("diff: " + result.describe());
  std::vector<std::string> lines;
  std::istringstream stream(result.output);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace ratchet::explain
