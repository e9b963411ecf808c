// What nvbench calls of the CUDA runtime, on a machine without a GPU: kernels do nothing, and take
// NO_GPU_US microseconds (20) of a clock of their own, by which events are stamped; a process is by
// up to 0.1 % faster or slower than another, a launch by 0.5 %. NO_GPU_DEVICES is how many there
// are.
#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <random>

namespace {

double now_ms = 0;
int device = 0;
constexpr cudaError_t ok = cudaSuccess;

double setting(const char* name, double otherwise) {
  const char* value = std::getenv(name);
  return value ? std::atof(value) : otherwise;
}

double wobble(double share) {
  static std::mt19937 generator{std::random_device{}()};
  return 1 + std::uniform_real_distribution<>(-share, share)(generator);
}

}  // namespace

extern "C" {
void** __cudaRegisterFatBinary(void*) {
  static void* handle;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*) {}
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*) { return ok; }
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, CUstream_st*) { return 0; }
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) { return ok; }
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t) {
  static const double call_ms = setting("NO_GPU_US", 20) * 1e-3 * wobble(1e-3);
  now_ms += call_ms * wobble(5e-3);
  return ok;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = static_cast<cudaEvent_t>(std::calloc(1, sizeof(double)));
  return ok;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  std::memcpy(static_cast<void*>(event), &now_ms, sizeof now_ms);
  return ok;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end) {
  double from = 0, to = 0;
  std::memcpy(&from, static_cast<void*>(begin), sizeof from);
  std::memcpy(&to, static_cast<void*>(end), sizeof to);
  *ms = static_cast<float>(to - from);
  return ok;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return ok; }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  std::free(static_cast<void*>(event));
  return ok;
}

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  *memory = std::malloc(bytes);
  return ok;
}
cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return ok;
}
cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t) {
  std::memset(memory, value, bytes);
  return ok;
}
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* bytes) {
  *free_bytes = *bytes = size_t{1} << 30;
  return ok;
}
cudaError_t cudaHostRegister(void*, size_t, unsigned) { return ok; }
cudaError_t cudaHostUnregister(void*) { return ok; }
cudaError_t cudaHostGetDevicePointer(void** there, void* here, unsigned) {
  *there = here;
  return ok;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = static_cast<int>(setting("NO_GPU_DEVICES", 1));
  return ok;
}
cudaError_t cudaGetDevice(int* id) {
  *id = device;
  return ok;
}
cudaError_t cudaSetDevice(int id) {
  device = id;
  return ok;
}
cudaError_t cudaDeviceReset() { return ok; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 0;
  return ok;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "no GPU");
  properties->multiProcessorCount = 1;
  properties->major = 9;
  properties->warpSize = 32;
  return ok;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};
  attributes->ptxVersion = 90;
  attributes->maxThreadsPerBlock = 1024;
  return ok;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = nullptr;
  return ok;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return ok; }
cudaError_t cudaStreamDestroy(cudaStream_t) { return ok; }
cudaError_t cudaGetLastError() { return ok; }
cudaError_t cudaPeekAtLastError() { return ok; }
const char* cudaGetErrorName(cudaError_t) { return "none"; }
const char* cudaGetErrorString(cudaError_t) { return "none"; }
cudaError_t cudaProfilerStart() { return ok; }
cudaError_t cudaProfilerStop() { return ok; }
}
