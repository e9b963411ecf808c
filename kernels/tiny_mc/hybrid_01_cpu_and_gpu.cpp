// tiny_mc/hybrid/01_cpu_and_gpu
// Changed:  photons are shared out between cpu/03_simd_openmp and cuda/10_full_cross64, which work
//           at the same time. The shares come from the speed of both on this machine, measured once
//           a process for each medium; the text gives the CPU a sixteenth of all photons. With
//           "printed" the article's program: its kernel, cuda/01p_as_printed, and its share.
// Why:      both end together, whatever the machine; a CPU fifty times slower than the GPU would
//           need three times as long for its sixteenth as the GPU for the rest.
// Expected: the sum of both speeds: 1 % more than the GPU alone on an H200 with 16 cores.
//           In fact below 2^24 photons less than the GPU alone, whose time has no launches in it.
//           Judged by the CPU's shortest runs, and without the tenth taken off its share, it was
//           slower than the GPU alone: the CPU came late.
// Source:   barufa, "Resultados" (run_both_tiny_mc).
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "kernels/contract/stage_part.h"
#include "kernels/support/rng/gpu_seed.h"
#include "kernels/tiny_mc/tiny_mc.h"
#include "kernels/tiny_mc/walks/cpu_stage.h"

namespace ratchet::tiny_mc {
namespace {

/// The stage, or nullptr where this build has none (no CUDA toolkit, no OpenMP).
const PhotonStage* photon_stage(const Stage* stage) {
  return dynamic_cast<const PhotonStage*>(stage);
}
const PhotonStage* cpu_stage() { return photon_stage(find_part<"tiny_mc/cpu/03_simd_openmp">()); }
const PhotonStage* gpu_stage(const Parameters& parameters) {
  return photon_stage(parameters.at("printed") == 1 ? find_part<"tiny_mc/cuda/01p_as_printed">()
                                                    : find_part<"tiny_mc/cuda/10_full_cross64">());
}

/// The CPU's seed is that of a run that the GPU's instance never comes to: streams of their own,
/// beside generators of their own.
constexpr std::uint64_t kCpuRun = std::uint64_t{1} << 63;

/// `parameters` of the hybrid stage for one of its parts.
Parameters part(const PhotonStage& stage, const Parameters& parameters, std::uint64_t photons) {
  Parameters mine = stage.defaults();
  for (const char* name : {"absorption", "scattering", "shells", "shell_um"})
    mine.set(name, parameters.at(name));
  const bool on_cpu = stage.info().backend == Backend::cpu;
  const std::uint64_t seed = parameters.at("seed");
  if (on_cpu) mine.set("threads", parameters.at("cpu_threads"));
  return mine.set("photons", photons).set("seed", on_cpu ? run_seed(seed, kCpuRun) : seed);
}

/// Time of a run as a straight line over its photons.
struct Speed {
  double seconds_fixed = 0, seconds_per_photon = 0;
};

struct Times {
  double shortest = std::numeric_limits<double>::infinity(), longest = 0;
};

/// Of a few runs, after a first one that warms up.
Times times_of(const PhotonStage& stage, const Parameters& parameters, std::uint64_t photons) {
  using Clock = std::chrono::steady_clock;
  const auto transport = stage.prepare_transport(part(stage, parameters, photons));
  Times times;
  for (int run = 0; run < 6; ++run) {
    const auto start = Clock::now();
    transport->run();
    transport->wait();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (run == 0) continue;
    times.shortest = std::min(times.shortest, seconds);
    times.longest = std::max(times.longest, seconds);
  }
  return times;
}

/// The GPU's speed by its shortest runs, the CPU's by its longest: the CPU's part is the small one.
/// Where it ends late the whole run waits for it; where it ends early next to nothing is lost.
Speed speed_of(const PhotonStage& stage, const Parameters& parameters, double photons) {
  // Of the default medium; photons that collide more often are fewer.
  const double collisions = schedule_of(medium_of(parameters)).collisions_through(0);
  const auto many = static_cast<std::uint64_t>(std::max(65536.0, photons * 73 / collisions));
  const std::uint64_t few = many / 16;
  const Times of_few = times_of(stage, parameters, few),
              of_many = times_of(stage, parameters, many);
  const double n = static_cast<double>(many), m = static_cast<double>(few);
  if (stage.info().backend == Backend::cpu) {
    const double per_photon = of_many.longest / n;
    return {std::max(0.0, of_few.longest - per_photon * m), per_photon};
  }
  const double per_photon = std::max((of_many.shortest - of_few.shortest) / (n - m), 1e-15);
  return {std::max(0.0, of_few.shortest - per_photon * m), per_photon};
}

/// Photons of `photons` that the CPU takes, in whole chunks: nine tenths of those with which both
/// would end together, so that a CPU that is a tenth slower than measured still does not end last.
/// Where the CPU has a hundredth of the work that gives a thousandth of the speed away. All or none
/// where one of them would be done before the other has started.
std::uint64_t balanced(const Speed& cpu, const Speed& gpu, std::uint64_t photons) {
  const double n = static_cast<double>(photons);
  const double share = (n * gpu.seconds_per_photon + gpu.seconds_fixed - cpu.seconds_fixed) /
                       (cpu.seconds_per_photon + gpu.seconds_per_photon);
  if (share >= n) return photons;
  const auto chunks = static_cast<std::uint64_t>(std::llround(0.9 * std::max(0.0, share) / kChunk));
  return std::min(photons, chunks * kChunk);
}

/// Measured once a process for each medium and number of threads, so that run() and trace() agree.
std::uint64_t measured_share(const Parameters& parameters) {
  static std::mutex mutex;
  static std::map<std::array<std::uint64_t, 5>, std::pair<Speed, Speed>> known;
  std::array<std::uint64_t, 5> key;
  std::size_t i = 0;
  for (const char* name : {"absorption", "scattering", "shells", "shell_um", "cpu_threads"})
    key[i++] = parameters.at(name);
  const std::lock_guard lock(mutex);
  auto found = known.find(key);
  if (found == known.end())
    found = known
                .emplace(key, std::pair(speed_of(*cpu_stage(), parameters, 1u << 22),
                                        speed_of(*gpu_stage(parameters), parameters, 1u << 26)))
                .first;
  return balanced(found->second.first, found->second.second, parameters.at("photons"));
}

/// How many photons the CPU takes: as measured, as in the text, or the share that the parameters
/// ask for.
std::uint64_t cpu_photons(const Parameters& parameters) {
  const std::uint64_t photons = parameters.at("photons"), asked = parameters.at("cpu_ppm");
  if (asked == 0 && parameters.at("printed") == 1) return photons / 16;
  if (asked == 0) return photons > 0 ? measured_share(parameters) : 0;
  // photons * asked / 10^6 without overflow.
  return photons / 1'000'000 * asked + photons % 1'000'000 * asked / 1'000'000;
}

class HybridTransport final : public Transport {
 public:
  explicit HybridTransport(const Parameters& parameters)
      : shells_(static_cast<std::uint32_t>(parameters.at("shells"))) {
    const std::uint64_t photons = parameters.at("photons"), on_cpu = cpu_photons(parameters);
    if (on_cpu > 0) cpu_ = cpu_stage()->prepare_transport(part(*cpu_stage(), parameters, on_cpu));
    if (on_cpu < photons)
      gpu_ = gpu_stage(parameters)
                 ->prepare_transport(part(*gpu_stage(parameters), parameters, photons - on_cpu));
  }
  /// The GPU's part is enqueued first, and goes on while the CPU works.
  void run() override {
    if (gpu_) gpu_->run();
    if (cpu_) cpu_->run();
  }
  void wait() override {
    if (cpu_) cpu_->wait();
    if (gpu_) gpu_->wait();
  }
  std::uint64_t units() const override {
    return (cpu_ ? cpu_->units() : 0) + (gpu_ ? gpu_->units() : 0);
  }
  Tally collect() override {
    Tally tally(shells_);
    if (cpu_) tally += cpu_->collect();
    if (gpu_) tally += gpu_->collect();
    return tally;
  }

