#include "perf/identity/digests/row_digest.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <memory>

#include "perf/identity/digests/row_graph.h"
#include "perf/identity/digests/work_digest.h"
#include "perf/support/error.h"
#include "perf/support/hash.h"

namespace ratchet::counters {
namespace {

namespace fs = std::filesystem;
using rows::Graph, rows::RowNode;
using std::size_t, std::string, std::string_view, std::uint32_t, std::uint64_t;

/// Functions of libraries through which an initialiser reaches no row.
bool is_harmless(string_view symbol) {
  static const std::set<string_view> names = {"_Znwm",
                                              "_Znam",
                                              "_ZdlPv",
                                              "_ZdlPvm",
                                              "_ZdaPv",
                                              "_ZdaPvm",
                                              "__cxa_atexit",
                                              "_Unwind_Resume",
                                              "__dso_handle",
                                              "_GLOBAL_OFFSET_TABLE_",
                                              "memcpy",
                                              "memmove",
                                              "memset",
                                              "memcmp",
                                              "strlen",
                                              "__stack_chk_fail",
                                              "__gxx_personality_v0",
                                              "__cxa_pure_virtual",  // in a fixture's vtable
                                              "__cxa_guard_acquire",
                                              "__cxa_guard_release",
                                              "__cxa_guard_abort",
                                              "_ZNSt8ios_base4InitC1Ev",
                                              "_ZNSt8ios_base4InitD1Ev"};
  return names.contains(symbol) || rows::registers(symbol) ||
         symbol.starts_with("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE") ||
         symbol.starts_with("_ZNSt6vectorI") || symbol.starts_with("_ZSt20__throw_length_error") ||
         symbol.starts_with("_ZSt19__throw_logic_error") || symbol.starts_with("_ZTVN10__cxxabiv1");
}

/// How far a walk goes: main() cannot call a function that takes a State, and no initialiser what
/// only registers.
enum class From { row, program, initialiser };

class RowWalk {
 public:
  explicit RowWalk(Graph& graph) : graph_(graph) {}

  void follow(size_t root, From from) {
    std::vector<size_t> open = {root};
    while (!open.empty()) {
      const size_t index = open.back();
      open.pop_back();
      const auto [place, added] = number_.emplace(index, number_.size());
      if (!added) {
        text_ += fmt::format("@{}\n", place->second);
        continue;
      }
      const RowNode& node = graph_.node(index);
      text_ += node.facts + "\n";
      if (unknown_.empty()) unknown_ = node.unknown;
      if (const auto memory = graph_.writable(node.piece)) memory_.insert(*memory);
      externals_.insert(node.externals.begin(), node.externals.end());
      for (auto each = node.targets.rbegin(); each != node.targets.rend(); ++each)
        if (is_followed(*each, from)) open.push_back(*each);
    }
    text_ += "end\n";
  }

  const string& text() const { return text_; }
  const string& unknown() const { return unknown_; }
  const std::set<std::pair<uint32_t, uint32_t>>& memory() const { return memory_; }
  const std::set<string>& externals() const { return externals_; }
  std::set<rows::Piece> constants() const {
    std::set<rows::Piece> constants;
    for (const auto& [index, number] : number_)
      if (const rows::Piece& piece = graph_.node(index).piece; graph_.is_constant(piece))
        constants.insert(piece);
    return constants;
  }

 private:
  bool is_followed(size_t index, From from) {
    const RowNode& node = graph_.node(index);
    if (from != From::row && node.state) return false;
    if (from != From::initialiser || !node.registering) return true;
    externals_.insert(node.name);
    return false;
  }

