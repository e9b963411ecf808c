// The device code inside a program: ELF files inside an ELF file.
//
// nvcc puts the device code, one ELF file ("cubin") per source file and architecture, into the
// section .nv_fatbin of the executable, in cuobjdump's order. Relevant sections of a cubin:
// .text.<kernel> holds the instructions, .nv.constant<bank>.<kernel> the parameters and literals,
// .nv.constant3 and .nv.global.init the tables. Layout: ELF-64 (System V gABI), <elf.h>; names of
// sections: CUDA Binary Utilities, "ELF".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ratchet::counters {

struct FunctionCode {
  std::string symbol;  ///< mangled
  std::string code;    ///< bytes of the instructions and of the literals that they load
};

struct Cubin {
  std::string image;                    ///< the ELF file; empty if parse_cubin() got a view
  std::vector<FunctionCode> functions;  ///< sorted by symbol
  std::string tables;                   ///< initialised device memory and constants, as bytes
};

/// The functions and tables of one cubin, independent of the build's folder: without line
/// information and symbol tables, and relocations only by kind and place. Throws `Error` naming
/// `what` unless it is a complete ELF-64 file for CUDA.
Cubin parse_cubin(std::string_view image, const std::string& what);

/// The uncompressed cubins (nvcc's default) of a program's .nv_fatbin section, in order; empty
/// without such a section. Throws `Error` naming `what` unless it is an ELF-64 file.
std::vector<Cubin> embedded_cubins(std::string_view program, const std::string& what);

}  // namespace ratchet::counters
