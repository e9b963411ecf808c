// Turns a pass over columns into a life stage: parameters, the rows a thread holds, launches.
//
// A stage file defines a type T with
//   static constexpr int kLanes              threads that lie on top of each other in a tile
//   using Rows                               TextRows, or ManyRows with the parameter "rows"
//   static constexpr unsigned kDefaultRows   one of them, the benchmark's
//   template <unsigned kRows> static auto kernel()
//                                            the __global__ function of a pass
//   static StageInfo info(std::vector<Parameter>)
// and registers std::make_unique<ColumnStage<T>>().
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/life/dense/cuda_columns.cuh"

namespace ratchet::life {

/// Benchmark point of the CUDA stages: 65536 x 65536 cells, 96 generations.
inline std::vector<Parameter> cuda_parameters() { return common_parameters(65536, 96); }

/// The bound of a kernel whose lane needs `operations` of the LOP3 pipe (LOP3 and shifts, counted
/// in the machine code of the generation loop away from the border) for a generation of its `rows`
/// rows, `lanes` of which share a tile. Shuffles, loads and stores are not in it.
inline Limit lop3_limit(double operations, unsigned lanes, unsigned rows) {
  const double kept_rows = rows - 2.0 * kPassSteps / lanes;
  return {"cuda.lop3", operations / (32 * kept_rows)};
}

/// How many rows a thread may hold: the kernel is compiled for each.
template <unsigned... kRows>
struct RowsOfThread {};
using TextRows = RowsOfThread<16>;  ///< "approximately 16 is optimal depending on the GPU"
using ManyRows = RowsOfThread<8, 16, 20, 24, 32>;

template <class T>
class ColumnStage : public LifeStage {
 public:
  ColumnStage() : LifeStage(T::info(parameters(typename T::Rows{}))) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    return make(parameters, start, typename T::Rows{});
  }

 private:
  template <unsigned... kRows>
  static std::vector<Parameter> parameters(RowsOfThread<kRows...>) {
    std::vector<Parameter> all = cuda_parameters();
    all.push_back(torus_parameter());
    if (sizeof...(kRows) > 1)
      all.push_back({"rows", T::kDefaultRows, std::min({kRows...}), std::max({kRows...}),
                     "rows of a thread: 8, 16, 20, 24 or 32"});
    return all;
  }

  template <unsigned... kRows>
  std::unique_ptr<Universe> make(const Parameters& parameters, const Grid& start,
                                 RowsOfThread<kRows...>) const {
    const std::uint64_t rows = parameters.has("rows") ? parameters.at("rows") : T::kDefaultRows;
    std::unique_ptr<Universe> made;
    ((rows == kRows ? void(made = universe<kRows>(parameters, start)) : void()), ...);
    if (made == nullptr)
      throw Error(info().name + ": rows=" + std::to_string(rows) +
                  ": the kernel is built for 8, 16, 20, 24 and 32 rows a thread; choose one");
    return made;
  }

  template <unsigned kRows>
  std::unique_ptr<Universe> universe(const Parameters& parameters, const Grid& start) const {
    const auto launch = [](const Pass& pass) {
      constexpr unsigned kFresh = T::kLanes * kRows - 2 * kPassSteps;  // rows a tile adds
      const dim3 blocks((static_cast<unsigned>(pass.width) + 31) / 32,
                        (static_cast<unsigned>(pass.height) + kFresh - 1) / kFresh);
      T::template kernel<kRows>()<<<blocks, T::kLanes>>>(pass);
    };
    return std::make_unique<TwoGridUniverse<decltype(launch)>>(info().name, parameters, start,
                                                               Order::columns, launch);
  }
};

}  // namespace ratchet::life
