#include "perf/identity/digests/row_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "perf/identity/digests/row_digest.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"

namespace ratchet::counters::rows {
namespace {

constexpr uint64_t no_bytes = ~uint64_t{0};

/// What the linker or the compiler's own start-up files define, of no effect on a row's work.
bool is_linkers(string_view symbol) {
  return symbol == "__dso_handle" || symbol == "_GLOBAL_OFFSET_TABLE_";
}

template <class Entry>
std::vector<Entry> entries_of(const ElfSection& section) {
  std::vector<Entry> all(section.bytes.size() / sizeof(Entry));
  if (!all.empty()) std::memcpy(all.data(), section.bytes.data(), all.size() * sizeof(Entry));
  return all;
}

bool is_list_of_initialisers(const ElfSection& section) {
  return section.header.sh_type == SHT_INIT_ARRAY || section.header.sh_type == SHT_PREINIT_ARRAY;
}

Linked symbols_of(const fs::path& program) {
  const string image = read_text(program, size_t{1} << 30);
  const ElfFile elf(image, program.string());
  Linked linked;
  for (const ElfSection& section : elf.sections()) {
    if (section.name == ".nv_fatbin") throw Error("the program has device code");
    if (is_list_of_initialisers(section)) linked.initialisers += section.header.sh_size / 8;
    const bool dynamic = section.header.sh_type == SHT_DYNSYM;
    if (!dynamic && section.header.sh_type != SHT_SYMTAB) continue;
    const string_view names = elf.sections().at(section.header.sh_link - 1).bytes;
    for (const Elf64_Sym& symbol : entries_of<Elf64_Sym>(section)) {
      const size_t where = symbol.st_shndx;
      if (where == 0 || where > elf.sections().size() || symbol.st_name >= names.size()) continue;
      string name = names.data() + symbol.st_name;
      name.resize(std::min(name.size(), name.find('@')));
      if (dynamic) linked.exported.insert(name);
      if (dynamic || elf.sections()[where - 1].header.sh_type == SHT_NOBITS) continue;
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
        linked.functions[name].push_back(symbol.st_size);
      linked.own.insert(name);
    }
  }
  if (linked.own.empty()) throw Error("the program has no symbols");
  // Data of a library of which the loader makes a copy in the program.
  for (const ElfSection& section : elf.sections()) {
    if (section.header.sh_type != SHT_RELA || section.name != ".rela.dyn") continue;
    const ElfSection& table = elf.sections().at(section.header.sh_link - 1);
    const auto symbols = entries_of<Elf64_Sym>(table);
    const string_view names = elf.sections().at(table.header.sh_link - 1).bytes;
    for (const Elf64_Rela& entry : entries_of<Elf64_Rela>(section))
      if (ELF64_R_TYPE(entry.r_info) == R_X86_64_COPY)
        linked.own.erase(names.data() + symbols.at(ELF64_R_SYM(entry.r_info)).st_name);
  }
  return linked;
}

/// Whether `type` is relative to its place; its addend then holds the bytes up to the end of the
/// instruction.
bool is_relative(uint32_t type) {
  return type == R_X86_64_PC32 || type == R_X86_64_PLT32 || type == R_X86_64_GOTPCREL ||
         type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX || type == R_X86_64_PC64;
}
bool is_known(uint32_t type) {
  return is_relative(type) || type == R_X86_64_64 || type == R_X86_64_32 || type == R_X86_64_32S ||
         type == R_X86_64_TLSGD || type == R_X86_64_TLSLD || type == R_X86_64_DTPOFF32 ||
         type == R_X86_64_DTPOFF64 || type == R_X86_64_GOTTPOFF || type == R_X86_64_TPOFF32;
}

}  // namespace

bool overlap(const Piece& a, const Piece& b) {
  return a.object == b.object && a.section == b.section && a.begin < b.end && b.begin < a.end;
}

bool registers(string_view symbol) {
  return symbol.starts_with("_ZN9benchmark8internal9Benchmark") ||
         symbol.starts_with("_ZN9benchmark9Benchmark") ||
         symbol.starts_with("_ZTIN9benchmark8internal9Benchmark") ||  // a fixture's base
         symbol.starts_with("_ZTIN9benchmark9Benchmark") ||
         symbol.starts_with("_ZN9benchmark8internal25RegisterBenchmarkInternal") ||
         symbol.starts_with("_ZN9benchmark8internal17InitializeStreams") ||
         symbol.starts_with("_ZTVN9benchmark8internal17FunctionBenchmark") ||
         symbol.starts_with("_ZTVN9benchmark17FunctionBenchmark");
}

Graph::Graph(const fs::path& program, const std::vector<fs::path>& objects)
    : linked_(symbols_of(program)), libraries_(libraries_of(program)) {
  for (const fs::path& path : objects) {
    std::vector<ObjectFile> files = object_files(path);
    const bool library = files.size() != 1 || files.front().name != path.string();
    for (ObjectFile& each : files) add(std::move(each.bytes), each.name, library);
  }
}

void Graph::add(string bytes, const string& name, bool library) {
  const auto number = static_cast<uint32_t>(objects_.size());
  if (!bytes.starts_with("\x7f"
                         "ELF"))
    throw Error(name + " is not an ELF file, as with -flto");
  objects_.push_back(std::make_unique<Object>(std::move(bytes), name));
  Object& object = *objects_.back();
  object.in_library = library;
  if (object.elf.header().e_machine != EM_X86_64) throw Error(name + " is not for x86-64");
  uint32_t index = 0;
  for (const ElfSection& section : object.elf.sections()) {
    ++index;
    if (section.name.starts_with(".gnu.lto_")) throw Error(name + " is compiled with -flto");
    if (section.name.starts_with(".ctors") || section.name == ".init")
      throw Error(name + " has a section " + string(section.name));
    if (section.name == ".nv_fatbin") throw Error("the program has device code");
    if (section.name == ".comment") object.by_compiler = true;
    if (section.header.sh_type == SHT_REL || section.header.sh_type == SHT_SYMTAB_SHNDX)
      throw Error(name + " has a section of an unknown kind, " + section.name);
    if (section.header.sh_type == SHT_RELA) {
      auto& into = object.relocations[section.header.sh_info];
      into = entries_of<Elf64_Rela>(section);
      std::stable_sort(into.begin(), into.end(),
                       [](const auto& a, const auto& b) { return a.r_offset < b.r_offset; });
    }
    if (section.header.sh_type != SHT_SYMTAB) continue;
    object.symbols = entries_of<Elf64_Sym>(section);
    object.names = object.section(section.header.sh_link).bytes;
    if (object.names.empty() || object.names.back() != '\0') throw Error(name + " is malformed");
    for (const Elf64_Sym& symbol : object.symbols)
      if (symbol.st_name >= object.names.size()) throw Error(name + " is malformed");
  }
  read_functions(object, number);
  read_tables(object);
  read_exceptions(object, number);
}

void Graph::read_functions(Object& object, uint32_t number) {
  for (uint32_t i = 0; i < object.symbols.size(); ++i) {
    const Elf64_Sym& symbol = object.symbols[i];
    const int type = ELF64_ST_TYPE(symbol.st_info);
    if (ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && symbol.st_shndx != SHN_UNDEF)
      globals_[string(object.name_of(symbol))].push_back({number, i});
    if (!object.has(symbol.st_shndx) || !object.is_code(symbol.st_shndx)) continue;
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_size == 0) continue;
    uint64_t& end = object.functions[symbol.st_shndx][symbol.st_value];
    end = std::max(end, symbol.st_value + symbol.st_size);
  }
  for (auto& [section, functions] : object.functions) {  // those that overlap are one
    for (auto each = functions.begin(); each != functions.end();) {
      const auto next = std::next(each);
      if (next == functions.end() || next->first >= each->second) {
        each = next;
        continue;
      }
      each->second = std::max(each->second, next->second);
      functions.erase(next);
    }
  }
  for (const Elf64_Sym& symbol : object.symbols)
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC &&
        object.has(symbol.st_shndx) && object.is_code(symbol.st_shndx))
      locals_[string(object.name_of(symbol))].push_back(
          containing(number, symbol.st_shndx, symbol.st_value));
  for (const auto& [section, relocations] : object.relocations) {
    if (!object.has(section) || !object.is_code(section)) continue;
    for (const Elf64_Rela& entry : relocations) {
      const Elf64_Sym& symbol = object.symbols.at(ELF64_R_SYM(entry.r_info));
      if (object.has(symbol.st_shndx) && !object.is_code(symbol.st_shndx))
        object.bases[symbol.st_shndx].insert(
            symbol.st_value + static_cast<uint64_t>(entry.r_addend) +
            (is_relative(static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info))) ? 4 : 0));
    }
  }
}

