#include "perf/measure/sampling/disturbed.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>

namespace ratchet::timing {

bool ThrottleGuard::throttled(const Sample& sample) const {
  return sample.sm_clock_mhz > 0 && sample.sm_clock_mhz < rule_.fraction * highest_mhz_;
}

void ThrottleGuard::observe(const Sample& sample) {
  highest_mhz_ = std::max(highest_mhz_, sample.sm_clock_mhz);
}

ThrottleGuard::Verdict ThrottleGuard::judge(const Sample& sample) {
  observe(sample);
  if (!throttled(sample)) return Verdict::keep;
  if (repeats_ == rule_.max_repeats) return Verdict::keep_flagged;
  ++repeats_;
  return Verdict::repeat;
}

double ThrottleGuard::pause_s() const {
  const double doublings = repeats_ > 1 ? static_cast<double>(repeats_ - 1) : 0;
  return std::min(rule_.pause_s * std::exp2(doublings), rule_.max_pause_s);
}

std::vector<Sample> ThrottleGuard::settle(std::vector<Sample> samples) const {
  std::vector<Sample> good;
  for (Sample& sample : samples) {
    sample.throttled = sample.throttled || throttled(sample);
    if (!sample.throttled) good.push_back(sample);
  }
  return good.empty() ? samples : good;
}

std::uint64_t involuntary_switches(Watched watched) {
  if (watched == Watched::none) return 0;
  rusage usage{};
  if (getrusage(watched == Watched::thread ? RUSAGE_THREAD : RUSAGE_SELF, &usage) != 0) return 0;
  return static_cast<std::uint64_t>(usage.ru_nivcsw);
}

Settled settle_preempted(std::vector<Sample> clean, const std::vector<Sample>& disturbed,
                         const PreemptionRule& rule) {
  Settled settled;
  const bool alone =
      !clean.empty() && (clean.size() >= rule.enough || clean.size() >= disturbed.size());
  settled.samples = std::move(clean);
  if (alone || disturbed.empty()) return settled;
  settled.samples.insert(settled.samples.end(), disturbed.begin(), disturbed.end());
  settled.kept_disturbed = true;
  return settled;
}

}  // namespace ratchet::timing
