#include "perf/identity/code/elf_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "perf/support/error.h"

namespace ratchet::counters {

ElfFile::ElfFile(std::string_view image, std::string what) : what_(std::move(what)) {
  elf_version(EV_CURRENT);
  // libelf does not write to it.
  elf_.reset(elf_memory(const_cast<char*>(image.data()), image.size()));
  if (gelf_getclass(elf_.get()) != ELFCLASS64 || !gelf_getehdr(elf_.get(), &header_))
    throw Error(what_ + " is not a 64-bit ELF file, or truncated");
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf_.get(), &names) != 0) cut_off();
  for (Elf_Scn* each = elf_nextscn(elf_.get(), nullptr); each; each = elf_nextscn(elf_.get(), each))
    add(each, names);
  if (end() > image.size()) cut_off();
}

std::size_t ElfFile::end() const {
  std::size_t last = header_.e_shoff + header_.e_shnum * sizeof(Elf64_Shdr);
  last = std::max<std::size_t>(last, header_.e_phoff + header_.e_phnum * sizeof(Elf64_Phdr));
  for (const ElfSection& each : sections_)
    if (each.header.sh_type != SHT_NOBITS)
      last = std::max<std::size_t>(last, each.header.sh_offset + each.header.sh_size);
  return last;
}

std::string ElfFile::build_id() const {
  constexpr std::size_t header_and_name = sizeof(Elf64_Nhdr) + sizeof("GNU");
  std::string digits;
  for (const ElfSection& each : sections_) {
    if (each.name != ".note.gnu.build-id" || each.bytes.size() < header_and_name) continue;
    for (const char c : each.bytes.substr(header_and_name))
      digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  }
  return digits;
}

void ElfFile::cut_off() const { throw Error(what_ + " is truncated or not a valid ELF file"); }

void ElfFile::add(Elf_Scn* section, std::size_t names) {
  GElf_Shdr header{};
  if (!gelf_getshdr(section, &header)) cut_off();
  const char* name = elf_strptr(elf_.get(), names, header.sh_name);
  const Elf_Data* data = elf_rawdata(section, nullptr);
  if (!name || !data) cut_off();
  const auto* bytes = static_cast<const char*>(data->d_buf);
  sections_.push_back({name, header, bytes ? std::string_view(bytes, data->d_size) : ""});
}

}  // namespace ratchet::counters
