// Arithmetic peaks of a CUDA device: many independent chains of one instruction, with every SM
// full.
//
// The instructions are written in PTX. Verified in the disassembly (cuobjdump -sass): each loop
// holds kChains * kUnroll of the named instruction, three of loop control, and nothing else.
// Comments mark functions of several instructions.
#include <cstdint>

#include "kernels/support/device_buffer.h"
#include "perf/measure/peaks/probes.h"

namespace ratchet::peaks {
namespace {

constexpr int kChains =
    8;  // independent chains per thread: with 64 warps per SM they hide the latency
constexpr int kUnroll =
    32;  // operations of a chain per loop: loop control is 1 % of the instructions
constexpr int kThreads = 1024;
constexpr int kBlocksPerSm = 2;  // 2048 threads: the maximum of an SM of Volta to Hopper

// Each operation advances chain `c` of `x`; `a` and `b` are known only at run time.
struct Lop3 {
  using Word = std::uint32_t;
  // Not XOR or majority (0x3e is neither), which an assembler could merge across operations.
  static __device__ void apply(Word (&x)[kChains], int c, Word a, Word b) {
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x3e;" : "+r"(x[c]) : "r"(a), "r"(b));
  }
};
struct Imad {
  using Word = std::uint32_t;
  static __device__ void apply(Word (&x)[kChains], int c, Word a, Word b) {
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x[c]) : "r"(a), "r"(b));
  }
};
struct Iadd3 {
  using Word = std::uint32_t;
  // The neighbour chain's changing value keeps the two additions from merging into one.
  static __device__ void apply(Word (&x)[kChains], int c, Word a, Word) {
    asm volatile("{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}"
                 : "+r"(x[c])
                 : "r"(x[(c + 1) % kChains]), "r"(a));
  }
};
struct ImadWide {
  using Word = unsigned long long;
  // Written in C++: the assembler (13.0) turns a PTX mad.wide into a product and two or three
  // additions. From C++ it fuses them and adds one IADD3 of zero to each, as in multiply-with-carry
  // generators.
  static __device__ void apply(Word (&x)[kChains], int c, Word a, Word) {
    x[c] =
        static_cast<Word>(static_cast<std::uint32_t>(x[c])) * static_cast<std::uint32_t>(a) + x[c];
  }
};
struct ImulWide {
  using Word = unsigned long long;
  // Reads both halves, so that the assembler computes the upper one.
  static __device__ void apply(Word (&x)[kChains], int c, Word, Word) {
    asm volatile("{.reg .u32 low, high; mov.b64 {low, high}, %0; mul.wide.u32 %0, low, high;}"
                 : "+l"(x[c]));
  }
};
struct Ffma {
  using Word = float;
  static __device__ void apply(Word (&x)[kChains], int c, Word a, Word b) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[c]) : "f"(a), "f"(b));
  }
};
struct Popc {
  using Word = std::uint32_t;
  static __device__ void apply(Word (&x)[kChains], int c, Word, Word) {
    asm volatile("popc.b32 %0, %0;" : "+r"(x[c]));
  }
};
struct Ffs {
  using Word = std::uint32_t;
  // The lowest set bit, as __ffs is compiled: BREV, FLO and an addition.
  static __device__ void apply(Word (&x)[kChains], int c, Word, Word) {
    x[c] = static_cast<Word>(__ffs(static_cast<int>(x[c])));
  }
};
struct Mufu {
  using Word = float;
  static __device__ void apply(Word (&x)[kChains], int c, Word, Word) {
    asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x[c]));
  }
};
// Several instructions: the cost of a direction in tiny_mc, as one call and as two. The argument
// stays within two turns of the circle.
struct Sincospi {
  using Word = float;
  static __device__ void apply(Word (&x)[kChains], int c, Word, Word) {
    float sine, cosine;
    sincospif(x[c], &sine, &cosine);
    x[c] = sine + cosine;
  }
};
struct SinpiCospi {
  using Word = float;
  // A different register for the second argument, so that the compiler cannot share their work.
  static __device__ void apply(Word (&x)[kChains], int c, Word, Word) {
    float same = x[c];
    asm volatile("" : "+f"(same));
    x[c] = sinpif(x[c]) + cospif(same);
  }
};
struct Shfl {
  using Word = std::uint32_t;
  static __device__ void apply(Word (&x)[kChains], int c, Word, Word) {
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(x[c]));
  }
};
// Issue slots: two pipes alternately, with few register operands. (Alternating three-operand LOP3
// and FFMA measured 88 lanes per clock, limited by the register ports.)
struct Issue {
  using Word = std::uint32_t;
  static __device__ void apply(Word (&x)[kChains], int c, Word a, Word) {
    if (c % 2) {
      asm volatile("lop3.b32 %0, %0, %1, 0, 0x3f;" : "+r"(x[c]) : "r"(a));
    } else {
      float value = __uint_as_float(x[c]);
      asm volatile("add.rn.f32 %0, %0, 0f3FC00000;" : "+f"(value));
      x[c] = __float_as_uint(value);
    }
  }
};

