#include "perf/identity/code/cubin.h"

#include <fmt/format.h>

#include <cstring>
#include <map>

#include "perf/identity/code/elf_file.h"
#include "perf/support/error.h"

namespace ratchet::counters {
namespace {

constexpr Elf64_Half machine_cuda = 190;  // EM_CUDA, which older <elf.h> lack

/// Place and kind of a relocation, without the symbol, whose name may contain a hash of the folder.
std::string relocations(const ElfSection& section) {
  const std::size_t size =
      section.header.sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  std::string text;
  for (std::size_t i = 0; i + size <= section.bytes.size(); i += size) {
    Elf64_Rela entry{};
    std::memcpy(&entry, section.bytes.data() + i, size);
    text +=
        fmt::format(" {:x}:{:x}:{:x}", entry.r_offset, ELF64_R_TYPE(entry.r_info), entry.r_addend);
  }
  return text;
}

/// The symbol of ".nv.constant2.<symbol>" and the like.
std::string owner(const std::string& name) {
  if (name.starts_with(".text.")) return name.substr(6);
  for (const char* relocation : {".rel", ".rela"})
    if (name.starts_with(std::string(relocation) + ".text."))
      return name.substr(std::strlen(relocation) + 6);
  constexpr std::size_t bank = sizeof ".nv.constant0" - 1;
  if (name.starts_with(".nv.constant") && name.size() > bank && name[bank] == '.')
    return name.substr(bank + 1);
  return "";
}

bool is_table(const std::string& name) {
  return name.starts_with(".nv.global.init") || name.starts_with(".nv.constant");
}

}  // namespace

Cubin parse_cubin(std::string_view image, const std::string& what) {
  const ElfFile file(image, what);
  if (file.header().e_machine != machine_cuda) throw Error(what + " holds no CUDA code");
  Cubin cubin;
  std::map<std::string, std::map<std::string, std::string>> parts;  // symbol -> kind -> bytes
  for (const ElfSection& section : file.sections()) {
    const std::string symbol = owner(section.name);
    const bool relocation = section.header.sh_type == SHT_REL || section.header.sh_type == SHT_RELA;
    if (!symbol.empty()) {
      const std::string kind = section.name.substr(0, section.name.size() - symbol.size());
      parts[symbol][kind] = relocation ? relocations(section) : std::string(section.bytes);
    } else if (!relocation && is_table(section.name)) {
      cubin.tables += section.name + '\0' + std::string(section.bytes);
    }
  }
  for (const auto& [symbol, kinds] : parts) {
    if (!kinds.contains(".text.")) continue;
    FunctionCode function{symbol, ""};
    for (const auto& [kind, bytes] : kinds)
      if (!bytes.empty()) function.code += fmt::format("{}{}:", kind, bytes.size()) + bytes;
    cubin.functions.push_back(std::move(function));
  }
  return cubin;
}

std::vector<Cubin> embedded_cubins(std::string_view program, const std::string& what) {
  std::vector<Cubin> cubins;
  const ElfFile host(program, what);
  for (const ElfSection& section : host.sections()) {
    if (section.name != ".nv_fatbin") continue;
    const std::string_view bytes = section.bytes;
    for (std::size_t at = bytes.find(ELFMAG); at != std::string_view::npos;
         at = bytes.find(ELFMAG, at)) {
      const std::string name = fmt::format("device code {} of {}", cubins.size() + 1, what);
      const std::size_t size = ElfFile(bytes.substr(at), name).end();
      cubins.push_back(parse_cubin(bytes.substr(at, size), name));
      cubins.back().image = bytes.substr(at, size);
      at += size;
    }
  }
  return cubins;
}

}  // namespace ratchet::counters
