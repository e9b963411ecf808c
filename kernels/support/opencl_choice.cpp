// The choice among OpenCL devices; part of every build, so that tests need no OpenCL.
#include <algorithm>
#include <cctype>

#include "kernels/support/opencl_device.h"
#include "perf/support/error.h"

namespace ratchet {
namespace {

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](unsigned char a, unsigned char b) {
    return std::tolower(a) == std::tolower(b);
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool matches(const OpenclDevice& device, std::string_view wanted) {
  return contains(device.platform, wanted) || contains(device.name, wanted) ||
         contains(device.version, wanted);
}

std::string names_of(const std::vector<OpenclDevice>& devices) {
  std::string names;
  for (const OpenclDevice& device : devices)
    names += (names.empty() ? "" : ", ") + describe(device);
  return names;
}

}  // namespace

std::string describe(const OpenclDevice& device) {
  return device.name + " (" + device.platform + ")";
}

std::size_t choose_opencl_device(const std::vector<OpenclDevice>& devices,
                                 std::string_view wanted) {
  if (devices.empty())
    throw Error("no OpenCL device; install a driver, on a CPU the package pocl-opencl-icd");
  std::optional<std::size_t> best;
  const auto rank = [&](std::size_t i) {
    return devices[i].type == "gpu" ? 2 : devices[i].type == "cpu" ? 1 : 0;
  };
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (matches(devices[i], wanted) && (!best || rank(i) > rank(*best))) best = i;
  if (!best)
    throw Error("RATCHET_OPENCL_DEVICE is '" + std::string(wanted) +
                "', which no OpenCL device matches; there are: " + names_of(devices));
  return *best;
}

}  // namespace ratchet
