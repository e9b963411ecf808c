// Static metrics of a whole program: NVIDIA's disassemblers called on an executable.
//
// cuobjdump and nvdisasm are looked for in $RATCHET_CUOBJDUMP and $RATCHET_NVDISASM, on PATH, in
// the toolkit's bin folder, and among Python's packages (nvidia-cuda-cuobjdump,
// nvidia-cuda-nvdisasm), since not every toolkit brings them.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/code/static_code.h"
#include "perf/support/error.h"

namespace ratchet::counters {

/// A tool that metrics needs is not installed, or the program holds nothing to look at. Exit code
/// 77 where nothing else was asked for.
class NoMetrics : public Error {
 public:
  explicit NoMetrics(const std::string& message) : Error(message, ExitCode::nothing_ran) {}
};

/// Where "cuobjdump" or "nvdisasm" lies. Throws `NoMetrics` naming the tool and what brings it,
/// and `Error` when the environment names a program that is not there.
std::filesystem::path find_disassembler(const std::string& tool);

/// The device code of every source file in an executable that nvcc linked. Modules without
/// functions are left out. `wanted` is asked with the source's name before the slow part. Throws
/// `NoMetrics` when a tool is missing or the program holds no device code, `Error` when it cannot
/// be read.
std::vector<ModuleCode> static_code(
    const std::filesystem::path& program,
    const std::function<bool(const std::string& source)>& wanted = {});

/// One hash per CUDA stage over all device code that its launches can reach: machine code,
/// resources and tables of its own file and of the files shared in its family and in
/// kernels/support, for all architectures. Needs cuobjdump alone, and a fraction of a second.
/// Throws as above.
std::map<std::string, std::string> code_hashes(const std::filesystem::path& program);

/// Stages whose device code is the same in both programs, by their hashes: a difference between
/// their kernels' times is noise, unless the host launches them in another shape. Only CUDA stages:
/// of hybrid ones half the work is not looked at.
std::set<std::string> identical_code(const std::map<std::string, std::string>& a,
                                     const std::map<std::string, std::string>& b);

}  // namespace ratchet::counters
