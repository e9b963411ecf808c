#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "perf/measure/sampling/sample.h"
#include "perf/support/hash.h"

namespace ratchet::timing {
namespace {

using Words = std::vector<std::uint64_t>;

/// Hashes the numbers as text, so that stored digests do not depend on the machine.
std::uint64_t digest_of(const Words& words) {
  return std::stoull(fnv1a(fmt::format("{}", fmt::join(words, " "))), nullptr, 16);
}

void count(DeviceWork& into, const DeviceWork& more) {
  into.blocks += more.blocks;
  into.threads += more.threads;
  into.shared_bytes = std::max(into.shared_bytes, more.shared_bytes);
  into.transfer_bytes += more.transfer_bytes;
}

std::uint64_t product(const std::array<std::uint32_t, 3>& extent) {
  return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

}  // namespace

void DeviceWork::then(const DeviceWork& next) {
  count(*this, next);
  digest = digest_of({digest, next.digest});
}

void DeviceWork::add_unordered(const DeviceWork& other) {
  count(*this, other);
  digest += other.digest;
}

DeviceWork work_of(const KernelShape& kernel) {
  Words words = {kernel.registers, kernel.static_shared_bytes, kernel.dynamic_shared_bytes,
                 kernel.local_bytes};
  for (const auto& extent : {kernel.grid, kernel.block, kernel.cluster})
    words.insert(words.end(), extent.begin(), extent.end());
  DeviceWork work;
  work.digest = digest_of(words);
  work.blocks = product(kernel.grid);
  work.threads = work.blocks * product(kernel.block);
  work.shared_bytes = kernel.dynamic_shared_bytes;
  return work;
}

DeviceWork work_of_transfer(std::uint64_t kind, std::uint64_t bytes) {
  DeviceWork work;
  work.digest = digest_of({kind, bytes});
  work.transfer_bytes = bytes;
  return work;
}

}  // namespace ratchet::timing
