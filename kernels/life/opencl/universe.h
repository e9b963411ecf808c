// What the OpenCL stages of life share: the universe on a device, and the stage around a kernel.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "kernels/life/life.h"
#include "kernels/support/opencl.h"

namespace ratchet::life {

/// Cells beside the middle word that the kernels of several generations simulate besides, and so
/// the generations that one launch can make: HALO of life.cl.
inline constexpr unsigned kHalo = 16;

/// How a kernel is launched for one universe.
struct LaunchShape {
  unsigned generations = 1;        ///< at most, of one launch
  cl::NDRange global, local;       ///< work-items in all and in a group
  std::size_t local_bytes = 0;     ///< local memory a group, the kernel's fourth argument; or
  std::uint64_t global_bytes = 0;  ///< global memory beside the fields, likewise; 0: neither
};

/// Groups that exchange rows through global memory, two areas of kRowBytes a work-item and one row
/// more at either end. A group takes tiles by turns, so that the areas of all are small enough
/// for a GPU's cache, and still far more groups than a device runs at once.
template <std::uint64_t kRowBytes>
LaunchShape exchange_launch(unsigned generations, std::uint64_t tiles, std::size_t group) {
  constexpr std::uint64_t kExchangeBytes = std::uint64_t{16} << 20;
  const std::uint64_t bytes = 2 * kRowBytes * (group + 2);
  const std::uint64_t groups = std::min(tiles, kExchangeBytes / bytes);
  LaunchShape launch;
  launch.generations = generations;
  launch.global = cl::NDRange(groups * group);
  launch.local = cl::NDRange(group);
  launch.global_bytes = groups * bytes;
  return launch;
}

/// A stage's kernel `advance`, behind what life.cl holds.
struct Kernel {
  std::string_view source;
  /// Given the parameters and the work-items of a group that the device allows.
  std::function<LaunchShape(const Parameters&, std::size_t)> launch;
  std::function<std::string(const Parameters&)> options;  ///< of the compiler; may be empty
};

/// common_parameters() with the torus and the work-group size, then those of the stage's own.
std::vector<Parameter> opencl_parameters(std::uint64_t group,
                                         const std::vector<Parameter>& own = {});
/// A universe that fills a GPU, as the CUDA stages have it by default.
inline std::vector<ParameterPoint> opencl_survey() { return squares({65536}, {{"steps", 96}}); }

/// Groups that cover `rows` rows with tiles of which `kept` rows count. Throws `Error` naming
/// `stage` when kept is not positive: a tile of halo alone.
std::uint64_t tiles_of(std::uint64_t rows, std::int64_t kept, const char* stage);

/// 32-bit columns of the universe.
std::uint64_t columns_of(const Parameters& parameters);

/// A stage of this backend.
std::unique_ptr<LifeStage> opencl_stage(StageInfo info, Kernel kernel);

}  // namespace ratchet::life
