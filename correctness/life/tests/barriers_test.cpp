// OpenCL stages with warps that lag behind each other after every barrier. Work-items that share
// rows of a tile may run in any order between two barriers. But a GPU releases its warps at once,
// and they stay close together: a row that is overwritten too early may have been read by then. So
// the source that is handed to the driver gets a barrier that holds some of them up; the stage
// knows nothing of it. Only a GPU proves something: others may run the items one after the other.
#include <dlfcn.h>

#include <algorithm>

#include "correctness/life/tests/support/stage_tests.h"

namespace {

int programs_with_stalls = -1;  // as long as it is negative, none gets them

// Of two neighbouring warps now the one and now the other is late by some microseconds. The other
// reaches the next barrier meanwhile. NVIDIA's compiler is told to sleep, for it leaves out loops
// that do nothing; others get such a loop.
constexpr char kStalledBarrier[] = R"(
inline void stalled_barrier(cl_mem_fence_flags flags) {
  barrier(flags);
  uint late = (5 * (get_local_id(0) / 32) + 3) % 7;
#if defined(__NV_CL_C_VERSION) || defined(cl_nv_compiler_options)
  asm volatile("nanosleep.u32 %0;" ::"r"(late * 4000) : "memory");
#else
  for (volatile uint left = late * 64; left > 0; --left) {}
#endif
  mem_fence(flags);  // or the compiler has the reads go first
}
#define barrier stalled_barrier
)";

}  // namespace

/// The driver's own takes what this one is called with: the program's symbol is found first.
extern "C" void* clCreateProgramWithSource(void* context, unsigned count, const char** sources,
                                           const std::size_t* lengths, int* error) {
  using Create = void*(void*, unsigned, const char**, const std::size_t*, int*);
  static auto* const of_the_driver =
      reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "clCreateProgramWithSource"));
  if (programs_with_stalls < 0) return of_the_driver(context, count, sources, lengths, error);
  ++programs_with_stalls;
  std::string all = kStalledBarrier;
  for (unsigned i = 0; i < count; ++i)
    all += lengths && lengths[i] > 0 ? std::string(sources[i], lengths[i]) : sources[i];
  const char* const text = all.c_str();
  return of_the_driver(context, 1, const_cast<const char**>(&text), nullptr, error);
}

namespace ratchet::life {
namespace {

std::vector<std::string> opencl_stages() {
  std::vector<std::string> found;
  for (const Stage* stage : registry())
    if (stage->info().name.starts_with("life/opencl/")) found.push_back(stage->info().name);
  return found;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

class LifeBarriers : public testing::TestWithParam<std::string> {
 protected:
  void TearDown() override { programs_with_stalls = -1; }
};

/// More generations than a launch has, and tiles of 7 and of 14 warps. No other test has groups of
/// these sizes, so their programs are built here, and with the stalls.
TEST_P(LifeBarriers, WarpsMayLagBehind) {
  const auto& stage = dynamic_cast<const LifeStage&>(*find_stage(GetParam()));
  const Availability available = stage.availability();
  if (!available.ok) GTEST_SKIP() << available.reason;
  programs_with_stalls = 0;
  const Grid start = soup(133, 1301, 8, 110);
  for (const std::uint64_t group : {224, 448}) {
    auto parameters = parameters_for(stage, start.width(), start.height(), 37);
    const auto universe = stage.prepare_universe(parameters.set("group", group), start);
    universe->run();
    universe->wait();
    EXPECT_EQ("", difference(reference_run(start, 37, Edge::dead), universe->collect()))
        << "groups of " << group;
  }
  EXPECT_EQ(2, programs_with_stalls);
}

INSTANTIATE_TEST_SUITE_P(Stages, LifeBarriers, testing::ValuesIn(opencl_stages()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LifeBarriers);

}  // namespace
}  // namespace ratchet::life
