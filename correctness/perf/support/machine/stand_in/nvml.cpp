// GPUs for machines that have none, as libnvidia-ml.so.1 counts their energy: a line each of the
// file in the variable STAND_IN_NVML, "MILLIJOULES UUID MODEL", read at each call. A GPU with less
// than 0 mJ counts none. Without the variable there is no driver.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int success = 0, uninitialized = 1, invalid = 2, not_supported = 3;

struct Gpu {
  long long millijoules = 0;
  std::string uuid, model;
};

std::vector<Gpu> gpus() {
  std::vector<Gpu> found;
  std::ifstream file(std::getenv("STAND_IN_NVML"));
  for (std::string line; std::getline(file, line);) {
    Gpu gpu;
    std::istringstream(line) >> gpu.millijoules >> gpu.uuid >> gpu.model;
    found.push_back(gpu);
  }
  return found;
}

/// Handles are numbers from 1 on.
Gpu of_handle(void* device) { return gpus().at(reinterpret_cast<std::size_t>(device) - 1); }

int copy(const std::string& text, char* to, unsigned length) {
  if (text.size() >= length) return invalid;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return success;
}

}  // namespace

#pragma GCC diagnostic ignored "-Wmissing-declarations"
extern "C" {
int nvmlInit_v2() { return std::getenv("STAND_IN_NVML") ? success : uninitialized; }
int nvmlShutdown() { return success; }
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(gpus().size());
  return success;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(static_cast<std::size_t>(index) + 1);
  return success;
}
int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
  return copy(of_handle(device).uuid, text, length);
}
int nvmlDeviceGetName(void* device, char* text, unsigned length) {
  return copy(of_handle(device).model, text, length);
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  const long long counted = of_handle(device).millijoules;
  *millijoules = static_cast<unsigned long long>(counted);
  return counted < 0 ? not_supported : success;
}
}
