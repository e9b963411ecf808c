#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>
#include <string_view>

#include "perf/identity/code/elf_file.h"
#include "perf/identity/digests/work_digest.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/process.h"

namespace ratchet::counters {
namespace {

namespace fs = std::filesystem;

bool has_section(const ElfFile& file, std::string_view name) {
  return std::any_of(file.sections().begin(), file.sections().end(),
                     [&](const ElfSection& section) { return section.name == name; });
}

/// Whether a file imports dlopen() or dlmopen().
bool opens_libraries(const ElfFile& file) {
  std::string_view symbols, names;
  for (const ElfSection& section : file.sections()) {
    if (section.header.sh_type == SHT_DYNSYM) symbols = section.bytes;
    if (section.name == ".dynstr") names = section.bytes;
  }
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, symbols.data() + at, sizeof symbol);
    if (symbol.st_shndx != SHN_UNDEF || symbol.st_name >= names.size()) continue;
    const std::string_view name(names.data() + symbol.st_name);
    if (name == "dlopen" || name == "dlmopen") return true;
  }
  return false;
}

/// Libraries whose dlopen() calls load parts of the machine, such as drivers.
bool opens_the_machine(const std::string& library) {
  constexpr std::string_view known[] = {"libcudart", "libcuda.", "libnvidia-", "libOpenCL",
                                        "libgomp",   "libtbb",   "ld-linux"};
  return std::any_of(std::begin(known), std::end(known),
                     [&](std::string_view name) { return library.starts_with(name); });
}

/// Code and data of one file: the sections that the loader maps.
std::string loaded_parts(const ElfFile& file) {
  std::string parts;
  for (const ElfSection& section : file.sections()) {
    const bool loaded = section.header.sh_flags & SHF_ALLOC;
    if (!loaded || section.header.sh_type == SHT_NOTE) continue;
    parts += section.name + " " + std::to_string(section.header.sh_size) + " " +
             sha1(section.bytes) + "\n";
  }
  return parts;
}

}  // namespace

std::vector<fs::path> loaded_with(const fs::path& program) {
  const std::string image = read_text(program, std::size_t{1} << 30);
  // A static program would not list its libraries, but run.
  if (!has_section(ElfFile(image, program.string()), ".interp"))
    throw Error(program.string() + " is linked without shared libraries");
  constexpr double limit_s = 60;
  const ProcessResult result =
      run_process({fs::absolute(program)}, limit_s, {{"LD_TRACE_LOADED_OBJECTS", "1"}});
  if (!result.ok())
    throw Error("the libraries of " + program.string() +
                " are not known, for it does not start: " + result.describe());
  std::vector<fs::path> libraries;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("not found") != std::string::npos) throw Error("a library is missing: " + line);
    const std::size_t begin = line.find('/'), end = line.find(" (0x");
    if (begin != std::string::npos && end != std::string::npos && begin < end)
      libraries.push_back(line.substr(begin, end - begin));
  }
  return libraries;
}

std::optional<std::string> library_parts(const fs::path& program) {
  try {
    const std::string image = read_text(program);
    const ElfFile file(image, program.string());
    const bool cuda = has_section(file, ".nv_fatbin");  // its runtime opens the driver
    if (opens_libraries(file) && !cuda) return std::nullopt;
    if (!has_section(file, ".interp")) return "";
    std::string parts;
    std::vector<fs::path> libraries = loaded_with(program);
    std::sort(libraries.begin(), libraries.end());
    for (const fs::path& library : libraries) {
      const std::string bytes = read_text(library), name = library.filename().string();
      const ElfFile linked(bytes, library.string());
      if (opens_libraries(linked) && !opens_the_machine(name)) return std::nullopt;
      parts += name + "\n" + loaded_parts(linked);
    }
    return parts;
  } catch (const std::exception&) {  // unknown, which is not a failure: the clock decides
    return std::nullopt;
  }
}

std::optional<std::string> own_parts(const fs::path& program) {
  try {
    const std::string image = read_text(program);
    if (!image.starts_with("\x7f"
                           "ELF"))
      return std::nullopt;
    return loaded_parts(ElfFile(image, program.string()));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<std::string> program_digest(const fs::path& program) {
  const auto own = own_parts(program);
  const auto libraries = own ? library_parts(program) : std::nullopt;
  if (!libraries) return std::nullopt;
  return sha1(*own + *libraries);
}

}  // namespace ratchet::counters