/// An entry of .eh_frame refers to its function, then to the function's table of landing pads.
void Graph::read_exceptions(Object& object, uint32_t number) {
  std::map<uint32_t, std::map<uint64_t, std::vector<Piece>>> tables;
  for (const auto& [section, relocations] : object.relocations) {
    if (!object.has(section) || object.section(section).name != ".eh_frame") continue;
    std::optional<Piece> function;
    for (const Elf64_Rela& entry : relocations) {
      const Elf64_Sym& symbol = object.symbols.at(ELF64_R_SYM(entry.r_info));
      if (!object.has(symbol.st_shndx)) continue;
      const uint64_t at = symbol.st_value + static_cast<uint64_t>(entry.r_addend);
      if (object.is_code(symbol.st_shndx))
        function = containing(number, symbol.st_shndx, at);
      else if (object.section(symbol.st_shndx).name.starts_with(".gcc_except_table") && function)
        tables[symbol.st_shndx][at].push_back(*function);
    }
  }
  for (const auto& [section, begins] : tables) {
    for (auto each = begins.begin(); each != begins.end(); ++each) {
      const auto next = std::next(each);
      const uint64_t end = next == begins.end() ? whole(number, section).end : next->first;
      for (const Piece& function : each->second)
        object.exceptions[function] = {number, section, each->first, end};
    }
  }
}

