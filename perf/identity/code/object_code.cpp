#include "perf/identity/code/object_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "perf/identity/code/elf_file.h"
#include "perf/support/error.h"

namespace ratchet::counters {
namespace {

template <class Entry>
std::vector<Entry> entries(const ElfSection& section) {
  std::vector<Entry> all(section.bytes.size() / sizeof(Entry));
  if (!all.empty()) std::memcpy(all.data(), section.bytes.data(), all.size() * sizeof(Entry));
  return all;
}

}  // namespace

struct ObjectCode::File {
  File(std::string bytes, const std::string& what)
      : name(what), image(std::move(bytes)), elf(image, what) {}

  const ElfSection& section(std::uint32_t index) const { return elf.sections().at(index - 1); }
  bool has(std::uint32_t index) const { return index >= 1 && index <= elf.sections().size(); }

  std::string name;
  std::string image;
  ElfFile elf;
  std::vector<Elf64_Sym> symbols;
  std::vector<std::string> names;                                ///< of the symbols
  std::map<std::uint32_t, std::vector<Elf64_Rela>> relocations;  ///< by section, by offset
};

ObjectCode::~ObjectCode() = default;

ObjectCode::ObjectCode(const std::vector<std::filesystem::path>& objects) {
  for (const auto& path : objects)
    for (ObjectFile& each : object_files(path)) add(std::move(each.bytes), each.name);
}

const std::string& ObjectCode::name(std::uint32_t object) const { return files_.at(object)->name; }

void ObjectCode::add(std::string bytes, const std::string& name) {
  const auto number = static_cast<std::uint32_t>(files_.size());
  files_.push_back(std::make_unique<File>(std::move(bytes), name));
  File& file = *files_.back();
  for (const ElfSection& section : file.elf.sections()) {
    if (section.header.sh_type == SHT_RELA) {
      auto& into = file.relocations[section.header.sh_info];
      into = entries<Elf64_Rela>(section);
      std::stable_sort(into.begin(), into.end(),
                       [](const auto& a, const auto& b) { return a.r_offset < b.r_offset; });
    }
    if (section.header.sh_type != SHT_SYMTAB) continue;
    file.symbols = entries<Elf64_Sym>(section);
    const std::string_view text = file.section(section.header.sh_link).bytes;
    for (const Elf64_Sym& symbol : file.symbols) {
      if (symbol.st_name >= text.size()) throw Error(name + " has a symbol without name");
      file.names.emplace_back(text.data() + symbol.st_name);
    }
  }
  for (std::size_t i = 0; i < file.symbols.size(); ++i) {
    const Elf64_Sym& symbol = file.symbols[i];
    if (!file.has(symbol.st_shndx)) continue;
    const CodeNode node = node_at(number, symbol.st_shndx, symbol.st_value);
    const bool local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL;
    if (local) local_.emplace(file.names[i], node);
    if (!local && defined_.emplace(file.names[i], node).second)
      value_of_[file.names[i]] = symbol.st_value;
  }
}

std::uint64_t ObjectCode::flags(const CodeNode& node) const {
  return files_.at(node.object)->section(node.section).header.sh_flags;
}

bool ObjectCode::merged(const CodeNode& node) const { return flags(node) & SHF_MERGE; }

CodeNode ObjectCode::node_at(std::uint32_t object, std::uint32_t section,
                             std::uint64_t value) const {
  const CodeNode whole{object, section, 0};
  return merged(whole) ? CodeNode{object, section, value} : whole;
}

std::string_view ObjectCode::image(std::uint32_t object) const { return files_.at(object)->image; }

std::vector<CodeNode> ObjectCode::initialisers(std::uint32_t object) const {
  std::vector<CodeNode> nodes;
  for (std::uint32_t i = 1; files_.at(object)->has(i); ++i)
    if (files_[object]->section(i).header.sh_type == SHT_INIT_ARRAY)
      nodes.push_back({object, i, 0});
  return nodes;
}

const CodeNode* ObjectCode::find(const std::string& symbol) const {
  if (const auto found = defined_.find(symbol); found != defined_.end()) return &found->second;
  const auto found = local_.find(symbol);
  return found == local_.end() ? nullptr : &found->second;
}

const std::string& ObjectCode::section_name(const CodeNode& node) const {
  return files_.at(node.object)->section(node.section).name;
}

std::string ObjectCode::bytes(const CodeNode& node) const {
  const ElfSection& section = files_.at(node.object)->section(node.section);
  if (section.header.sh_type == SHT_NOBITS) return fmt::format("{} zeros", section.header.sh_size);
  if (!merged(node)) return std::string(section.bytes);
  const std::string_view rest =
      section.bytes.substr(std::min<std::size_t>(node.piece, section.bytes.size()));
  const std::size_t entry = std::max<std::size_t>(1, section.header.sh_entsize);
  if (!(section.header.sh_flags & SHF_STRINGS) || entry > 1)
    return std::string(rest.substr(0, entry));
  return std::string(rest.substr(0, rest.find('\0')));
}

std::vector<Reference> ObjectCode::references(const CodeNode& node) const {
  const File& file = *files_.at(node.object);
  std::vector<Reference> all;
  const auto found = file.relocations.find(node.section);
  if (found == file.relocations.end()) return all;
  for (const Elf64_Rela& entry : found->second) {
    Reference reference;
    reference.offset = entry.r_offset;
    reference.type = static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info));
    reference.addend = entry.r_addend;
    const std::size_t index = ELF64_R_SYM(entry.r_info);
    const Elf64_Sym& symbol = file.symbols.at(index);
    const std::string& name = file.names[index];
    const bool local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL && file.has(symbol.st_shndx);
    const auto global = local ? defined_.end() : defined_.find(name);
    reference.external = !local && global == defined_.end();
    if (reference.external) {
      reference.name = name;
    } else if (local) {
      // The assembler refers to a constant by symbol in code, and by section and offset in data.
      const bool by_offset = ELF64_ST_TYPE(symbol.st_info) == STT_SECTION;
      reference.value = symbol.st_value;
      reference.target = node_at(node.object, symbol.st_shndx,
                                 symbol.st_value + (by_offset ? reference.addend : 0));
      if (by_offset && merged(reference.target)) reference.addend = 0;
    } else {
      reference.target = global->second;
      reference.value = value_of_.at(name);
    }
    // The place of a constant among others has no meaning.
    if (!reference.external && merged(reference.target)) reference.value = 0;
    all.push_back(std::move(reference));
  }
  return all;
}

}  // namespace ratchet::counters
