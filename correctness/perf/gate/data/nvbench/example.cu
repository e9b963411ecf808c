// A program of nvbench's for `ratchet compare --exec` and `ratchet gate --bench`: saxpy at two
// sizes, a benchmark with a size that skips itself, and one without axes. Built with
// -DEXTRA_PERCENT=5 it does a twentieth more work at the same names.
#include <thrust/device_vector.h>

#include <nvbench/nvbench.cuh>

#ifndef EXTRA_PERCENT
#define EXTRA_PERCENT 0
#endif

__global__ void saxpy(std::int64_t n, float a, const float* x, float* y) {
  const std::int64_t step = std::int64_t(blockDim.x) * gridDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
    y[i] = a * x[i] + y[i];
}

void saxpy_bench(nvbench::state& state) {
  const auto stated = state.get_int64("Elements");
  const std::int64_t n = stated + stated * EXTRA_PERCENT / 100;
  thrust::device_vector<float> x(n, 1.0f), y(n, 2.0f);
  const float* from = thrust::raw_pointer_cast(x.data());
  float* to = thrust::raw_pointer_cast(y.data());
  state.add_element_count(static_cast<std::size_t>(stated));
  state.exec([=](nvbench::launch& launch) {
    saxpy<<<1056, 256, 0, launch.get_stream()>>>(n, 3.0f, from, to);
  });
}
NVBENCH_BENCH(saxpy_bench).set_name("saxpy").add_int64_power_of_two_axis("Elements", {22, 26});

void picky_bench(nvbench::state& state) {
  if (state.get_string("Mode") == "none") {
    state.skip("there is nothing to do in this mode");
    return;
  }
  saxpy_bench(state);
}
NVBENCH_BENCH(picky_bench)
    .set_name("picky")
    .add_string_axis("Mode", {"some", "none"})
    .add_int64_axis("Elements", {1000000});

__global__ void spin(int rounds, float* out) {
  float value = 1.0f;
  for (int i = 0; i < rounds; ++i) value = fmaf(value, 1.0001f, 0.5f);
  if (value == 0) *out = value;
}

void spin_bench(nvbench::state& state) {
  constexpr int rounds = 100000 * (100 + EXTRA_PERCENT) / 100;
  state.exec(
      [](nvbench::launch& launch) { spin<<<132, 256, 0, launch.get_stream()>>>(rounds, nullptr); });
}
NVBENCH_BENCH(spin_bench).set_name("spin");