Piece Graph::containing(uint32_t object, uint32_t section, uint64_t at) const {
  const Object& file = *objects_[object];
  const auto functions = file.functions.find(section);
  if (!file.by_compiler || functions == file.functions.end()) return whole(object, section);
  auto after = functions->second.upper_bound(at);
  if (after == functions->second.begin()) return whole(object, section);
  --after;
  if (at >= after->second) return whole(object, section);
  return {object, section, after->first, after->second};
}

/// A string to its end, another constant to its size.
Piece Graph::constant(uint32_t object, uint32_t section, uint64_t at) const {
  const ElfSection& where = objects_[object]->section(section);
  const size_t entry = std::max<size_t>(1, where.header.sh_entsize);
  if (at >= where.bytes.size()) return whole(object, section);
  uint64_t end = at + entry;
  if (where.header.sh_flags & SHF_STRINGS)
    for (; end <= where.bytes.size(); end += entry)
      if (where.bytes.substr(end - entry, entry).find_first_not_of('\0') == string_view::npos)
        break;
  return {object, section, at, std::min<uint64_t>(end, where.bytes.size())};
}

/// What a symbol names. A section symbol stands for the whole section, except in code: compilers
/// refer to data by places before or behind it, but not to code.
Piece Graph::piece_of(uint32_t object, const Elf64_Sym& symbol) const {
  const Object& file = *objects_[object];
  const uint32_t section = symbol.st_shndx;
  if (file.is_code(section)) return containing(object, section, symbol.st_value);
  if (ELF64_ST_TYPE(symbol.st_info) == STT_SECTION) return whole(object, section);
  if (file.section(section).header.sh_flags & SHF_MERGE)
    return constant(object, section, symbol.st_value);
  if (symbol.st_size == 0) return whole(object, section);
  return {object, section, symbol.st_value, symbol.st_value + symbol.st_size};
}

size_t Graph::index_of(const Piece& piece) {
  const auto [place, added] = index_.emplace(piece, nodes_.size());
  if (!added) return place->second;
  RowNode node;
  node.piece = piece;
  const Object& object = *objects_[piece.object];
  for (const Elf64_Sym& symbol : object.symbols) {
    if (symbol.st_shndx != piece.section || symbol.st_value != piece.begin) continue;
    if (ELF64_ST_TYPE(symbol.st_info) == STT_SECTION || symbol.st_size == 0) continue;
    const string name(object.name_of(symbol));
    if (node.name.empty()) node.name = name;
    node.state = node.state || (object.is_code(piece.section) && needs_state(name));
    node.registering = node.registering || registers(name);
  }
  nodes_.push_back(std::move(node));
  return place->second;
}

string_view Graph::bytes_of(const Piece& piece) const {
  const ElfSection& section = objects_[piece.object]->section(piece.section);
  if (section.header.sh_type == SHT_NOBITS || piece.begin >= section.bytes.size()) return {};
  return section.bytes.substr(piece.begin, piece.end - piece.begin);
}

std::optional<std::pair<uint32_t, uint32_t>> Graph::writable(const Piece& piece) const {
  const ElfSection& section = objects_[piece.object]->section(piece.section);
  if (!(section.header.sh_flags & SHF_WRITE) || section.name.starts_with(".data.rel.ro") ||
      section.name.find("DW.ref.") != string::npos)
    return std::nullopt;
  return std::pair(piece.object, piece.section);
}

