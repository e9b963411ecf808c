// The sections of an ELF-64 file in memory. libelf checks every offset, since files may be
// truncated.
#pragma once

#include <gelf.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ratchet::counters {

struct ElfSection {
  std::string name;
  GElf_Shdr header;
  std::string_view bytes;  ///< empty for sections without bytes in the file
};

class ElfFile {
 public:
  /// Keeps views into `image`. Throws `Error` naming `what` unless it is a complete ELF-64 file.
  ElfFile(std::string_view image, std::string what);

  const GElf_Ehdr& header() const { return header_; }
  /// By index, from 1: sections()[0] is section 1.
  const std::vector<ElfSection>& sections() const { return sections_; }
  /// The end of the file: after its last section, header table or segment table.
  std::size_t end() const;
  /// The program's build id as hexadecimal digits; empty if the linker wrote none.
  std::string build_id() const;

 private:
  struct End {
    void operator()(Elf* elf) const { elf_end(elf); }
  };
  [[noreturn]] void cut_off() const;
  void add(Elf_Scn* section, std::size_t names);

  std::unique_ptr<Elf, End> elf_;
  std::string what_;
  GElf_Ehdr header_{};
  std::vector<ElfSection> sections_;
};

// The object files in a static library, as the linker reads them.

struct ObjectFile {
  std::string name;  ///< path of the file; of a member "libfoo.a(bar.o)"
  std::string bytes;
};

/// The members of a static library in order; any other file as one member. Throws `Error` naming
/// the file if it cannot be read, or is a truncated or thin library.
std::vector<ObjectFile> object_files(const std::filesystem::path& path);

}  // namespace ratchet::counters
