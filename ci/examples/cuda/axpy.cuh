// A kernel of one's own, which README.md's ten lines time.
#pragma once

constexpr int kCount = 4096 * 256;
__device__ float x[kCount], y[kCount];

/// y += a x, a thread an element: 4096 blocks of 256.
__global__ void axpy(float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) y[i] += a * x[i];
}
