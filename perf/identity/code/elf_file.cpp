#include "perf/identity/code/elf_file.h"

#include <fmt/format.h>
#include <libelf.h>

#include <algorithm>
#include <memory>

#include "perf/support/error.h"
#include "perf/support/files.h"

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

namespace {

constexpr const char* kThin = "!<thin>\n";  // holds names of files instead of files
constexpr std::size_t kLargest = std::size_t{1} << 30;

struct End {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using Handle = std::unique_ptr<Elf, End>;

std::vector<ObjectFile> members(Elf* library, const std::string& path) {
  std::vector<ObjectFile> found;
  // Like elf_memory(); ELF_C_READ would need a file descriptor.
  for (Elf_Cmd next = ELF_C_READ_MMAP; next != ELF_C_NULL;) {
    const Handle member(elf_begin(-1, next, library));
    if (!member) break;
    const Elf_Arhdr* header = elf_getarhdr(member.get());
    std::size_t size = 0;
    const char* bytes = elf_rawfile(member.get(), &size);
    if (!header || !header->ar_name || (!bytes && size > 0))
      throw Error(path + " is truncated or not a valid static library");
    // The symbol table is named "/", the table of long names "//".
    if (header->ar_name[0] != '/')
      found.push_back({path + "(" + header->ar_name + ")", {bytes, size}});
    next = elf_next(member.get());
  }
  return found;
}

}  // namespace

std::vector<ObjectFile> object_files(const std::filesystem::path& path) {
  std::string bytes = read_text(path, kLargest);
  if (bytes.starts_with(kThin))
    throw Error(path.string() +
                " is a thin library, which holds no object files; build it without ar's T");
  if (!bytes.starts_with("!<arch>\n")) return {{path.string(), std::move(bytes)}};
  elf_version(EV_CURRENT);
  const Handle library(elf_memory(bytes.data(), bytes.size()));
  std::vector<ObjectFile> found =
      library ? members(library.get(), path.string()) : std::vector<ObjectFile>{};
  if (found.empty())
    throw Error(path.string() + " is a static library without a member, or truncated");
  return found;
}

}  // namespace ratchet::counters
