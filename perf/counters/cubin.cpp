#include "perf/counters/cubin.h"

#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>

#include "kernels/support/error.h"

namespace ratchet::counters {
namespace {

constexpr Elf64_Half machine_cuda = 190;  // EM_CUDA, which older <elf.h> lack

struct Section {
  std::string name;
  GElf_Shdr header;
  std::string_view bytes;  ///< empty for sections without bytes in the file
};

/// Sections of an ELF-64 file; libelf checks every offset, since files may be cut off.
class ElfFile {
 public:
  ElfFile(std::string_view image, std::string what) : what_(std::move(what)) {
    elf_version(EV_CURRENT);
    // Not written to: nothing of it is changed.
    elf_.reset(elf_memory(const_cast<char*>(image.data()), image.size()));
    if (gelf_getclass(elf_.get()) != ELFCLASS64 || !gelf_getehdr(elf_.get(), &header_))
      throw Error(what_ + " is no 64-bit ELF program, or cut off");
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_.get(), &names) != 0) cut_off();
    for (Elf_Scn* each = elf_nextscn(elf_.get(), nullptr); each;
         each = elf_nextscn(elf_.get(), each))
      add(each, names);
    if (end() > image.size()) cut_off();
  }

  const GElf_Ehdr& header() const { return header_; }
  const std::vector<Section>& sections() const { return sections_; }
  /// Where the file ends: after its last section, header table or segment table.
  std::size_t end() const {
    std::size_t last = header_.e_shoff + header_.e_shnum * sizeof(Elf64_Shdr);
    last = std::max<std::size_t>(last, header_.e_phoff + header_.e_phnum * sizeof(Elf64_Phdr));
    for (const Section& each : sections_)
      if (each.header.sh_type != SHT_NOBITS)
        last = std::max<std::size_t>(last, each.header.sh_offset + each.header.sh_size);
    return last;
  }

 private:
  struct End {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  [[noreturn]] void cut_off() const { throw Error(what_ + " is cut off or no valid ELF file"); }
  void add(Elf_Scn* section, std::size_t names) {
    GElf_Shdr header{};
    if (!gelf_getshdr(section, &header)) cut_off();
    const char* name = elf_strptr(elf_.get(), names, header.sh_name);
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (!name || !data) cut_off();
    const auto* bytes = static_cast<const char*>(data->d_buf);
    sections_.push_back({name, header, bytes ? std::string_view(bytes, data->d_size) : ""});
  }

  std::unique_ptr<Elf, End> elf_;
  std::string what_;
  GElf_Ehdr header_{};
  std::vector<Section> sections_;
};

/// What a relocation patches and how; not the symbol, whose name may hold a hash of the folder.
std::string relocations(const Section& section) {
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

/// ".nv.constant2.<symbol>" -> symbol, where the name begins with one of the prefixes.
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
  if (file.header().e_machine != machine_cuda) throw Error(what + " holds no code for CUDA");
  Cubin cubin;
  std::map<std::string, std::map<std::string, std::string>> parts;  // symbol -> kind -> bytes
  for (const Section& section : file.sections()) {
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
  for (const Section& section : host.sections()) {
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
