// How stages of several ranks speed up with the number of GPUs: what was measured, and what a model
// expects of more GPUs than were at hand.
//
// The model: a rank works as long as one GPU alone did for its share, then the ranks talk. A
// message takes `message_s`, and its bytes over the link. Of N ranks
//   reduce      takes ceil(log2 N) messages, and 2 (N - 1) / N of the array's bytes
//   gather      takes N - 1 messages and arrays, which rank 0 takes in one after the other
//   neighbours  takes one message, and two arrays' bytes; where it is hidden, what of it lasts
//               longer than the work between two exchanges
// All links are alike in it, also between hosts, and no rank is late: it is a bound from above.
// `message_s` is what communication took in the row of two ranks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kernels/support/ranks/part.h"
#include "perf/study/report/figures/machines.h"

namespace ratchet::report {

struct Link {
  double message_s = 0;
  double bytes_per_second = 0;
};

/// Seconds that a run of `gpus` ranks talks by the model, which worked for `work_s`.
double talk_seconds(const ranks::Traffic& traffic, unsigned gpus, double work_s, const Link& link);
/// The part of all work that the rank with most of it has.
double largest_share(const ranks::Traffic& traffic, unsigned gpus);
/// `message_s` of a run of two ranks that talked for `talked_s`.
double message_seconds(const ranks::Traffic& traffic, double talked_s, double bytes_per_second);

struct ScalingPoint {
  unsigned gpus = 1;
  std::optional<double> measured;  ///< how many times one GPU
  double predicted = 1;            ///< likewise
};

/// A stage on a machine with several GPUs.
struct GpuScaling {
  std::string stage, machine;
  bool weak = false;  ///< every GPU has as much work as the one had; else they share it
  double one_s = 0;   ///< a run of one GPU, measured
  std::vector<ScalingPoint> points;
};

/// Of every stage on GPUs that a machine has rows of one and two ranks of, and peaks.json for
/// ("cuda.peer_bytes"). Strong scaling is at the defaults, weak scaling at the points of the
/// survey. Throws `Error` as machines_with() does.
std::vector<GpuScaling> gpu_scalings(const std::string& family,
                                     const std::vector<Machine>& machines,
                                     const std::filesystem::path& baselines);

/// A table of all of them; "" of none.
std::string scaling_table(const std::vector<GpuScaling>& scalings);

}  // namespace ratchet::report
