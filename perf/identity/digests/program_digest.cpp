#include "perf/identity/digests/program_digest.h"

#include <algorithm>
#include <sstream>

#include "perf/support/error.h"
#include "perf/identity/code/elf_file.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/process.h"

namespace ratchet::counters {
namespace {

namespace fs = std::filesystem;

bool opens_libraries(const ElfFile& file) {
  bool imports = false, cuda = false;
  for (const ElfSection& section : file.sections()) {
    const std::string_view word("\0dlopen\0", 8);
    if (section.name == ".dynstr") imports |= section.bytes.find(word) != std::string_view::npos;
    cuda |= section.name == ".nv_fatbin";
  }
  return imports && !cuda;
}

/// Code and data of one file: what the loader maps, section by section.
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

/// The files that the loader would map, as it says itself when asked by this variable (ld.so(8)).
std::vector<fs::path> libraries_of(const fs::path& program) {
  constexpr double limit_s = 20;
  const ProcessResult result =
      run_process({program.string()}, limit_s, {{"LD_TRACE_LOADED_OBJECTS", "1"}});
  std::vector<fs::path> libraries;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("not found") != std::string::npos) throw Error("a library is not found");
    const std::size_t begin = line.find('/'), end = line.find(" (0x");
    if (begin != std::string::npos && end != std::string::npos && begin < end)
      libraries.push_back(line.substr(begin, end - begin));
  }
  std::sort(libraries.begin(), libraries.end());
  return libraries;
}

}  // namespace

std::optional<std::string> program_digest(const fs::path& program) {
  try {
    const std::string image = read_text(program);
    if (!image.starts_with("\x7f"
                           "ELF"))
      return std::nullopt;
    const ElfFile file(image, program.string());
    if (opens_libraries(file)) return std::nullopt;
    std::string parts = loaded_parts(file);
    const auto dynamic = [](const ElfSection& section) { return section.name == ".interp"; };
    if (std::none_of(file.sections().begin(), file.sections().end(), dynamic)) return sha1(parts);
    for (const fs::path& library : libraries_of(program)) {
      const std::string bytes = read_text(library);
      parts += library.filename().string() + "\n" + loaded_parts(ElfFile(bytes, library.string()));
    }
    return sha1(parts);
  } catch (const std::exception&) {  // not known, which is no failure: then a clock decides
    return std::nullopt;
  }
}

}  // namespace ratchet::counters
