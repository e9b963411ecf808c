// The machine code and data of a program before it is linked, as a graph: what refers to what.
//
// A node is a section of an object file (compiled with -ffunction-sections -fdata-sections: a
// function, a table, a vtable), or one constant or string of a section that the linker may merge.
// Its references are its relocations (ELF-64 with addends: System V gABI, "Relocation"), resolved
// as the linker does: of several weak definitions the first counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ratchet::counters {

struct CodeNode {
  std::uint32_t object = 0, section = 0;  ///< section by its ELF index
  std::uint64_t piece = 0;                ///< offset of a mergeable constant; else 0
  auto operator<=>(const CodeNode&) const = default;
};

/// One relocation of a node.
struct Reference {
  std::uint64_t offset = 0;  ///< in the node
  std::uint32_t type = 0;    ///< R_X86_64_PC32, ...
  std::int64_t addend = 0;
  bool external = false;
  std::string name;         ///< of an external symbol
  CodeNode target;          ///< of another
  std::uint64_t value = 0;  ///< where in the target the symbol stands
};

class ObjectCode {
 public:
  /// Reads object files, and static libraries as the object files in them, in the order in which
  /// they are linked. Throws `Error` naming the file for one that cannot be read or is no ELF-64
  /// object.
  explicit ObjectCode(const std::vector<std::filesystem::path>& objects);
  ~ObjectCode();

  std::size_t objects() const { return files_.size(); }
  /// Its path; of a member of a library "libfoo.a(bar.o)".
  const std::string& name(std::uint32_t object) const;
  /// The object file itself.
  std::string_view image(std::uint32_t object) const;
  /// Its sections that run before main(): the constructors of what stands at namespace scope.
  std::vector<CodeNode> initialisers(std::uint32_t object) const;
  /// The definition of a symbol, local ones included; of several, the first.
  const CodeNode* find(const std::string& symbol) const;

  /// ".text._ZN7ratchet3runEv"; the compiler names sections for what they hold.
  const std::string& section_name(const CodeNode& node) const;
  /// Of its section: SHF_EXECINSTR, SHF_MERGE (a constant), SHF_STRINGS (a text), ...
  std::uint64_t flags(const CodeNode& node) const;
  /// Its bytes; for memory that starts as zeros, a text that says how much.
  std::string bytes(const CodeNode& node) const;
  /// In order of offset.
  std::vector<Reference> references(const CodeNode& node) const;

 private:
  struct File;
  void add(std::string bytes, const std::string& name);
  bool merged(const CodeNode& node) const;
  CodeNode node_at(std::uint32_t object, std::uint32_t section, std::uint64_t value) const;
  std::vector<std::unique_ptr<File>> files_;
  std::map<std::string, CodeNode> defined_;        ///< global and weak symbols
  std::map<std::string, std::uint64_t> value_of_;  ///< of those
  std::map<std::string, CodeNode> local_;
};

}  // namespace ratchet::counters
