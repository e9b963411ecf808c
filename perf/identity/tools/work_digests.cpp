// work_digests PROGRAM OBJECTS [CUDART]: part of the build. Writes PROGRAM.work.json, the digests
// of the stages among the object files. OBJECTS is a file with the path of an object file or a
// static library per line, in link order. Prints the stages without a digest, with the reason. Exit
// code 2 if a file cannot be read, or if a stage finds others without find_part() (rule D9 of
// digests/README.md).
#include <cstdio>
#include <fstream>

#include "perf/identity/digests/work_digest.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"

namespace {

std::vector<std::filesystem::path> lines_of(const char* file) {
  std::vector<std::filesystem::path> lines;
  std::ifstream stream(file);
  if (!stream) throw ratchet::Error(std::string("cannot read ") + file);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.emplace_back(line);
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace ratchet::counters;
  try {
    if (argc != 3 && argc != 4)
      throw ratchet::Error("usage: work_digests PROGRAM OBJECTS [CUDART]");
    std::map<std::string, std::string> unknown;
    WorkManifest manifest;
    manifest.build_id = build_id(argv[1]);
    Surroundings surroundings{libraries_of(argv[1]), "", bench_timed_act};
    if (argc == 4)
      surroundings.cuda_runtime = ratchet::sha1(ratchet::read_text(argv[3], std::size_t{1} << 30));
    manifest.stages = work_digests(lines_of(argv[2]), surroundings, &unknown);
    for (const auto& [stage, symbol] : unknown)
      if (symbol == found_by_name)
        throw ratchet::Error(stage +
                             " finds another stage by a name that its digest misses; "
                             "call find_part<\"family/backend/NN_idea\">() "
                             "(kernels/contract/stage_part.h)");
    for (const auto& [stage, symbol] : unknown)
      std::fprintf(stderr, "work_digests: no digest of %s; missing: %s\n", stage.c_str(),
                   symbol.c_str());
    write_work_manifest(argv[1], manifest);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "work_digests: %s\n", error.what());
    return static_cast<int>(ratchet::ExitCode::failed);
  }
}
