// OpenCL for stages: the device, context and queue of the process, programs built once, checked
// calls, and device time by event profiling.
//
// Only for sources named opencl_*, which a build without OpenCL leaves out.
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120

#include <CL/opencl.hpp>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "kernels/contract/stage.h"
#include "kernels/support/opencl_device.h"
#include "perf/support/error.h"

namespace ratchet::opencl {

/// Shared by all stages: the device of opencl_device(), with an in-order profiling queue.
struct DeviceQueue {
  OpenclDevice described;
  cl::Device device;
  cl::Context context;
  cl::CommandQueue queue;
};

/// Created at the first call. Throws `Error` with the reason of opencl_availability() without a
/// device.
const DeviceQueue& device_queue();

/// "CL_OUT_OF_RESOURCES"; "error -9999" for a code that OpenCL does not define.
std::string code_name(cl_int code);

/// One line for the user: the call, its error code, the device and, if known, what to do. `place`
/// is the stage.
Error translated(const cl::Error& error, std::string_view place);

/// Returns the result of `calls`; errors of its OpenCL calls become `Error`.
template <class Calls>
auto checked(std::string_view place, Calls calls) {
  try {
    return calls();
  } catch (const cl::Error& error) {
    throw translated(error, place);
  }
}

/// The program of this source and these options, built once per process. Throws `Error` with the
/// beginning of the build log in one line.
cl::Program program(std::string_view place, std::string_view source, const std::string& options);

/// A device's memory for buffers, in bytes.
struct Memory {
  std::uint64_t largest_buffer = 0;
  std::uint64_t all = 0;
};
Memory memory();

/// Throws `Error` naming `place`, `what` and the sizes if `count` buffers of `bytes` do not fit.
/// Drivers report that only at the first use of a buffer, or never.
void require_memory(const Memory& memory, std::uint64_t bytes, unsigned count,
                    std::string_view place, const std::string& what);

/// Device time of the launches of one run. Keeps a bounded number of events for any number of
/// launches: it waits for the oldest and adds them up.
class LaunchTimes {
 public:
  void clear();
  void add(cl::Event event);
  /// The time of all launches since clear(), after waiting for running ones; nothing without
  /// launches.
  std::optional<DeviceTime> total();

 private:
  void take_oldest(std::size_t count);

  std::deque<cl::Event> events_;
  std::uint64_t first_start_ns_ = 0, last_end_ns_ = 0, busy_ns_ = 0;
  std::uint32_t kernels_ = 0;
};

}  // namespace ratchet::opencl