/// Bytes and references of a definition, to tell several of one name apart.
string Graph::shallow(const Definition& definition) const {
  const Object& object = *objects_[definition.object];
  const Elf64_Sym& symbol = object.symbols[definition.symbol];
  if (!object.has(symbol.st_shndx)) return "absolute or common";
  const Piece piece = piece_of(definition.object, symbol);
  string text = fmt::format("{} {}\n", piece.end - piece.begin, bytes_of(piece));
  const auto found = object.relocations.find(piece.section);
  if (found == object.relocations.end()) return text;
  for (const Elf64_Rela& entry : found->second) {
    if (entry.r_offset < piece.begin || entry.r_offset >= piece.end) continue;
    const Elf64_Sym& to = object.symbols.at(ELF64_R_SYM(entry.r_info));
    text += fmt::format("{} {} ", entry.r_offset - piece.begin, ELF64_R_TYPE(entry.r_info));
    const bool local = ELF64_ST_BIND(to.st_info) == STB_LOCAL && object.has(to.st_shndx);
    const bool merged = local && (object.section(to.st_shndx).header.sh_flags & SHF_MERGE) &&
                        ELF64_ST_TYPE(to.st_info) != STT_SECTION;
    if (merged)
      text += fmt::format("{} {}\n", entry.r_addend,
                          bytes_of(constant(definition.object, to.st_shndx, to.st_value)));
    else
      text += fmt::format("{} {} {}\n", entry.r_addend, local ? to.st_value : 0,
                          local && object.name_of(to).empty() ? object.section(to.st_shndx).name
                                                              : object.name_of(to));
  }
  return text;
}

/// The definition that the linker takes: a strong one, else the first. Members of libraries are
/// linked only where they are needed, so they must agree with the others or come after them.
const Definition* Graph::resolve(const string& name, string& unknown) {
  const auto found = globals_.find(name);
  if (found == globals_.end()) return nullptr;
  std::vector<Definition>& all = found->second;
  if (all.size() == 1) return &all.front();
  const auto is_strong = [&](const Definition& each) {
    return ELF64_ST_BIND(objects_[each.object]->symbols[each.symbol].st_info) == STB_GLOBAL;
  };
  const auto is_loose = [&](const Definition& each) { return objects_[each.object]->in_library; };
  for (const Definition& each : all)
    if (!is_loose(each) && is_strong(each)) return &each;
  const auto equal = [&](const std::vector<const Definition*>& some) {
    return std::all_of(some.begin(), some.end(), [&](const Definition* each) {
      return shallow(*each) == shallow(*some.front());
    });
  };
  std::vector<const Definition*> some;
  for (const Definition& each : all) some.push_back(&each);
  if (equal(some)) return some.front();
  if (!is_loose(all.front()) && std::none_of(all.begin(), all.end(), is_strong))
    return &all.front();
  // An inline function that two members of a library hold with other code: its length says which.
  if (const auto linked = linked_.functions.find(name);
      linked != linked_.functions.end() && linked->second.size() == 1) {
    std::erase_if(some, [&](const Definition* each) {
      return objects_[each->object]->symbols[each->symbol].st_size != linked->second.front();
    });
    if (!some.empty() && equal(some)) return some.front();
  }
  unknown = name + " is defined by several files";
  return &all.front();
}

