// Programs built once, and checks of buffer sizes.
#include <fmt/format.h>

#include <map>
#include <mutex>

#include "kernels/support/opencl.h"

namespace ratchet::opencl {
namespace {

/// The beginning of a build log in one line.
std::string in_one_line(const std::string& log) {
  constexpr std::size_t kMost = 600;
  std::string line;
  for (const char c : log.substr(0, kMost)) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ' || c == '\0';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return log.size() > kMost ? line + " ..." : line;
}

cl::Program build(std::string_view place, const std::string& source, const std::string& options) {
  const DeviceQueue& here = device_queue();
  return checked(place, [&] {
    cl::Program built(here.context, source);
    try {
      built.build({here.device}, options.c_str());
    } catch (const cl::Error& error) {
      throw Error(fmt::format("{}: the kernel does not build on {} with '{}': {}; log: {}", place,
                              describe(here.described), options, code_name(error.err()),
                              in_one_line(built.getBuildInfo<CL_PROGRAM_BUILD_LOG>(here.device))));
    }
    return built;
  });
}

}  // namespace

cl::Program program(std::string_view place, std::string_view source, const std::string& options) {
  // Never destroyed: see device_queue().
  static auto& built = *new std::map<std::pair<std::string, std::string>, cl::Program>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::pair key(std::string(source), options);
  const auto known = built.find(key);
  if (known != built.end()) return known->second;
  return built.emplace(key, build(place, key.first, options)).first->second;
}

Memory memory() {
  const cl::Device& device = device_queue().device;
  return checked(describe(device_queue().described), [&] {
    return Memory{device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>(),
                  device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>()};
  });
}

void require_memory(const Memory& memory, std::uint64_t bytes, unsigned count,
                    std::string_view place, const std::string& what) {
  if (bytes <= memory.largest_buffer && bytes <= memory.all / count) return;
  constexpr double kMib = 1 << 20;
  throw Error(fmt::format(
      "{}: {} need {} buffers of {:.6g} MiB; the device allows {:.6g} MiB in "
      "one and has {:.6g} MiB; ask for less",
      place, what, count, static_cast<double>(bytes) / kMib,
      static_cast<double>(memory.largest_buffer) / kMib, static_cast<double>(memory.all) / kMib));
}

}  // namespace ratchet::opencl
