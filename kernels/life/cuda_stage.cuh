// Turns a pass over columns into a life stage: parameters, the rows a thread holds, launches.
//
// A stage file defines a type T with
//   static constexpr int kLanes                threads that lie on top of each other in a tile
//   template <unsigned kRows> static auto kernel()    the __global__ function of a pass
//   static StageInfo info(std::vector<Parameter>)
// and registers std::make_unique<ColumnStage<T>>().
#pragma once

#include <memory>
#include <vector>

#include "kernels/life/cuda_columns.cuh"

namespace ratchet::life {

/// Benchmark point of the CUDA stages: 65536 x 65536 cells, 96 generations.
inline std::vector<Parameter> cuda_parameters() { return common_parameters(65536, 96); }

template <class T>
class ColumnStage : public LifeStage {
 public:
  ColumnStage() : LifeStage(with_sweep(T::info(parameters()))) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    const auto rows = static_cast<unsigned>(parameters.at("rows"));
    switch (rows) {
      case 8:
        return universe<8>(parameters, start);
      case 16:
        return universe<16>(parameters, start);
      case 24:
        return universe<24>(parameters, start);
      case 32:
        return universe<32>(parameters, start);
      default:
        throw Error(info().name + ": rows=" + std::to_string(rows) +
                    ": the kernel is built for 8, 16, 24 and 32 rows a thread; choose one of them");
    }
  }

 private:
  static std::vector<Parameter> parameters() {
    std::vector<Parameter> all = cuda_parameters();
    all.push_back(torus_parameter());
    all.push_back({"rows", T::kDefaultRows, 8, 32, "rows of a thread: 8, 16, 24 or 32"});
    return all;
  }
  static StageInfo with_sweep(StageInfo info) {
    for (const std::uint64_t rows : {8, 16, 24, 32})
      if (rows != T::kDefaultRows) info.sweep.push_back({{"rows", rows}});
    return info;
  }

  template <unsigned kRows>
  std::unique_ptr<Universe> universe(const Parameters& parameters, const Grid& start) const {
    const auto launch = [](const Pass& pass) {
      constexpr unsigned kFresh = T::kLanes * kRows - 2 * kPassSteps;  // rows a tile adds
      const dim3 blocks((static_cast<unsigned>(pass.width) + 31) / 32,
                        (static_cast<unsigned>(pass.height) + kFresh - 1) / kFresh);
      T::template kernel<kRows>()<<<blocks, T::kLanes>>>(pass);
    };
    return std::make_unique<TwoGridUniverse<decltype(launch)>>(info().name, parameters, start, true,
                                                               launch);
  }
};

}  // namespace ratchet::life
