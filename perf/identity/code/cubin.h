// The device code inside a program, read as what it is: ELF files inside an ELF file.
//
// nvcc puts a program's device code, one ELF file ("cubin") per source file and architecture, into
// the section .nv_fatbin of the executable, in the order in which cuobjdump lists them. The
// sections of a cubin that matter here: .text.<kernel> holds the instructions,
// .nv.constant<bank>.<kernel> the parameters and literals, .nv.constant3 and .nv.global.init
// tables. Layout: ELF-64 (System V gABI), <elf.h>; names of sections: CUDA Binary Utilities, "ELF".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ratchet::counters {

struct FunctionCode {
  std::string symbol;  ///< mangled
  std::string code;    ///< the instructions as bytes, with the literals that they load
};

struct Cubin {
  std::string image;                    ///< the ELF file; empty where parse_cubin() got a view
  std::vector<FunctionCode> functions;  ///< sorted by symbol
  std::string tables;                   ///< initialised device memory and constants, as bytes
};

/// The functions and tables of one cubin. Neither line information nor symbol tables take part, and
/// relocations only by kind and place, so that the folder that a build stands in changes nothing.
/// Throws `Error` naming `what` for anything but a whole ELF-64 file for CUDA.
Cubin parse_cubin(std::string_view image, const std::string& what);

/// The cubins of a program's .nv_fatbin section that are stored uncompressed (nvcc's default), in
/// order; none when it has no such section. Throws `Error` naming `what` for anything but ELF-64.
std::vector<Cubin> embedded_cubins(std::string_view program, const std::string& what);

}  // namespace ratchet::counters
