// opencl_availability() and the device's queue in a build with OpenCL.
#include "kernels/support/opencl_device.h"

#include <cstdlib>

#include "kernels/support/opencl.h"

namespace ratchet {
namespace {

/// Some drivers pad their names with spaces or a final 0.
std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  const std::size_t last = text.find_last_not_of(std::string(" \0", 2));
  return first == std::string::npos || last == std::string::npos
             ? ""
             : text.substr(first, last - first + 1);
}

OpenclDevice described(const cl::Platform& platform, const cl::Device& device) {
  const cl_device_type type = device.getInfo<CL_DEVICE_TYPE>();
  return {trimmed(platform.getInfo<CL_PLATFORM_NAME>()), trimmed(device.getInfo<CL_DEVICE_NAME>()),
          type & CL_DEVICE_TYPE_GPU   ? "gpu"
          : type & CL_DEVICE_TYPE_CPU ? "cpu"
                                      : "other",
          trimmed(device.getInfo<CL_DRIVER_VERSION>()),
          trimmed(device.getInfo<CL_DEVICE_VERSION>())};
}

/// The devices of a platform that can compile and run; may be empty.
std::vector<cl::Device> usable_devices(const cl::Platform& platform) {
  std::vector<cl::Device> all, usable;
  try {
    platform.getDevices(CL_DEVICE_TYPE_ALL, &all);
  } catch (const cl::Error&) {  // a driver without hardware must not hide the others
    return {};
  }
  for (const cl::Device& device : all)
    if (device.getInfo<CL_DEVICE_AVAILABLE>() && device.getInfo<CL_DEVICE_COMPILER_AVAILABLE>() &&
        device.getInfo<CL_DEVICE_ENDIAN_LITTLE>())
      usable.push_back(device);
  return usable;
}

struct Found {
  Availability available;
  OpenclDevice described;
  cl::Device device;
};

Found choose() {
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error& error) {
    if (error.err() != CL_PLATFORM_NOT_FOUND_KHR) throw;  // no driver installed
  }
  std::vector<cl::Device> devices;
  std::vector<OpenclDevice> descriptions;
  for (const cl::Platform& platform : platforms)
    for (const cl::Device& device : usable_devices(platform)) {
      devices.push_back(device);
      descriptions.push_back(described(platform, device));
    }
  const char* wanted = std::getenv("RATCHET_OPENCL_DEVICE");
  const std::size_t chosen = choose_opencl_device(descriptions, wanted ? wanted : "");
  return {Availability::yes(), descriptions[chosen], devices[chosen]};
}

const Found& found() {
  // Never destroyed, like the queue: drivers shut down before static objects are destroyed.
  static const Found* const answer = new Found([]() -> Found {
    try {
      return choose();
    } catch (const cl::Error& error) {
      return {Availability::no(std::string("OpenCL does not answer: ") + error.what() + ": " +
                               opencl::code_name(error.err())),
              {},
              {}};
    } catch (const std::exception& error) {
      return {Availability::no(error.what()), {}, {}};
    }
  }());
  return *answer;
}

}  // namespace

Availability opencl_availability() { return found().available; }

std::optional<OpenclDevice> opencl_device() {
  return found().available.ok ? std::optional(found().described) : std::nullopt;
}

namespace opencl {

const DeviceQueue& device_queue() {
  static const DeviceQueue* const one = [] {
    if (!found().available.ok) throw Error(found().available.reason, ExitCode::nothing_ran);
    const cl::Device& device = found().device;
    return checked(describe(found().described), [&] {
      const cl::Context context(device);
      return new DeviceQueue{found().described, device, context,
                             cl::CommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE)};
    });
  }();
  return *one;
}

}  // namespace opencl
}  // namespace ratchet
