#include "perf/identity/code/disassembler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "perf/identity/code/cubin.h"
#include "perf/identity/row_id.h"
#include "perf/support/hash.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"

// The toolkit's bin folder; set by the build if there is one.
#ifndef RATCHET_CUDA_BIN
#define RATCHET_CUDA_BIN "/usr/local/cuda/bin"
#endif

namespace ratchet::counters {
namespace {

namespace fs = std::filesystem;

constexpr double tool_limit_s = 120;
constexpr std::size_t program_limit = std::size_t{4} << 30;

bool executable(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> search_path() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  std::vector<fs::path> result;
  for (std::string folder; std::getline(folders, folder, ':');) result.emplace_back(folder);
  result.emplace_back(RATCHET_CUDA_BIN);
  return result;
}

/// pip installs the tools into a folder that is not on PATH; ci/setup into one of ratchet's.
fs::path among_python_packages(const std::string& tool) {
  const std::string script =
      "import glob, os, site, sys, sysconfig\n"
      "cache = os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache')\n"
      "for folder in [cache + '/ratchet/cuda-tools', sysconfig.get_paths()['purelib'],\n"
      "               site.getusersitepackages()]:\n"
      "  for found in sorted(glob.glob(folder + '/nvidia/*/bin/' + sys.argv[1])): print(found)\n";
  try {
    const ProcessResult found = run_process({"python3", "-c", script, tool}, 20);
    const std::string first = found.output.substr(0, found.output.find('\n'));
    if (found.ok() && executable(first)) return first;
  } catch (const Error&) {  // without Python, pip has installed nothing
  }
  return {};
}

std::string output_of(const std::vector<std::string>& command) {
  ProcessResult result = run_process(command, tool_limit_s);
  if (!result.ok())
    throw Error(fmt::format("{} {}: {}", fs::path(command[0]).filename().string(), command.back(),
                            result.describe()));
  return std::move(result.output);
}

/// Pairs each cubin with cuobjdump's listing of it.
struct Pair {
  ResourceListing listing;
  Cubin cubin;
};

bool same_functions(const ResourceListing& listing, const Cubin& cubin) {
  return listing.functions.size() == cubin.functions.size() &&
         std::all_of(cubin.functions.begin(), cubin.functions.end(),
                     [&](const auto& each) { return listing.functions.contains(each.symbol); });
}

/// cuobjdump unpacks compressed device code into files named after the sources without their
/// folders, so these names must differ.
std::vector<Cubin> unpacked(const fs::path& cuobjdump, const fs::path& program,
                            const std::vector<ResourceListing>& listings) {
  const ScratchFolder folder;
  const fs::path full = fs::absolute(program);
  std::istringstream lines(output_of({cuobjdump.string(), "-lelf", full.string()}));
  output_of({"sh", "-c", R"(cd "$1" && "$0" -xelf all "$2")", cuobjdump.string(),
             folder.path().string(), full.string()});
  std::vector<Cubin> cubins;
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find(": ");
    if (!line.starts_with("ELF file") || at == std::string::npos) continue;
    const std::size_t index = cubins.size();
    cubins.emplace_back();
    if (index < listings.size() && listings[index].functions.empty()) continue;  // the linker's own
    const std::string name = line.substr(at + 2);
    if (!names.insert(name).second)
      throw Error(fmt::format(
          "{}: the device code is compressed and two source files are called {}; build with "
          "nvcc --no-compress",
          program.string(), name.substr(0, name.find('.'))));
    const std::string image = read_text(folder.path() / name, program_limit);
    cubins.back() = parse_cubin(image, name);
    cubins.back().image = image;
  }
  return cubins;
}

std::vector<Pair> device_code(const fs::path& program) {
  const fs::path cuobjdump = find_disassembler("cuobjdump");
  const std::string image = read_text(program, program_limit);
  std::vector<Cubin> cubins = embedded_cubins(image, program.string());
  if (image.find(".nv_fatbin") == std::string::npos)
    throw NoMetrics(program.string() + " holds no device code, so there are no CUDA kernels");
  std::vector<ResourceListing> listings =
      parse_resource_usage(output_of({cuobjdump.string(), "-res-usage", program.string()}),
                           "cuobjdump -res-usage of " + program.string());
  if (cubins.size() != listings.size()) cubins = unpacked(cuobjdump, program, listings);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < std::min(cubins.size(), listings.size()); ++i)
    pairs.push_back({std::move(listings[i]), std::move(cubins[i])});
  const bool matched = cubins.size() == listings.size() &&
                       std::all_of(pairs.begin(), pairs.end(), [](const Pair& each) {
                         return same_functions(each.listing, each.cubin);
                       });
  if (!matched)
    throw Error(program.string() + ": cuobjdump's list differs from the device code in the file");
  return pairs;
}

/// The hash of a kernel's machine code and of its resources.
std::string hash_of(const FunctionCode& function, const KernelCode& resources) {
  return sha1(fmt::format("{} {} {} {}", resources.registers, resources.stack, resources.shared,
                          function.code))
      .substr(0, 16);
}

