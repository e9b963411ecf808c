// Both ends of a conversation interleaved read what the other writes, and nothing else.
#include "perf/measure/interleaving_protocol.h"

#include <gtest/gtest.h>

#include <limits>

namespace ratchet::timing {
namespace {

TEST(InterleavingProtocol, EachEndReadsWhatTheOtherWrites) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const SliceCommand& command : {SliceCommand(Go{1}), SliceCommand(Go{5000}),
                                      SliceCommand(Pause{5, most}), SliceCommand(End{})})
    EXPECT_EQ(read_command(to_line(command)), command) << to_line(command);
  for (const SliceAnswer& answer :
       {SliceAnswer(Ready{0}), SliceAnswer(Ready{0.25}), SliceAnswer(Done{})}) {
    const auto said = read_slice_line(to_line(answer));
    ASSERT_TRUE(said) << to_line(answer);
    EXPECT_EQ(read_answer(*said), answer) << *said;
  }
}

TEST(InterleavingProtocol, NothingElseIsPartOfIt) {
  for (const char* line : {"", "go", "go 0", "go -1", "go 3 more", "go 18446744073709551616",
                           "pause 5", "pause 5 x", "pause 5 10 15", "ending", "stop"})
    EXPECT_FALSE(read_command(line)) << line;
  for (const char* line : {"", "ready 0.1", "done", "slice: done"})
    EXPECT_FALSE(read_slice_line(line)) << line;
  for (const char* said : {"", "ready", "ready soon", "ready -1", "ready inf", "ready nan",
                           "ready 0.1 s", "done 1", "tired"})
    EXPECT_FALSE(read_answer(said)) << said;
}

}  // namespace
}  // namespace ratchet::timing
