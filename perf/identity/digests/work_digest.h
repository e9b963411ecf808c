// What a stage executes, as one digest: equal digests, equal work.
//
// The digest covers the machine code and the tables that can be reached from what a stage's file
// does before main(), where it makes and registers the stage: code that is called, tables, and of
// the classes made on the way all virtual functions, for any may be called, but destructors and
// what the contract keeps out of the timed act (Stage::availability(), Instance::units(),
// device_time()). References are followed through ratchet's own code; what a shared library has
// counts by name and by the library's build. Kernels of a GPU count by their machine code, all of
// the object that launches one, and their grids by the host code that makes them. Names, the order
// of functions, their addresses and the folder of the build take no part. The parameters are no
// code: whoever holds rows against each other adds their values (perf/measure/bench, --ratchet_list_work),
// and the machine's fingerprint, drivers included.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/code/object_code.h"

namespace ratchet::counters {

/// By symbol, what defines it in a shared library: "libm.so.6 <build>".
using Libraries = std::map<std::string, std::string>;

/// The symbols of the shared libraries that a program is loaded with, by the dynamic linker's own
/// word (`ldd`). Throws `Error` when it has none.
Libraries libraries_of(const std::filesystem::path& program);

/// Where stages find what they do not define, and the timed act around them.
struct Surroundings {
  Libraries libraries;
  std::string cuda_runtime;  ///< which one is linked in; empty where none is
  std::string timed_act;     ///< mangled name of the function that holds the clock around run()
};

/// The function that holds the clock in ratchet-bench.
inline constexpr const char* bench_timed_act =
    "_ZN7ratchet6timing12_GLOBAL__N_19WallTimer8time_runERNS_8InstanceE";

/// In the way of a digest: the stage finds others otherwise than by find_part().
inline constexpr const char* found_by_name = "a stage that is found by its name";

/// The stage that an object file is compiled from: "life/cpu/05_simd" for
/// ".../ratchet_kernels_life.dir/life/cpu_05_simd.cpp.o"; empty for others.
std::string stage_of_object(const std::filesystem::path& object);

/// Digests of the stages among the objects (kernels/.../cpu_NN_idea.cpp.o, cuda_NN_idea.cu.o), by
/// stage. A stage of which it cannot be known gets none, and stands in `unknown` with what is in
/// the way: a symbol that neither an object nor a library has, another stage that is found
/// otherwise than by kernels/contract/stage_part.h (by which the parts' digests count), or that no
/// way was found to the run() of an Instance or, of a GPU, to the launch of a kernel.
/// Throws `Error` where the timed act is not found.
std::map<std::string, std::string> work_digests(const std::vector<std::filesystem::path>& objects,
                                                const Surroundings& surroundings,
                                                std::map<std::string, std::string>* unknown);

/// What a build leaves beside a program, PROGRAM.work.json, so that it can be carried to a machine
/// without objects: the digests, and which program they are of.
struct WorkManifest {
  std::string build_id;
  std::map<std::string, std::string> stages;
};
/// What the linker called the program; empty where it was not told to. Throws `Error` for no
/// program.
std::string build_id(const std::filesystem::path& program);
void write_work_manifest(const std::filesystem::path& program, const WorkManifest& manifest);
/// Nothing where there is none, or it is of another build of the program. Throws `Error` for a file
/// of another form.
std::map<std::string, std::string> read_work_manifest(const std::filesystem::path& program);

}  // namespace ratchet::counters