 private:
  std::uint32_t shells_;
  std::unique_ptr<Transport> cpu_, gpu_;  // null: no photons
};

StageInfo hybrid_info() {
  return stage_info(
      {.name = RATCHET_STAGE,
       .summary = "cpu/03_simd_openmp and cuda/10_full_cross64 at once, shared out by "
                  "measured speed, so equal bits within a process or for a given cpu_ppm",
       .source = text("Resultados"),
       .parameters = common_parameters(
           1u << 30,
           {{"cpu_threads", threads_parameter().value, 1, 1024, "threads of the CPU's part"},
            {"cpu_ppm", 0, 0, 1'000'000,
             "photons of a million that the CPU simulates; 0: as its speed, measured"},
            {"printed", 0, 0, 1,
             "1: the article's program: wrong kernel, a sixteenth to the CPU"}}),
       .survey = joined(
           photon_survey(),
           grid({{"photons", {1u << 28, 1u << 29, 1u << 30, (1u << 31) - 1}}, {"printed", {1}}}))});
}

class HybridStage final : public PhotonStage {
 public:
  HybridStage() : PhotonStage(hybrid_info(), Walk::full) {}

  Availability availability() const override {
    if (!gpu_stage(defaults())) return Availability::no("built without CUDA");
    if (!cpu_stage()) return Availability::no("built without OpenMP");
    const Availability cpu = cpu_stage()->availability();
    return cpu.ok ? gpu_stage(defaults())->availability() : cpu;
  }
  std::unique_ptr<Transport> prepare_transport(const Parameters& parameters) const override {
    return std::make_unique<HybridTransport>(parameters);
  }
  Trace trace(const Parameters& parameters, std::uint32_t capacity) const override {
    const std::uint64_t photons = parameters.at("photons"), on_cpu = cpu_photons(parameters);
    Trace both = cpu_stage()->trace(part(*cpu_stage(), parameters, on_cpu), capacity);
    const PhotonStage& gpu = *gpu_stage(parameters);
    both += gpu.trace(part(gpu, parameters, photons - on_cpu), capacity);
    return both;
  }
};

const Registration registered{std::make_unique<HybridStage>()};

}  // namespace
}  // namespace ratchet::tiny_mc
