// Both ends of a conversation in turns read what the other writes, and nothing else.
#include "perf/measure/turns_protocol.h"

#include <gtest/gtest.h>

#include <limits>

namespace ratchet::timing {
namespace {

TEST(TurnsProtocol, EachEndReadsWhatTheOtherWrites) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  for (const TurnsCommand& command : {TurnsCommand(Go{1}), TurnsCommand(Go{5000}),
                                      TurnsCommand(Pause{5, most}), TurnsCommand(End{})})
    EXPECT_EQ(read_command(to_line(command)), command) << to_line(command);
  for (const TurnsAnswer& answer :
       {TurnsAnswer(Ready{0}), TurnsAnswer(Ready{0.25}), TurnsAnswer(Done{})}) {
    const auto said = said_in_turns(to_line(answer));
    ASSERT_TRUE(said) << to_line(answer);
    EXPECT_EQ(read_answer(*said), answer) << *said;
  }
}

TEST(TurnsProtocol, NothingElseIsPartOfIt) {
  for (const char* line : {"", "go", "go 0", "go -1", "go 3 more", "go 18446744073709551616",
                           "pause 5", "pause 5 x", "pause 5 10 15", "ending", "stop"})
    EXPECT_FALSE(read_command(line)) << line;
  for (const char* line : {"", "ready 0.1", "done", "turn: done"})
    EXPECT_FALSE(said_in_turns(line)) << line;
  for (const char* said : {"", "ready", "ready soon", "ready -1", "ready inf", "ready nan",
                           "ready 0.1 s", "done 1", "tired"})
    EXPECT_FALSE(read_answer(said)) << said;
}

}  // namespace
}  // namespace ratchet::timing
