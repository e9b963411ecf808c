// Static metrics of a whole program, by NVIDIA's disassemblers.
//
// cuobjdump and nvdisasm are searched in $RATCHET_CUOBJDUMP and $RATCHET_NVDISASM, on PATH, and in
// the toolkit's bin folder. Some toolkits lack them, so the Python packages nvidia-cuda-cuobjdump
// and nvidia-cuda-nvdisasm are searched, too.
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

/// A required tool is not installed, or the program holds no kernels. Gives exit code 77 if nothing
/// else was requested.
class NoMetrics : public Error {
 public:
  explicit NoMetrics(const std::string& message) : Error(message, ExitCode::nothing_ran) {}
};

/// The path of "cuobjdump" or "nvdisasm". Throws `NoMetrics` naming the tool and its package, and
/// `Error` if the environment names a program that does not exist.
std::filesystem::path find_disassembler(const std::string& tool);

/// The device code of every source file in an executable that nvcc linked, without modules without
/// functions. `wanted` filters sources by name before the slow part. Throws `NoMetrics` if a tool
/// is missing or the program holds no device code, `Error` if it cannot be read.
std::vector<ModuleCode> static_code(
    const std::filesystem::path& program,
    const std::function<bool(const std::string& source)>& wanted = {});

/// One hash per CUDA stage over all device code that its launches can reach, for all architectures:
/// machine code, resources and tables. That code lies in its own file, in the shared files of its
/// family, and in kernels/support. Needs only cuobjdump, and a fraction of a second. Throws like
/// modules_of().
std::map<std::string, std::string> code_hashes(const std::filesystem::path& program);

/// Stages with equal device code in both programs. A difference between their kernels' times is
/// noise, unless the host launches them in another shape. Only CUDA stages, since half the work of
/// hybrid stages is host code.
std::set<std::string> identical_code(const std::map<std::string, std::string>& a,
                                     const std::map<std::string, std::string>& b);

}  // namespace ratchet::counters
