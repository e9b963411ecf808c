// A kernel of one's own, which README.md's ten lines time.
#pragma once

constexpr int kCount = 4096 * 256;
__device__ float x[kCount], y[kCount];

/// y += a x, a thread an element: 4096 blocks of 256.
__global__ void axpy(float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kCount) y[i] += a * x[i];
}

/// The same by however few threads: each has many elements.
__global__ void axpy_slowly(float a) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < kCount; i += step) y[i] += a * x[i];
}
