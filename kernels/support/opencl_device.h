// Which OpenCL device the program uses, without needing OpenCL to ask.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/stage.h"

namespace ratchet {

/// A device as its platform describes it.
struct OpenclDevice {
  std::string platform;  ///< "Portable Computing Language", "NVIDIA CUDA"
  std::string name;      ///< "NVIDIA H200"
  std::string type;      ///< "cpu", "gpu" or "other"
  std::string driver;    ///< the driver's own version: "3.1", "580.82.07"
  std::string version;   ///< "OpenCL 3.0 PoCL HSTR: ..."; names the implementation
};

/// "NVIDIA H200 (NVIDIA CUDA)".
std::string describe(const OpenclDevice& device);

/// The index of the device to use: of those whose platform, name or version contains `wanted`
/// (capitals or not; empty: of all), the first GPU, else the first CPU, else the first. Throws
/// `Error` naming `wanted` and the devices when none matches, and when there are none.
std::size_t choose_opencl_device(const std::vector<OpenclDevice>& devices, std::string_view wanted);

/// Whether an OpenCL stage can run: built with OpenCL, an ICD loader with a platform, a device that
/// RATCHET_OPENCL_DEVICE (see choose_opencl_device) allows. Asked once, then remembered. Never
/// throws.
Availability opencl_availability();

/// The device that opencl_availability() found; nothing when there is none.
std::optional<OpenclDevice> opencl_device();

}  // namespace ratchet