/// A reference by a relocation: what it refers to, and where in it.
void Graph::refer(RowNode& node, string& text, const Elf64_Rela& entry) {
  const uint32_t from = node.piece.object;
  const auto type = static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info));
  const auto fail = [&](const string& why) {
    if (node.unknown.empty()) node.unknown = why;
  };
  text += fmt::format("\n{} {} ",
                      place_in(node.piece, static_cast<int64_t>(entry.r_offset - node.piece.begin)),
                      type);
  if (!is_known(type)) return fail(fmt::format("relocation {} of {}", type, node.name));
  const Elf64_Sym* symbol = &objects_[from]->symbols.at(ELF64_R_SYM(entry.r_info));
  uint32_t object = from;
  if (ELF64_ST_BIND(symbol->st_info) != STB_LOCAL) {
    const string name(objects_[from]->name_of(*symbol));
    const Definition* definition = resolve(name, node.unknown);
    if (!definition) {
      const bool strange = name.starts_with("__start_") || name.starts_with("__stop_") ||
                           linked_.own.contains(name) || !libraries_.contains(name);
      const bool weak = ELF64_ST_BIND(symbol->st_info) == STB_WEAK && !linked_.own.contains(name);
      if (strange && !weak && !is_linkers(name))
        fail(name + " comes from a file that the link command does not name");
      text += fmt::format("{} {}", entry.r_addend, name);
      node.externals.push_back(name);
      return;
    }
    object = definition->object;
    symbol = &objects_[object]->symbols[definition->symbol];
  }
  const Object& file = *objects_[object];
  if (symbol->st_shndx == SHN_ABS || ELF64_R_SYM(entry.r_info) == 0) {
    text += fmt::format("absolute {} {}", symbol->st_value, entry.r_addend);
    return;
  }
  if (!file.has(symbol->st_shndx)) return fail(string(file.name_of(*symbol)) + " has no section");
  const uint32_t section = symbol->st_shndx;
  if (!(file.section(section).header.sh_flags & SHF_ALLOC)) return fail("a section not loaded");
  Piece piece = piece_of(object, *symbol);
  int64_t delta = entry.r_addend;
  if (ELF64_ST_TYPE(symbol->st_info) == STT_SECTION) {
    const auto addend = static_cast<uint64_t>(entry.r_addend);
    const bool from_code = objects_[from]->is_code(node.piece.section);
    uint64_t at = symbol->st_value + addend;
    if (file.is_code(section)) {
      if (is_relative(type) && from_code) at += 4;
      if (is_relative(type) && !from_code) {
        // An entry of a jump table holds the distance from the table's begin.
        const auto& bases = objects_[from]->bases[node.piece.section];
        const auto after = bases.upper_bound(entry.r_offset);
        if (after == bases.begin()) return fail("a table of places in code");
        at -= entry.r_offset - *std::prev(after);
      }
      piece = containing(object, section, at);
      // Where the begin of the table is uncertain, so is which of the cold parts is meant.
      if (!from_code && file.section(section).name.find("unlikely") != string::npos)
        piece = whole(object, section);
      delta = static_cast<int64_t>(at - piece.begin);
    } else if (from_code && is_relative(type) &&
               refer_beside_tables(node, text, section, entry.r_addend)) {
      return;
    } else if ((file.section(section).header.sh_flags & SHF_MERGE) && !is_relative(type)) {
      piece = constant(object, section, at);
      delta = 0;
    }
  } else if (file.is_code(section)) {
    delta += static_cast<int64_t>(symbol->st_value - piece.begin);
  }
  const bool in_code = file.is_code(section) && ELF64_ST_TYPE(symbol->st_info) == STT_SECTION;
  text += in_code ? place_in(piece, delta) : fmt::format("+{}", delta);
  node.targets.push_back(index_of(piece));
}

const RowNode& Graph::node(size_t index) {
  RowNode& node = nodes_[index];
  if (node.ready) return node;
  node.ready = true;
  const Piece piece = node.piece;
  const Object& object = *objects_[piece.object];
  const ElfSection& section = object.section(piece.section);
  string bytes(bytes_of(piece));
  // The tables of jumps are nodes of their own.
  std::map<uint64_t, uint64_t> tables;
  if (const auto found = object.tables.find(piece.section);
      found != object.tables.end() && piece == whole(piece.object, piece.section))
    tables = found->second;
  for (auto each = tables.rbegin(); each != tables.rend(); ++each)
    bytes.erase(each->first, each->second - each->first);
  const auto in_table = [&](uint64_t at) {
    const auto after = tables.upper_bound(at);
    return after != tables.begin() && at < std::prev(after)->second;
  };
  string text = fmt::format("{} {}\n", code_of(piece) ? 0 : piece.end - piece.begin,
                            section.header.sh_flags & (SHF_WRITE | SHF_EXECINSTR | SHF_TLS));
  // Another reference may name a place of the section.
  if (writable(piece)) text += fmt::format("at {}\n", piece.begin);
  if (const auto entries = object.relocations.find(piece.section);
      entries != object.relocations.end())
    for (const Elf64_Rela& entry : entries->second)
      if (entry.r_offset >= piece.begin && entry.r_offset < piece.end && !in_table(entry.r_offset))
        refer(node, text, entry);
  if (object.is_code(piece.section)) {
    refer_nearby(node, text, bytes);
    for (const auto& [function, table] : object.exceptions) {
      if (function.section != piece.section || function.begin < piece.begin ||
          function.begin >= piece.end)
        continue;
      text += "\nlanding pads";
      node.targets.push_back(index_of(table));
    }
  }
  node.facts = sha1(text + "\n" + bytes);
  return node;
}

