// Activity records, reduced to what timing needs, and how they become samples. No CUPTI here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "perf/measure/sampling/device_work.h"
#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

struct Activity {
  enum class Kind { kernel, transfer, runtime_call, driver_call };
  Kind kind = Kind::kernel;
  std::uint64_t begin_ns = 0;  ///< CUPTI's clock, the same for host and device
  std::uint64_t end_ns = 0;
  std::uint64_t external =
      0;             ///< the external correlation id pushed when it was launched; 0 if none
  std::string name;  ///< of the API function or kernel, where names are kept
  std::uint32_t call =
      0;            ///< number of the API call that launched it; later calls have higher ones
  DeviceWork work;  ///< of a kernel or transfer
};

/// External correlation id of the harness's own launches (clock readings), which are nobody's time.
inline constexpr std::uint64_t kHarnessId = 1;

/// The sample of the iteration with external id `id`: kernels and transfers that carry it, summed,
/// their span, and what was launched, call by call. Throws Error when there is no kernel, or when
/// other GPU work, launched after `since_ns` by a thread without an id, shows that the stage
/// launches from threads of its own, which external correlation (one stack per thread) cannot
/// attribute.
Sample attribute(const std::vector<Activity>& activities, std::uint64_t id, std::uint64_t since_ns);

}  // namespace ratchet::timing
