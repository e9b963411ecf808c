// A stage in form only: what the tests of perf/counters compile and take apart.
// PLANT_INSTRUCTION adds one operation, PLANT_SPILL leaves too few registers, PLANT_TABLE changes data.
namespace {

struct Rounds {
  static constexpr int kCount = 4;
};

#ifdef PLANT_TABLE
__constant__ unsigned table[4] = {1, 2, 3, 5};
#else
__constant__ unsigned table[4] = {1, 2, 3, 4};
#endif

#ifdef PLANT_SPILL
#define BOUNDS __launch_bounds__(1024, 2)
#else
#define BOUNDS
#endif

template <class T>
__global__ void BOUNDS mix(unsigned* words) {
  __shared__ unsigned part[32];
  unsigned kept[48];
#pragma unroll
  for (int i = 0; i < 48; ++i) kept[i] = words[threadIdx.x * 48 + i];
  part[threadIdx.x % 32] = kept[0];
  __syncthreads();
#pragma unroll
  for (int round = 0; round < T::kCount; ++round)
#pragma unroll
    for (int i = 0; i < 48; ++i) kept[i] = kept[i] * kept[(i + 7) % 48] + part[i % 32];
#pragma unroll
  for (int i = 0; i < 48; ++i) words[threadIdx.x * 48 + i] = kept[i] ^ table[i % 4];
#ifdef PLANT_INSTRUCTION
  words[threadIdx.x * 48] = __popc(kept[1]);
#endif
}

}  // namespace

void launch(unsigned* words) { mix<Rounds><<<1, 32>>>(words); }

int main() { return 0; }
