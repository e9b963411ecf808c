#include "perf/support/machine/energy.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include "perf/support/error.h"

namespace ratchet::timing {
namespace {

namespace fs = std::filesystem;

/// The first line; errno says why there is none.
std::optional<std::string> line_of(const fs::path& file) {
  errno = 0;
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  return line;
}

std::uint64_t microjoules(const fs::path& file) {
  const auto line = line_of(file);
  if (!line) {
    const int why = errno;
    const bool forbidden = why == EACCES || why == EPERM;
    throw Error(fmt::format("{} cannot be read: {}{}", file.string(),
                            why == 0 ? "it is empty" : std::strerror(why),
                            forbidden ? "; many systems let root alone read it, who may allow it: "
                                        "chmod a+r " +
                                            file.string()
                                      : ""));
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(line->data(), line->data() + line->size(), value);
  if (error != std::errc() || end != line->data() + line->size())
    throw Error(fmt::format("{} holds \"{}\", not a number of uJ", file.string(), *line));
  return value;
}

/// "intel-rapl:0", whose parts and the whole platform ("psys") have other names.
/// "intel-rapl-mmio:0" is another way to the same package.
bool is_package(const fs::path& zone) {
  return zone.filename().string().starts_with("intel-rapl:") &&
         line_of(zone / "name").value_or("").starts_with("package");
}

}  // namespace

double EnergyCounter::joules_of(const std::function<void()>& work) {
  const double before = joules();
  std::string lost;
  {
    sigset_t all, own;  // a signal is for the thread that waits for the work
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &own);
    const std::jthread reading([&](const std::stop_token& stop) {
      std::mutex mutex;
      std::condition_variable_any waiting;
      std::unique_lock lock(mutex);
      const auto every = std::chrono::duration<double>(read_every_s_);
      try {
        while (!waiting.wait_for(lock, stop, every, [&] { return stop.stop_requested(); }))
          joules();
      } catch (const Error& error) {
        lost = error.what();
      }
    });
    pthread_sigmask(SIG_SETMASK, &own, nullptr);
    work();
  }
  if (!lost.empty()) throw Error(lost);
  return joules() - before;
}

PackageEnergy::PackageEnergy(const fs::path& powercap) {
  std::error_code ignored;
  for (const auto& zone : fs::directory_iterator(powercap, ignored)) {
    if (!is_package(zone.path())) continue;
    const fs::path counter = zone.path() / "energy_uj";
    const std::uint64_t now = microjoules(counter),
                        range = microjoules(zone.path() / "max_energy_range_uj");
    if (now > range)
      throw Error(fmt::format("{} holds {}, more than its max_energy_range_uj, {}",
                              counter.string(), now, range));
    zones_.push_back({counter, now, range});
  }
  if (zones_.empty())
    throw Error(fmt::format(
        "the kernel tells no energy of the CPU here: {} has no package intel-rapl:N, as "
        "in most virtual machines and containers",
        powercap.string()));
}

double PackageEnergy::joules() {
  for (Zone& zone : zones_) {
    const std::uint64_t now = microjoules(zone.counter);
    total_uj_ += now >= zone.last_uj ? now - zone.last_uj : now + (zone.range_uj - zone.last_uj);
    zone.last_uj = now;
  }
  return static_cast<double>(total_uj_) / 1e6;
}

GpuEnergy::GpuEnergy() : devices_(visible()) { start_j_ = sum(); }

std::vector<Nvml::Device> GpuEnergy::visible() const {
  const std::vector<Nvml::Device> all = nvml_.devices();
  if (all.empty()) throw Error("the NVIDIA driver reports no GPU (by libnvidia-ml.so.1)");
  const char* const named = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!named) return all;
  const char* const order = std::getenv("CUDA_DEVICE_ORDER");
  const bool by_bus = order && std::string(order) == "PCI_BUS_ID";
  const bool alike = std::all_of(all.begin(), all.end(), [&](Nvml::Device device) {
    return nvml_.name(device) == nvml_.name(all.front());
  });
  std::vector<Nvml::Device> seen;
  std::istringstream words(named);
  for (std::string word; std::getline(words, word, ',');) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    const bool number = error == std::errc() && end == word.data() + word.size();
    if (number && !alike && !by_bus)
      throw Error("CUDA_VISIBLE_DEVICES=" + std::string(named) +
                  " counts GPUs of several models, in another order than their counters; name them "
                  "by UUID, or set CUDA_DEVICE_ORDER=PCI_BUS_ID");
    if (word.starts_with("MIG-"))
      throw Error("CUDA_VISIBLE_DEVICES names a part of a GPU, " + word +
                  ", and energy is counted of whole GPUs");
    const auto is_it = [&](Nvml::Device device) {
      return word.starts_with("GPU-") && nvml_.uuid(device).value_or("").starts_with(word);
    };
    const auto device = number && index < all.size()
                            ? all.begin() + static_cast<std::ptrdiff_t>(index)
                            : std::find_if(all.begin(), all.end(), is_it);
    if (device == all.end()) break;  // as CUDA does
    if (std::find(seen.begin(), seen.end(), *device) == seen.end()) seen.push_back(*device);
  }
  if (seen.empty())
    throw Error("CUDA_VISIBLE_DEVICES=" + std::string(named) + " names no GPU of this machine");
  return seen;
}

double GpuEnergy::sum() const {
  double joules = 0;
  for (const Nvml::Device device : devices_) {
    const auto counted = nvml_.energy_j(device);
    if (!counted)
      throw Error(fmt::format("{} does not count its energy, as GPUs since Volta do",
                              nvml_.name(device).value_or("a GPU")));
    joules += *counted;
  }
  return joules;
}

double GpuEnergy::joules() { return sum() - start_j_; }

}  // namespace ratchet::timing