std::optional<size_t> Graph::global(const string& name) {
  string unknown;
  const Definition* definition = resolve(name, unknown);
  if (!unknown.empty()) throw Error(unknown);
  if (!definition) return std::nullopt;
  const Elf64_Sym& symbol = objects_[definition->object]->symbols[definition->symbol];
  if (!objects_[definition->object]->has(symbol.st_shndx)) return std::nullopt;
  return index_of(piece_of(definition->object, symbol));
}

size_t Graph::function(const std::set<string>& names) {
  for (const string& name : names) {
    const auto local = locals_.find(name);
    if (local == locals_.end()) {
      if (const auto found = global(name)) return *found;
      continue;
    }
    if (local->second.size() == 1 && !globals_.contains(name)) return index_of(local->second[0]);
    throw Error("several files have a function of its name");
  }
  throw Error("no object file has its function");
}

const std::vector<size_t>& Graph::initialisers() {
  if (initialisers_) return *initialisers_;
  std::map<string, std::vector<size_t>> by_name;
  for (uint32_t number = 0; number < objects_.size(); ++number) {
    for (const auto& [section, relocations] : objects_[number]->relocations) {
      if (!objects_[number]->has(section) ||
          !is_list_of_initialisers(objects_[number]->section(section)))
        continue;
      RowNode entries;
      entries.piece = whole(number, section);
      string text;
      for (const Elf64_Rela& entry : relocations) refer(entries, text, entry);
      if (!entries.unknown.empty() || !entries.externals.empty())
        throw Error("what runs before main() is unknown");
      for (const size_t each : entries.targets) by_name[node(each).name].push_back(each);
    }
  }
  // Of a static library those alone that the linker took, whatever made it take them.
  initialisers_.emplace();
  const auto linked = [&](const string& name) {
    const auto found = linked_.functions.find(name);
    return found == linked_.functions.end() ? 0 : found->second.size();
  };
  for (const auto& [name, targets] : by_name)
    if (linked(name) == targets.size())
      initialisers_->insert(initialisers_->end(), targets.begin(), targets.end());
    else if (linked(name) != 0)
      throw Error("it is uncertain which libraries' " + name + " runs before main()");
  std::sort(initialisers_->begin(), initialisers_->end());
  if (initialisers_->size() + linked("frame_dummy") != linked_.initialisers)
    throw Error("something runs before main() that no object file has");
  return *initialisers_;
}

/// The named object at a place in data, as the linker takes it; else the whole section.
size_t Graph::holder(uint32_t object, uint32_t section, uint64_t at) {
  const Object& file = *objects_[object];
  for (const Elf64_Sym& symbol : file.symbols) {
    if (symbol.st_shndx != section || ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
    if (at < symbol.st_value || at >= symbol.st_value + symbol.st_size) continue;
    if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) return index_of(piece_of(object, symbol));
    if (const auto found = global(string(file.name_of(symbol)))) return *found;
  }
  return index_of(whole(object, section));
}

std::optional<size_t> Graph::table_of(size_t function) {
  if (!in_data_) {
    in_data_.emplace();
    for (uint32_t number = 0; number < objects_.size(); ++number) {
      for (const auto& [section, relocations] : objects_[number]->relocations) {
        const Object& object = *objects_[number];
        if (!object.has(section) || object.is_code(section)) continue;
        const ElfSection& data = object.section(section);
        if (!(data.header.sh_flags & SHF_ALLOC) || data.name == ".eh_frame") continue;
        RowNode entries;
        entries.piece = whole(number, section);
        string text;
        for (const Elf64_Rela& entry : relocations)
          if (ELF64_R_TYPE(entry.r_info) == R_X86_64_64) {
            refer(entries, text, entry);
            if (!text.ends_with("+0")) continue;  // a label, of a jump table
            if (const size_t target = entries.targets.back(); takes_state(nodes_[target].name))
              (*in_data_)[target].insert(holder(number, section, entry.r_offset));
          }
      }
    }
  }
  const auto found = in_data_->find(function);
  if (found == in_data_->end()) return std::nullopt;
  const size_t table = *found->second.begin();
  if (found->second.size() > 1 || !nodes_[table].name.starts_with("_ZTV"))
    throw Error("its address is in data, or classes share it, so its object is not known");
  return table;
}

}  // namespace ratchet::counters::rows
