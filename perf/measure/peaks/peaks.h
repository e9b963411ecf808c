// What this very machine can do, by resource: the peaks that stages are measured against.
//
// Each resource is saturated by a loop that does nothing else, and the best of several runs counts.
// Rates are per second of *lane* operations (one operation of one thread, or of one 64-bit vector
// lane), so that a stage's Limit::per_unit counts what one unit of work needs, whoever executes it.
// The exceptions say so in their unit: warp instructions for the tensor core and for issue slots,
// bytes for memory, steps of one thread where latency is what is measured, threads where that is
// their start. A CPU resource is that of one core, but for cpu.dram_bytes, which all CPUs share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/contract/stage.h"

namespace ratchet::peaks {

/// How a resource is measured. `measure` returns operations per second; throws Error.
struct Probe {
  std::string resource;  ///< "cuda.lop3"
  std::string unit;      ///< what is counted: "lane operations"
  std::string what;      ///< the instruction or access, for people
  double (*measure)() = nullptr;
};

struct Peak {
  std::string resource;
  std::string unit;
  std::string what;
  double per_second = 0;
  std::string unavailable;  ///< why it could not be measured; per_second is 0 then
};

/// The probes of this build, whether or not the device is there.
const std::vector<Probe>& probes();

/// Every resource, in order; those that cannot be measured here say why.
std::vector<Peak> measure_all();

/// {"measured_by", "peaks": [{"resource", "per_second", "unit", "what"}, ...]}; the unavailable
/// ones are left out. `measured_by` is the program with its revision.
std::string to_json(const std::vector<Peak>& peaks, const std::string& measured_by);
/// Reads what to_json wrote. Throws Error naming the file on anything malformed, negative or not
/// finite.
std::map<std::string, double> read_peaks(const std::string& file);

/// How many times the peak of its resource a stage at these parameters may use, where that is of
/// one core: its threads, at most the CPUs of this process (0 threads means all of them). 1 for
/// every other resource.
double shares(const StageInfo& info, const Parameters& parameters);

}  // namespace ratchet::peaks
