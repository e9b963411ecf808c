// NVTX ranges in the domain "ratchet", for Nsight to select by. Nothing happens, and nothing is
// loaded, unless a tool is attached; without the CUDA toolkit the class is empty.
#pragma once

#include <string>

namespace ratchet::timing {

/// A push/pop range of the calling thread. Names are registered strings: Nsight Systems triggers
/// its capture on those without further settings.
class NvtxRange {
 public:
  explicit NvtxRange(const std::string& name);
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
  ~NvtxRange();
};

}  // namespace ratchet::timing
