// The functions, constants and objects of a program's object files, and what each refers to: what
// row_digest.cpp walks. README.md has the rules (R4, R5, R8, R9).
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perf/identity/code/elf_file.h"
#include "perf/identity/code/x86_64.h"
#include "perf/identity/digests/work_digest.h"

namespace ratchet::counters::rows {

namespace fs = std::filesystem;
using std::int64_t, std::size_t, std::string, std::string_view, std::uint32_t, std::uint64_t;

/// Whether the symbol registers a benchmark; that changes only the library's list of benchmarks
/// (R6).
bool registers(string_view symbol);

/// What the symbol tables of the linked program say.
struct Linked {
  std::set<string> own;                               ///< with bytes in the file
  std::set<string> exported;                          ///< which a library may call
  std::map<string, std::vector<uint64_t>> functions;  ///< their lengths, by name
  size_t initialisers = 0;                            ///< which run before main()
};

/// A function, a constant, a named object, or a whole section.
struct Piece {
  uint32_t object = 0, section = 0;
  uint64_t begin = 0, end = 0;
  auto operator<=>(const Piece&) const = default;
};
/// A named object may also be referred to by its section.
bool overlap(const Piece& a, const Piece& b);

struct Object {
  Object(string bytes, const string& path) : image(std::move(bytes)), elf(image, path) {}
  const ElfSection& section(uint32_t index) const { return elf.sections().at(index - 1); }
  bool has(size_t index) const { return index > 0 && index <= elf.sections().size(); }
  bool is_code(uint32_t index) const { return section(index).header.sh_flags & SHF_EXECINSTR; }
  string_view name_of(const Elf64_Sym& symbol) const { return names.data() + symbol.st_name; }

  string image;
  ElfFile elf;
  bool in_library = false;
  bool by_compiler = false;  ///< else its functions may run on into the next
  std::vector<Elf64_Sym> symbols;
  string_view names;
  std::map<uint32_t, std::vector<Elf64_Rela>> relocations;     ///< by section, in order
  std::map<uint32_t, std::map<uint64_t, uint64_t>> functions;  ///< begin to end
  std::map<Piece, Piece> exceptions;             ///< of a function, its table of landing pads
  std::map<uint32_t, std::set<uint64_t>> bases;  ///< places in data that code refers to
  std::map<uint32_t, std::map<uint64_t, uint64_t>> tables;  ///< of jumps, begin to end
};

/// The instructions of a function.
struct FunctionCode {
  std::vector<Instruction> instructions;
  std::vector<bool> padding;   ///< by instruction
  std::vector<size_t> number;  ///< by instruction, how many before it are no padding
};

struct Definition {
  uint32_t object = 0, symbol = 0;
};

struct RowNode {
  Piece piece;
  string name;   ///< of the first symbol at its begin
  string facts;  ///< hash of its bytes and references, without what those refer to
  std::vector<size_t> targets;
  std::vector<string> externals;
  string unknown;  ///< why it cannot be followed
  bool ready = false, state = false, registering = false;
};

class Graph {
 public:
  Graph(const fs::path& program, const std::vector<fs::path>& objects);

  const Linked& linked() const { return linked_; }
  /// The only function of one of these names.
  size_t function(const std::set<string>& names);
  std::optional<size_t> global(const string& name);
  /// What runs before main().
  const std::vector<size_t>& initialisers();
  /// Complete: with facts and targets.
  const RowNode& node(size_t index);
  /// The table of virtual functions that holds the address of a function; nothing where no data
  /// does. Throws `Error` where other data does, or several tables.
  std::optional<size_t> table_of(size_t function);
  /// Writable memory; nothing of others. By section, since pieces of one may overlap.
  std::optional<std::pair<uint32_t, uint32_t>> writable(const Piece& piece) const;
  bool is_constant(const Piece& piece) const {
    return !objects_[piece.object]->is_code(piece.section) && !writable(piece);
  }

 private:
  void add(string bytes, const string& name, bool library);
  void read_functions(Object& object, uint32_t number);
  void read_exceptions(Object& object, uint32_t number);
  Piece whole(uint32_t object, uint32_t section) const {
    return {object, section, 0, objects_[object]->section(section).header.sh_size};
  }
  Piece containing(uint32_t object, uint32_t section, uint64_t at) const;
  Piece piece_of(uint32_t object, const Elf64_Sym& symbol) const;
  Piece constant(uint32_t object, uint32_t section, uint64_t at) const;
  size_t index_of(const Piece& piece);
  string shallow(const Definition& definition) const;
  const Definition* resolve(const string& name, string& unknown);
  void refer(RowNode& node, string& text, const Elf64_Rela& entry);
  const FunctionCode* code_of(const Piece& piece);
  string place_in(const Piece& piece, int64_t at);
  void refer_nearby(RowNode& node, string& text, string& bytes);
  bool refer_beside_tables(RowNode& node, string& text, uint32_t section, int64_t addend);
  void read_tables(Object& object);
  string_view bytes_of(const Piece& piece) const;
  size_t holder(uint32_t object, uint32_t section, uint64_t at);

  Linked linked_;
  Libraries libraries_;
  std::vector<std::unique_ptr<Object>> objects_;
  std::map<string, std::vector<Definition>> globals_;
  std::map<string, std::vector<Piece>> locals_;  ///< functions
  std::deque<RowNode> nodes_;
  std::map<Piece, size_t> index_;
  std::map<Piece, std::optional<FunctionCode>> code_;
  std::optional<std::vector<size_t>> initialisers_;
  std::optional<std::map<size_t, std::set<size_t>>> in_data_;  ///< function to what holds it
};

}  // namespace ratchet::counters::rows
