// The digest of what a stage executes: equal digests mean equal work.
//
// It covers the machine code and tables that are reachable from the code that runs before main()
// and registers the stage: called functions, tables, and all virtual functions of the constructed
// classes. Destructors and functions outside the timed act (Stage::availability(),
// Instance::units(), device_time()) are excluded. References are followed through ratchet's code; a
// function of a shared library counts by name and by the library's build. GPU kernels count by
// their machine code, all of the object that launches one, and grids by the host code that computes
// them. Names, the order of functions, addresses and the build's folder do not count. The digest of
// a row adds the values of the parameters (perf/measure/bench, --ratchet_list_work); a comparison
// also compares the machines' fingerprints, including drivers.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perf/identity/code/object_code.h"

namespace ratchet::counters {

/// By symbol, the shared library that defines it: "libm.so.6 <build>".
using Libraries = std::map<std::string, std::string>;

/// The files that the program's own loader would map, in its order and listed by itself (ld.so(8)):
/// ldd knows the loaders of the machine alone, and not those of a program that QEMU runs. Throws
/// `Error` if a library is missing, or the program is static or does not start.
std::vector<std::filesystem::path> loaded_with(const std::filesystem::path& program);

/// The symbols of these files, and which of them defines each.
Libraries libraries_of(const std::filesystem::path& program);

/// The definitions outside the stages' objects, and the timed act.
struct Surroundings {
  Libraries libraries;
  std::string cuda_runtime;  ///< the linked version; empty without one
  std::string timed_act;     ///< mangled name of the function that holds the clock around run()
};

/// The function that holds the clock in ratchet-bench.
inline constexpr const char* bench_timed_act =
    "_ZN7ratchet6timing12_GLOBAL__N_19WallTimer8time_runERNS_8InstanceE";

/// Reason for a missing digest: the stage finds others without find_part().
inline constexpr const char* found_by_name = "a stage that is found by its name";

/// The stage of an object file: "life/cpu/05_simd" for
/// ".../ratchet_kernels_life.dir/life/cpu_05_simd.cpp.o"; empty for others.
std::string stage_of_object(const std::filesystem::path& object);

/// Digests of the stages among the objects (kernels/.../cpu_NN_idea.cpp.o, cuda_NN_idea.cu.o), by
/// stage. A stage without a digest is in `unknown` with one of these reasons. A symbol is defined
/// by neither an object nor a library. Another stage was found without
/// kernels/contract/stage_part.h, through which the digests of parts count. The run() of an
/// Instance, or for a GPU a kernel launch, is unreachable. Throws `Error` if the timed act is not
/// found.
std::map<std::string, std::string> work_digests(const std::vector<std::filesystem::path>& objects,
                                                const Surroundings& surroundings,
                                                std::map<std::string, std::string>* unknown);

/// PROGRAM.work.json: the digests, and the program's build id. A build writes it next to the
/// program, so that the program can be used on a machine without its objects.
struct WorkManifest {
  std::string build_id;
  std::map<std::string, std::string> stages;
};
/// The program's build id; empty if the linker wrote none. Throws `Error` for a file that is not a
/// program.
std::string build_id(const std::filesystem::path& program);
void write_work_manifest(const std::filesystem::path& program, const WorkManifest& manifest);
/// Nothing if there is none, or it belongs to another build of the program. Throws `Error` for a
/// malformed file.
std::map<std::string, std::string> read_work_manifest(const std::filesystem::path& program);

// The digest of a third-party program: of everything that the loader maps of it and of the
// libraries that it is linked with.

/// 40 hexadecimal digits over code and data of the executable and of its shared libraries; equal
/// digests mean equal programs. Excludes paths, and notes, since the build id depends on debug
/// information. Nothing if the files do not determine what runs: for a script, and if the program
/// or a library loads further libraries itself. The runtimes of CUDA, OpenCL and OpenMP may do so:
/// they load drivers, which belong to the machine. Throws nothing.
std::optional<std::string> program_digest(const std::filesystem::path& program);
/// What it is made of, as text: code and data of the executable alone, and of its libraries.
std::optional<std::string> own_parts(const std::filesystem::path& program);
std::optional<std::string> library_parts(const std::filesystem::path& program);

}  // namespace ratchet::counters
