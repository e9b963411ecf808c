// Static metrics of a CUDA kernel: registers, stack, shared memory, instructions by kind, and a
// hash of its machine code.
//
// Parses the output of NVIDIA's tools (CUDA Binary Utilities: cuobjdump -res-usage, nvdisasm
// -json), which disassembler.h runs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ratchet::counters {

struct KernelCode {
  std::string kernel;              ///< readable and equal between builds: readable_kernel()
  int registers = 0;               ///< per thread
  int stack = 0;                   ///< bytes per thread
  int shared = 0;                  ///< bytes per block, static
  int constant = 0;                ///< bytes of bank 0: parameters
  int instructions = 0;            ///< static, without padding
  int local_loads = 0;             ///< LDL: spilled registers and arrays on the stack
  int local_stores = 0;            ///< STL
  std::map<std::string, int> mix;  ///< instructions by opcode without modifiers ("LOP3": 110)
  std::string hash;                ///< of the machine code: digest of the bytes, 16 digits

  int spills() const { return local_loads + local_stores; }
};

/// The device code of one source file for one architecture.
struct ModuleCode {
  std::string source;               ///< as on nvcc's command line
  std::string arch;                 ///< "sm_90"
  std::string toolchain;            ///< "release 13.0, V13.0.88", and the options of the assembler
  std::vector<KernelCode> kernels;  ///< sorted by name
  std::string tables_hash;  ///< of initialised device memory and constants; empty without any
};

/// One entry of `cuobjdump -res-usage`: source and architecture, and the figures by symbol.
struct ResourceListing {
  std::string source;
  std::string arch;
  std::map<std::string, KernelCode> functions;  ///< registers, stack, shared, constant are set
};

/// Entries for machine code in the order of the file, without PTX. Throws `Error` naming `what` and
/// the line if the text is malformed.
std::vector<ResourceListing> parse_resource_usage(std::string_view text, const std::string& what);

/// Instruction counts by symbol, from `nvdisasm -json` of one cubin. Sets `toolchain` to the
/// assembler's version and options, or "unknown" (toolkits before 13). Throws `Error` naming `what`
/// if the text is malformed.
std::map<std::string, KernelCode> parse_disassembly(std::string_view json, const std::string& what,
                                                    std::string& toolchain);

/// A symbol demangled, without return type, parameters, the namespaces of this project, and the
/// hash that nvcc puts into unnamed namespaces: "simulate<Xoshiro, Xoshiro::Words, MaxSink>".
std::string readable_kernel(const std::string& symbol);

/// The stage of a source file: ".../kernels/life/cuda_03_bits.cu" defines "life/cuda/03_bits".
/// Empty for other files, such as those in a family's folders.
std::string stage_of_source(std::string_view source);

/// The family whose stages may share a file: "life" for kernels/life/dense/cuda_dense.cu, "support"
/// for kernels/support/. Empty for a stage's own file and for files outside kernels/.
std::string shared_by(std::string_view source);

}  // namespace ratchet::counters
