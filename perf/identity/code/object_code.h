// The graph of references between the functions and data of a program's object files.
//
// A node is a section of an object file (compiled with -ffunction-sections -fdata-sections: a
// function, a table, a vtable), or one constant or string of a mergeable section. Its references
// are its relocations (ELF-64 with addends: System V gABI, "Relocation"), resolved like the linker:
// the first of several weak definitions counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
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
  std::uint64_t value = 0;  ///< offset of the symbol in the target
};

class ObjectCode {
 public:
  /// Reads object files and the members of static libraries, in link order. Throws `Error` naming a
  /// file that cannot be read or is not an ELF-64 object.
  explicit ObjectCode(const std::vector<std::filesystem::path>& objects);
  ~ObjectCode();

  std::size_t objects() const { return files_.size(); }
  /// Its path; "libfoo.a(bar.o)" for a member of a library.
  const std::string& name(std::uint32_t object) const;
  /// The object file itself.
  std::string_view image(std::uint32_t object) const;
  /// Its sections that run before main(): the constructors of namespace-scope objects.
  std::vector<CodeNode> initialisers(std::uint32_t object) const;
  /// The first definition of a symbol, including local ones.
  const CodeNode* find(const std::string& symbol) const;

  /// ".text._ZN7ratchet3runEv": the compiler names sections after their content.
  const std::string& section_name(const CodeNode& node) const;
  /// Of its section: SHF_EXECINSTR, SHF_MERGE (a constant), SHF_STRINGS (a text), ...
  std::uint64_t flags(const CodeNode& node) const;
  /// Its bytes; for zero-initialised memory, a text that states the size.
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
