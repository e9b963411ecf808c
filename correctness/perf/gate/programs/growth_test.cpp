// What `ratchet compare` of many rows takes grows as the rows do. Counted in allocations, which do
// not depend on how busy the machine is: a copy of a file's context for each row makes them grow as
// the square.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "perf/gate/programs/compare_files.h"

namespace {
std::atomic<std::size_t> allocations = 0;
}

// Not inlined, or GCC takes the pair for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace ratchet::gate {
namespace {

/// A side of one file of ratchet's, whose context has an entry for each row.
MeasuredSide side_of(const std::string& name, int rows) {
  MeasuredSide side;
  side.name = name;
  side.files = 1;
  for (int i = 0; i < rows; ++i) {
    Row row;
    row.name = RowId("demo/row" + std::to_string(i));
    row.basis = "1/real_time";
    row.clock = Clock::wall;
    row.launches = {{0, 1, 0, 1, {{counter::units_per_second, 1000}}}};
    side.measured.context["ratchet"]["rows"][row.name.text()]["work"] = "digest";
    side.measured.rows[row.name] = row;
  }
  return side;
}

std::size_t allocations_of(int rows) {
  const MeasuredSide a = side_of("A", rows), b = side_of("B", rows);
  const std::size_t before = allocations;
  EXPECT_EQ(compare_sides(a, b, {}).size(), static_cast<std::size_t>(rows));
  return allocations - before;
}

TEST(CompareGrowth, TwiceTheRowsTakeTwiceTheAllocations) {
  EXPECT_LT(static_cast<double>(allocations_of(800)),
            2.5 * static_cast<double>(allocations_of(400)));
}

}  // namespace
}  // namespace ratchet::gate
