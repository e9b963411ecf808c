// The OpenCL device of the program, for callers without OpenCL.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/stage.h"

namespace ratchet {

/// A device, as described by its platform.
struct OpenclDevice {
  std::string platform;  ///< "Portable Computing Language", "NVIDIA CUDA"
  std::string name;      ///< "NVIDIA H200"
  std::string type;      ///< "cpu", "gpu" or "other"
  std::string driver;    ///< the driver's own version: "3.1", "580.82.07"
  std::string version;   ///< "OpenCL 3.0 PoCL HSTR: ..."; names the implementation
};

/// "NVIDIA H200 (NVIDIA CUDA)".
std::string describe(const OpenclDevice& device);

/// The index of the device to use. Among those whose platform, name or version contains `wanted`
/// (ignoring case; empty: all), the first GPU, else the first CPU, else the first. Throws `Error`
/// naming `wanted` and the devices if none matches, and if there are none.
std::size_t choose_opencl_device(const std::vector<OpenclDevice>& devices, std::string_view wanted);

/// Whether an OpenCL stage can run: built with OpenCL, an ICD loader with a platform, a device that
/// RATCHET_OPENCL_DEVICE allows (choose_opencl_device). Computed once. Never throws.
Availability opencl_availability();

/// The device that opencl_availability() found; nothing without one.
std::optional<OpenclDevice> opencl_device();

}  // namespace ratchet
