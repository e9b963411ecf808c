#include "perf/gate/base/other_layouts.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "perf/identity/code/elf_file.h"
#include "perf/identity/digests/work_digest.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

// Of a page, so that each place in one is as likely; and as far as functions are aligned.
constexpr std::size_t step = 16, page = 4096;
/// Those that the linker places in this order, whatever the objects.
constexpr const char* padded[] = {".text.unlikely", ".text.startup", ".text.hot", ".text",
                                  ".rodata",        ".data",         ".bss"};
constexpr std::uint64_t retained = 0x200000;  // SHF_GNU_RETAIN, of newer <elf.h>
/// Of the layouts that a program keeps for its other rows.
constexpr std::uintmax_t most_bytes = std::uintmax_t{256} << 20;

bool is_code(const std::string& section) { return section.starts_with(".text"); }

std::uint64_t flags_of(const std::string& section) {
  if (is_code(section)) return SHF_ALLOC | SHF_EXECINSTR | retained;
  return section == ".rodata" ? SHF_ALLOC | retained : SHF_ALLOC | SHF_WRITE | retained;
}

template <class Value>
void append(std::string& text, const Value& value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::size_t code_bytes(const fs::path& program) {
  const std::string image = read_text(program, std::size_t{1} << 30);
  const counters::ElfFile elf(image, program.string());
  std::size_t bytes = 0;
  for (const counters::ElfSection& section : elf.sections())
    if (section.header.sh_flags & SHF_EXECINSTR) bytes += section.header.sh_size;
  return bytes;
}

}  // namespace

std::string padding_object(const std::string& like, const Padding& padding) {
  Elf64_Ehdr header;
  if (like.size() < sizeof header || std::memcmp(like.data(), ELFMAG, SELFMAG) != 0 ||
      like[EI_CLASS] != ELFCLASS64 || like[EI_DATA] != ELFDATA2LSB)
    throw Error("it is not a little-endian ELF-64 file");
  std::memcpy(&header, like.data(), sizeof header);
  // Without this note the linker makes the stack executable.
  Padding sections = padding;
  sections.emplace_back(".note.GNU-stack", 0);
  sections.emplace_back(".shstrtab", 0);
  std::string names(1, '\0'), bytes(sizeof header, '\0');
  std::vector<Elf64_Shdr> table(1);
  for (const auto& [name, size] : sections) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<Elf64_Word>(names.size());
    names += name + '\0';
    const bool is_note = name == ".note.GNU-stack", is_names = name == ".shstrtab";
    section.sh_type = is_names ? SHT_STRTAB : name == ".bss" ? SHT_NOBITS : SHT_PROGBITS;
    section.sh_flags = is_note || is_names ? 0 : flags_of(name);
    section.sh_addralign = is_note || is_names ? 1 : step;
    section.sh_offset = bytes.size();
    section.sh_size = is_names ? names.size() : size;
    if (is_names)
      bytes += names;
    else if (section.sh_type != SHT_NOBITS)
      bytes.append(size, '\0');
    bytes.resize((bytes.size() + step - 1) / step * step);
    table.push_back(section);
  }
  header.e_ident[EI_OSABI] = ELFOSABI_GNU;  // retained sections
  header.e_type = ET_REL;
  header.e_entry = header.e_phoff = 0;
  header.e_phentsize = header.e_phnum = 0;
  header.e_shoff = bytes.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(table.size());
  header.e_shstrndx = static_cast<Elf64_Half>(table.size() - 1);
  std::memcpy(bytes.data(), &header, sizeof header);
  for (const Elf64_Shdr& section : table) append(bytes, section);
  return bytes;
}

OtherLayouts::OtherLayouts(const BenchProgram& program, const std::set<RowId>& rows,
                           std::uint64_t seed)
    : program_(program),
      rows_(rows.begin(), rows.end()),
      seed_(seed),
      command_(link_command(program.path())) {
  const fs::path own = fs::canonical(program.path());
  head_ = read_text(own, std::size_t{1} << 30).substr(0, sizeof(Elf64_Ehdr));
  code_bytes_ = code_bytes(own);
  file_bytes_ = fs::file_size(own);
  const double start_s = seconds_now();
  link_again(command_, scratch_.path(), "again");
  link_s_ = seconds_now() - start_s;
  const auto is = counters::own_parts(own), was = counters::own_parts(scratch_.path() / "again");
  if (!is || is != was) throw Error("its link command gives another program when repeated");
  fs::remove(scratch_.path() / "again");
  linked(0);
}

Listing OtherLayouts::list() const {
  Listing listing;
  listing.rows = rows_;
  listing.program = path().string();
  return listing;
}

/// Throws `Error` where the padding has no effect: the linker drops or merges it.
fs::path OtherLayouts::linked(std::size_t number) const {
  std::seed_seq words{seed_ & 0xffffffffu, seed_ >> 32, std::uint64_t{number}};
  std::mt19937_64 draw(words);
  // The stack begins below the program's path, which the kernel puts there twice.
  constexpr std::size_t longest = 200;
  const fs::path folder =
      scratch_.path() / fmt::format("{:05}{}", number, std::string(1 + draw() % longest, '_'));
  fs::create_directories(folder);
  std::vector<std::string> files;
  std::size_t code = 0;
  for (std::size_t i = 0; i < command_.objects().size(); ++i) {
    Padding padding;
    for (const char* section : padded)
      padding.emplace_back(section, step * (draw() % (page / step)));
    for (const auto& [section, bytes] : padding) code += is_code(section) ? bytes : 0;
    files.push_back(fmt::format("padding-{}.o", i));
    write_atomically(folder / files.back(), padding_object(head_, padding));
  }
  const std::string name = program_.path().filename().string();
  link_again(command_, folder, name, files);
  for (const std::string& file : files) fs::remove(folder / file);
  if (const std::size_t now = code_bytes(folder / name); now < code_bytes_ + code / 2)
    throw Error("its linker drops the padding that would move its code");
  return kept_[number] = folder / name;
}

fs::path OtherLayouts::layout(std::size_t number) const {
  const std::lock_guard lock(mutex_);
  if (const auto kept = kept_.find(number); kept != kept_.end()) return kept->second;
  while (kept_.size() > 1 && kept_.size() * file_bytes_ > most_bytes) {
    fs::remove_all(kept_.begin()->second.parent_path());  // linked again where a row is late
    kept_.erase(kept_.begin());
  }
  return linked(number);
}

LaunchOutcome OtherLayouts::measure(const RowId& row, const LaunchRequest& request) const {
  return measure_together({row}, request).at(row);
}

std::map<RowId, LaunchOutcome> OtherLayouts::measure_together(const std::vector<RowId>& rows,
                                                              const LaunchRequest& request) const {
  std::size_t number = 0;
  for (const RowId& row : rows) number = std::max(number, launches_[row]++ / launches_of_each_);
  LaunchRequest there = request;
  try {
    there.program = layout(number);
  } catch (const Error& error) {
    std::map<RowId, LaunchOutcome> failed;
    for (const RowId& row : rows) failed[row].failure = error.what();
    return failed;
  }
  return program_.measure_together(rows, there);
}

}  // namespace ratchet::gate
