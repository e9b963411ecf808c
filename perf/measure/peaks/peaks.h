// The peaks of this machine by resource, to which stages are compared.
//
// A loop that does nothing else saturates each resource; the best of several runs counts. Rates are
// *lane* operations per second: operations of one thread, or of one 64-bit vector lane. So a
// stage's Limit::per_unit counts the needs of one unit of work on any processor. The unit names the
// exceptions: warp instructions for the tensor core and issue slots, bytes for memory, steps of one
// thread for latencies, and threads for their start. A CPU resource is that of one core, except
// cpu.dram_bytes, which all CPUs share.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/contract/stage.h"

namespace ratchet::peaks {

/// The measurement of a resource. `measure` returns operations per second; throws Error.
struct Probe {
  std::string resource;  ///< "cuda.lop3"
  std::string unit;      ///< of the count: "lane operations"
  std::string what;      ///< description of the instruction or access
  double (*measure)() = nullptr;
};

struct Peak {
  std::string resource;
  std::string unit;
  std::string what;
  double per_second = 0;
  std::string unavailable;  ///< why it could not be measured (per_second is 0); else empty
};

/// The probes of this build, with or without the device.
const std::vector<Probe>& probes();

/// Every resource, in order; those that cannot be measured here state why. `progress` is told of
/// each before it is measured.
std::vector<Peak> measure_all(const std::function<void(const std::string&)>& progress);

/// {"measured_by", "peaks": [{"resource", "per_second", "unit", "what"}, ...]}, without unavailable
/// ones. `measured_by` is the program with its revision.
std::string to_json(const std::vector<Peak>& peaks, const std::string& measured_by);
/// Parses the output of to_json. Throws Error naming the file if a value is malformed, negative or
/// not finite.
std::map<std::string, double> read_peaks(const std::string& file);

/// The factor on the peak of a stage's resource with these parameters. For a resource of one core
/// it is the number of threads, at most the CPUs of this process; 0 threads means all of them. For
/// other resources it is 1.
double shares(const StageInfo& info, const Parameters& parameters);

}  // namespace ratchet::peaks