  Graph& graph_;
  std::map<size_t, size_t> number_;
  string text_, unknown_;
  std::set<std::pair<uint32_t, uint32_t>> memory_;
  std::set<string> externals_;
};

struct Initialiser {
  size_t node = 0;
  bool always = false;  ///< it may change what a library does
  std::set<std::pair<uint32_t, uint32_t>> memory;
  std::set<rows::Piece> constants;  ///< with the tables of virtual functions of what it makes
};

std::vector<Initialiser> initialisers_of(Graph& graph) {
  std::vector<Initialiser> all;
  for (const size_t each : graph.initialisers()) {
    RowWalk walk(graph);
    walk.follow(each, From::initialiser);
    for (const string& name : walk.externals())
      if (name.find("9Benchmark5SetupE") != string::npos ||
          name.find("9Benchmark8TeardownE") != string::npos)
        throw Error("benchmarks with Setup() or Teardown()");
    all.push_back({each,
                   !walk.unknown().empty() ||
                       !std::all_of(walk.externals().begin(), walk.externals().end(), is_harmless),
                   walk.memory(), walk.constants()});
  }
  return all;
}

/// Everything that runs in a process that measures this row, except initialisers that share no
/// writable memory with it and do not make the object of its class.
string digest_of(Graph& graph, size_t row, const std::vector<Initialiser>& initialisers) {
  const auto table = graph.table_of(row);
  const auto entry = graph.global("main");
  const auto makes = [&](const std::set<rows::Piece>& constants) {
    return table && std::any_of(constants.begin(), constants.end(), [&](const rows::Piece& piece) {
             return overlap(piece, graph.node(*table).piece);
           });
  };
  if (table) {
    RowWalk program(graph);
    if (entry) program.follow(*entry, From::program);
    const bool made = makes(program.constants()) ||
                      std::any_of(initialisers.begin(), initialisers.end(),
                                  [&](const Initialiser& each) { return makes(each.constants); });
    if (!made) throw Error("it is not known what makes the object of its class");
  }
  RowWalk walk(graph);
  if (table) walk.follow(*table, From::row);
  walk.follow(row, From::row);
  if (entry) walk.follow(*entry, From::program);
  for (const string& name : graph.linked().exported)
    if (const auto found = graph.global(name); found && found != entry)
      walk.follow(*found, From::program);
  std::set<size_t> taken;
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < initialisers.size(); ++i) {
      const Initialiser& each = initialisers[i];
      const bool shared =
          std::any_of(each.memory.begin(), each.memory.end(),
                      [&](const auto& memory) { return walk.memory().contains(memory); });
      if (taken.contains(i) || (!each.always && !shared && !makes(each.constants))) continue;
      taken.insert(i);
      walk.follow(each.node, From::initialiser);
      more = true;
    }
  }
  if (!walk.unknown().empty()) throw Error(walk.unknown());
  return walk.text();
}

}  // namespace

namespace {

/// Whether a function's parameters are one of `parameters`. Its symbol has `part`.
bool takes_one_of(const string& symbol, string_view part,
                  std::initializer_list<string_view> parameters) {
  if (symbol.find(part) == string::npos) return false;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  const string_view text = plain ? plain.get() : "";
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](string_view each) { return text.ends_with(each); });
}

}  // namespace

bool takes_state(const string& symbol) {
  // GCC demangles the function of a lambda without "&".
  return takes_one_of(symbol, "5State", {"(benchmark::State&)", "(benchmark::State)"});
}

bool needs_state(const string& symbol) {
  // The library's own functions name State within its namespace.
  return takes_one_of(symbol, "9benchmark5State",
                      {"(benchmark::State&)", "(benchmark::State)", "(benchmark::State const&)"});
}

RowDigests row_digests(const fs::path& program, const Link& link,
                       const std::map<RowId, std::set<string>>& functions) {
  const auto libraries = library_parts(program);
  if (!libraries) throw Error("the program may load further libraries");
  Graph graph(program, link.objects);
  const std::vector<Initialiser> initialisers = initialisers_of(graph);
  RowDigests rows;
  for (const auto& [row, names] : functions) {
    try {
      rows.digests[row] =
          sha1(*libraries + link.options + digest_of(graph, graph.function(names), initialisers));
    } catch (const Error& error) {
      rows.unknown[row] = error.what();
    }
  }
  return rows;
}

}  // namespace ratchet::counters