template <class Operation>
__global__ void __launch_bounds__(kThreads)
    saturate(typename Operation::Word* out, typename Operation::Word a, typename Operation::Word b,
             int iterations) {
  using Word = typename Operation::Word;
  Word x[kChains];
  for (int c = 0; c < kChains; ++c) x[c] = a + static_cast<Word>(threadIdx.x + c);
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) Operation::apply(x, c, a, b);
    }
  }
  Word all = 0;
  for (int c = 0; c < kChains; ++c) all += x[c];
  // Never true, which the compiler cannot know, so the chains are kept without a store.
  if (blockIdx.x > 0x10000000) out[threadIdx.x] = all;
}

/// Tensor core, single bits: D = popcount(A and B) + D, 16 x 8 x 256. With `Lop3s` LOP3 for each,
/// to see whether the two pipes work concurrently.
template <int Lop3s>
__global__ void __launch_bounds__(kThreads) saturate_bmma(int* out, unsigned a, int iterations) {
  int d[kChains][4] = {};
  unsigned x[kChains] = {};
  const unsigned b = a + threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int u = 0; u < kUnroll / 4; ++u) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) {
#if __CUDA_ARCH__ >= 800  // bmma_rate() refuses code for older architectures
        asm volatile(
            "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
            "{%0,%1,%2,%3}, {%4,%5,%4,%5}, {%4,%5}, {%0,%1,%2,%3};"
            : "+r"(d[c][0]), "+r"(d[c][1]), "+r"(d[c][2]), "+r"(d[c][3])
            : "r"(a), "r"(b));
#endif
#pragma unroll
        for (int i = 0; i < Lop3s; ++i)
          asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;"
                       : "+r"(x[(c + i) % kChains])
                       : "r"(a), "r"(b));
      }
    }
  }
  int all = 0;
  for (int c = 0; c < kChains; ++c)
    all += d[c][0] + d[c][1] + d[c][2] + d[c][3] + static_cast<int>(x[c]);
  if (blockIdx.x > 0x10000000) out[threadIdx.x] = all;
}

template <class Operation>
double lane_rate() {
  using Word = typename Operation::Word;
  const int blocks = multiprocessors() * kBlocksPerSm;
  const DeviceBuffer<Word> out(kThreads);
  const Launch launch = [&](int iterations) {
    saturate<Operation>
        <<<blocks, kThreads>>>(out.data(), static_cast<Word>(3), static_cast<Word>(5), iterations);
  };
  return best_rate(launch, 1.0 * blocks * kThreads * kChains * kUnroll);
}

double issue_rate() { return lane_rate<Issue>() / 32; }

template <int Lop3s>
double bmma_rate() {
  cudaFuncAttributes compiled{};
  RATCHET_CUDA(cudaFuncGetAttributes(&compiled, saturate_bmma<Lop3s>));
  if (compiled.ptxVersion < 80)
    throw Error(
        "single bits on tensor cores need compute capability 8.0, but this program was compiled "
        "for "
        "an older one; configure with -DCMAKE_CUDA_ARCHITECTURES=native");
  const int blocks = multiprocessors() * kBlocksPerSm;
  const DeviceBuffer<int> out(kThreads);
  const Launch launch = [&](int iterations) {
    saturate_bmma<Lop3s><<<blocks, kThreads>>>(out.data(), 0x5a5a5a5a, iterations);
  };
  return best_rate(launch, 1.0 * blocks * (kThreads / 32) * kChains * (kUnroll / 4));
}

}  // namespace

std::vector<Probe> cuda_probes() {
  const char* lanes = "lane operations";
  std::vector<Probe> probes = {
      {"cuda.lop3", lanes, "LOP3, three registers", lane_rate<Lop3>},
      {"cuda.imad", lanes, "IMAD, 32 bit", lane_rate<Imad>},
      {"cuda.iadd3", lanes, "IADD3, three registers", lane_rate<Iadd3>},
      {"cuda.imad_wide", lanes, "IMAD.WIDE, 32 x 32 + 64 bit", lane_rate<ImadWide>},
      {"cuda.imul_wide", lanes, "IMAD.WIDE, 32 x 32 bit, no addend", lane_rate<ImulWide>},
      {"cuda.ffma", lanes, "FFMA", lane_rate<Ffma>},
      {"cuda.popc", lanes, "POPC", lane_rate<Popc>},
      {"cuda.ffs", lanes, "__ffs: lowest set bit", lane_rate<Ffs>},
      {"cuda.mufu", lanes, "MUFU.RSQ", lane_rate<Mufu>},
      {"cuda.sincospi", lanes, "sincospif: sine and cosine", lane_rate<Sincospi>},
      {"cuda.sinpi_cospi", lanes, "sinpif and cospif", lane_rate<SinpiCospi>},
      {"cuda.shfl", lanes, "SHFL.BFLY", lane_rate<Shfl>},
      {"cuda.bmma", "warp instructions", "mma.sync m16n8k256, 1 bit, and + popc", bmma_rate<0>},
      {"cuda.bmma_beside_lop3", "warp instructions", "the same, four LOP3 with each", bmma_rate<4>},
      {"cuda.issue", "warp instructions", "issue slots: LOP3 and FADD interleaved", issue_rate}};
  for (Probe& probe : cuda_memory_probes()) probes.push_back(std::move(probe));
  for (Probe& probe : cuda_latency_probes()) probes.push_back(std::move(probe));
  for (Probe& probe : cuda_thread_probes()) probes.push_back(std::move(probe));
  for (Probe& probe : cuda_peer_probes()) probes.push_back(std::move(probe));
  return probes;
}

}  // namespace ratchet::peaks
