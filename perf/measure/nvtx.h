// NVTX ranges in the domain "ratchet", by which Nsight can select. Without an attached tool nothing
// is loaded; without the CUDA toolkit the class is empty.
#pragma once

#include <string>

namespace ratchet::timing {

/// A push/pop range of the calling thread. Names are registered strings, on which Nsight Systems
/// triggers its capture without further settings.
class NvtxRange {
 public:
  explicit NvtxRange(const std::string& name);
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
  ~NvtxRange();
};

}  // namespace ratchet::timing
