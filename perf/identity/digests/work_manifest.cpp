
#include <sstream>

#include "perf/identity/code/elf_file.h"
#include "perf/identity/digests/work_digest.h"
#include "perf/support/error.h"
#include "perf/support/hash.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"

namespace ratchet::counters {
namespace {

namespace fs = std::filesystem;

fs::path manifest_of(const fs::path& program) { return program.string() + ".work.json"; }

}  // namespace

std::string build_id(const fs::path& program) {
  const std::string image = read_text(program, std::size_t{1} << 30);
  return ElfFile(image, program.string()).build_id();
}

Libraries libraries_of(const fs::path& program) {
  Libraries libraries;
  for (const fs::path& file : loaded_with(program)) {
    const std::string image = read_text(file, std::size_t{1} << 30);
    const ElfFile elf(image, file.string());
    const std::string build = elf.build_id().empty() ? sha1(image) : elf.build_id();
    for (const ElfSection& section : elf.sections()) {
      if (section.header.sh_type != SHT_DYNSYM) continue;
      const std::string_view names = elf.sections().at(section.header.sh_link - 1).bytes;
      const auto* symbols = reinterpret_cast<const Elf64_Sym*>(section.bytes.data());
      for (std::size_t i = 0; i < section.bytes.size() / sizeof(Elf64_Sym); ++i)
        if (symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_name < names.size())
          libraries.emplace(names.data() + symbols[i].st_name,
                            file.filename().string() + " " + build);
    }
  }
  return libraries;
}

void write_work_manifest(const fs::path& program, const WorkManifest& manifest) {
  const nlohmann::json root = {
      {"format", 1}, {"build_id", manifest.build_id}, {"stages", manifest.stages}};
  write_atomically(manifest_of(program), pretty(root, 2) + "\n");
}

std::map<std::string, std::string> read_work_manifest(const fs::path& program) {
  const fs::path file = manifest_of(program);
  if (!fs::exists(file)) return {};
  const nlohmann::json root = read_json(file);
  const Node node(root, file.string());
  if (node.at("format").positive() != 1) node.at("format").fail("is not 1");
  const std::string of = node.at("build_id").text();
  if (of.empty() || of != build_id(program)) return {};
  return node.at("stages").text_map();
}

}  // namespace ratchet::counters
