#include "perf/identity/code/archive.h"

#include <libelf.h>

#include <memory>

#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet::counters {
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