ModuleCode describe(const Pair& pair, const fs::path& nvdisasm, const fs::path& scratch) {
  ModuleCode module{pair.listing.source, pair.listing.arch, "", {}, ""};
  if (!pair.cubin.tables.empty()) module.tables_hash = sha1(pair.cubin.tables).substr(0, 16);
  write_atomically(scratch / "code.cubin", pair.cubin.image);
  // Into a file: the text may exceed the limit of a child's output.
  output_of({"sh", "-c", R"("$0" -ndf -json "$1" >"$1.json")", nvdisasm.string(),
             (scratch / "code.cubin").string()});
  const auto counts =
      parse_disassembly(read_text(scratch / "code.cubin.json", program_limit),
                        "nvdisasm -json of " + pair.listing.source, module.toolchain);
  std::map<std::string, int> uses;
  for (const FunctionCode& function : pair.cubin.functions)
    ++uses[readable_kernel(function.symbol)];
  for (const FunctionCode& function : pair.cubin.functions) {
    const auto found = counts.find(function.symbol);
    if (found == counts.end())
      throw Error("nvdisasm left out " + function.symbol + " of " + pair.listing.source);
    const KernelCode& resources = pair.listing.functions.at(function.symbol);
    KernelCode kernel = found->second;
    kernel.kernel = readable_kernel(function.symbol);
    if (uses[kernel.kernel] > 1) kernel.kernel += " " + function.symbol;  // overloads
    kernel.registers = resources.registers;
    kernel.stack = resources.stack;
    kernel.shared = resources.shared;
    kernel.constant = resources.constant;
    kernel.hash = hash_of(function, resources);
    module.kernels.push_back(std::move(kernel));
  }
  std::sort(module.kernels.begin(), module.kernels.end(),
            [](const KernelCode& a, const KernelCode& b) { return a.kernel < b.kernel; });
  return module;
}

/// Sorted, so that the link order does not matter.
std::string fingerprint(const Pair& pair) {
  std::set<std::string> kernels;
  for (const FunctionCode& function : pair.cubin.functions)
    kernels.insert(readable_kernel(function.symbol) + " " +
                   hash_of(function, pair.listing.functions.at(function.symbol)));
  return fmt::format("{} {} {}\n", pair.listing.arch, sha1(pair.cubin.tables),
                     fmt::join(kernels, " "));
}

}  // namespace

fs::path find_disassembler(const std::string& tool) {
  std::string variable = "RATCHET_" + tool;
  std::transform(variable.begin(), variable.end(), variable.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (const char* named = std::getenv(variable.c_str()); named && *named) {
    if (executable(named)) return named;
    throw Error(fmt::format("{} names {}, which is not a program", variable, named));
  }
  for (const fs::path& folder : search_path())
    if (executable(folder / tool)) return folder / tool;
  if (const fs::path found = among_python_packages(tool); !found.empty()) return found;
  throw NoMetrics(fmt::format(
      "{} is not installed (cuda-{} of the CUDA Toolkit, or 'pip install nvidia-cuda-{}'); {} may "
      "name it",
      tool, tool, tool, variable));
}

std::vector<ModuleCode> static_code(const fs::path& program,
                                    const std::function<bool(const std::string& source)>& wanted) {
  const fs::path nvdisasm = find_disassembler("nvdisasm");
  const ScratchFolder folder;
  std::vector<ModuleCode> modules;
  for (const Pair& pair : device_code(program))
    if (!pair.cubin.functions.empty() && (!wanted || wanted(pair.listing.source)))
      modules.push_back(describe(pair, nvdisasm, folder.path()));
  const auto unnamed = [](const ModuleCode& module) { return module.source.empty(); };
  if (!modules.empty() && std::all_of(modules.begin(), modules.end(), unnamed))
    throw NoMetrics(program.string() +
                    " does not name the sources of its device code; compile with -lineinfo");
  return modules;
}

std::map<std::string, std::string> code_hashes(const fs::path& program) {
  std::map<std::string, std::set<std::string>> own, shared;  // by stage, by family
  for (const Pair& pair : device_code(program)) {
    if (pair.cubin.functions.empty() && pair.cubin.tables.empty()) continue;  // the device linker's
    const std::string stage = stage_of_source(pair.listing.source);
    const std::string family = shared_by(pair.listing.source);
    if (!stage.empty()) own[stage].insert(fingerprint(pair));
    if (!family.empty()) shared[family].insert(fingerprint(pair));
  }
  std::map<std::string, std::string> hashes;
  for (auto& [stage, parts] : own) {
    parts.merge(std::set<std::string>(shared[RowId(stage).family()]));
    parts.merge(std::set<std::string>(shared["support"]));
    hashes[stage] = sha1(fmt::format("{}", fmt::join(parts, ""))).substr(0, 16);
  }
  return hashes;
}

std::set<std::string> identical_code(const std::map<std::string, std::string>& a,
                                     const std::map<std::string, std::string>& b) {
  std::set<std::string> same;
  for (const auto& [stage, hash] : a) {
    const auto other = b.find(stage);
    if (other != b.end() && other->second == hash && RowId(stage).backend() == "cuda")
      same.insert(stage);
  }
  return same;
}

}  // namespace ratchet::counters
