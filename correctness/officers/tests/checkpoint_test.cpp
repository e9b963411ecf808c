// Checkpoints: the same bytes wherever a run was cut, and no file that is not whole.
#include "kernels/officers/values/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "correctness/officers/checks/oracle.h"
#include "correctness/support/error_of.h"
#include "kernels/officers/values/compressed.h"
#include "perf/support/error.h"

namespace ratchet::officers {
namespace {

TEST(OfficersCheckpoint, ComesBackWhole) {
  for (const std::uint64_t next : {0, 1, 20628, 65536, 70000}) {
    const State state = oracle_state(next, 65536);
    const std::string bytes = checkpoint_bytes(state);
    const State again = state_from_bytes(bytes, "it");
    EXPECT_EQ(bytes, checkpoint_bytes(again)) << next;
    EXPECT_EQ(state.next, again.next);
    EXPECT_EQ(state.rares, again.rares);
  }
}

/// As of a run that came that far: positions, of rare values too, that 32 bits do not hold.
TEST(OfficersCheckpoint, ComesBackWholeBeyond32Bits) {
  constexpr std::uint64_t kFar = (std::uint64_t{1} << 32) + 7;
  State state = oracle_state(131'072, 65'536);
  state.tail.erase(state.tail.begin(), state.tail.end() - static_cast<long>(state.reach));
  state.next += kFar;
  const std::uint64_t late = state.next - 100;
  state.rares.push_back({late, uncompress(state.tail[state.tail.size() - 100], true)});
  state.largest = std::max(state.largest, state.rares.back().value);
  const State again = state_from_bytes(checkpoint_bytes(state), "it");
  EXPECT_EQ(again.next, 131'072 + kFar);
  EXPECT_EQ(again.rares.back(), (Rare{late, state.value(late)}));
  EXPECT_TRUE(again == state);
}

TEST(OfficersCheckpoint, SameBytesWhereverTheRunWasCut) {
  const std::string whole = checkpoint_bytes(oracle_state(131072, 65536));
  for (const std::uint64_t cut : {1, 65535, 65536, 65537, 131071}) {
    State state = state_from_bytes(checkpoint_bytes(oracle_state(cut, 65536)), "it");
    const State kept = state;
    while (state.next < 131072) state.append(oracle_values()[state.next]);
    EXPECT_EQ(whole, checkpoint_bytes(state)) << cut;
    state = kept;
    state.append(
        {oracle_values().begin() + static_cast<std::ptrdiff_t>(cut), oracle_values().end()});
    EXPECT_EQ(whole, checkpoint_bytes(state)) << cut;
  }
}

TEST(OfficersCheckpoint, RefusesTornForeignAndAlteredFiles) {
  const std::string bytes = checkpoint_bytes(oracle_state(66000, 65536));
  for (std::size_t size = 0; size < bytes.size(); size += 997)
    EXPECT_THROW(state_from_bytes(bytes.substr(0, size), "torn"), Error) << size;
  EXPECT_THROW(state_from_bytes(bytes.substr(0, bytes.size() - 1), "torn"), Error);
  EXPECT_THROW(state_from_bytes("GIF89a", "foreign"), Error);
  for (std::size_t at = 0; at < bytes.size(); at += 1009) {
    std::string altered = bytes;
    altered[at] ^= 4;
    EXPECT_THROW(state_from_bytes(altered, "altered"), Error) << at;
  }
}

/// Whatever its length, of which the check sum takes every byte.
TEST(OfficersCheckpoint, RefusesAnAlteredByteAnywhereInALongFile) {
  State state = oracle_state(131072);
  while (state.next < 1'300'000)
    state.append({oracle_values().begin() + 65'536, oracle_values().end()});
  std::string bytes = checkpoint_bytes(state);
  ASSERT_GT(bytes.size(), std::size_t{2} << 20);
  std::vector<std::size_t> places = {bytes.size() - 9, bytes.size() - 1};
  for (std::size_t at = 0; at < bytes.size(); at += 65'537) places.push_back(at);
  for (const std::size_t at : places) {
    bytes[at] ^= 4;
    const std::string said = error_of([&] { state_from_bytes(bytes, "it"); });
    EXPECT_TRUE(said.find(at < 30 ? "another version" : "was altered") != said.npos)
        << at << ": " << said;
    bytes[at] ^= 4;
  }
}

/// A file goes on as its state does, wherever the tail was last cut.
TEST(OfficersCheckpoint, KeepsTheLastValuesOfALongTail) {
  const State state = oracle_state(131'000, 65'536);
  ASSERT_GT(state.tail.size(), state.reach);
  const State again = state_from_bytes(checkpoint_bytes(state), "it");
  for (std::uint64_t n = state.next - state.reach; n < state.next; ++n)
    ASSERT_EQ(state.value(n), again.value(n)) << n;
}

// Where the fields are: eight bytes each, and of a rare position twice eight.
constexpr std::size_t kReachAt = 38, kLargestAt = 62, kHeadAt = 70;

/// As a program that has other states would have written it: the check sum, FNV-1a, is right.
std::string sealed(std::string bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(sum >> 8 * i);
  return bytes;
}
std::string unsealed(const State& state) {
  const std::string bytes = checkpoint_bytes(state);
  return bytes.substr(0, bytes.size() - 8);
}
std::string with_number(std::string bytes, std::size_t at, std::uint64_t number) {
  for (int i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(number >> 8 * i);
  return bytes;
}
void expect_contradiction(const std::string& unsealed) {
  const std::string said = error_of([&] { state_from_bytes(sealed(unsealed), "it"); });
  EXPECT_EQ("it: the checkpoint contradicts itself: use another", said);
}

/// Where all values are kept, all else follows from them, but how many are to be kept.
TEST(OfficersCheckpoint, RefusesAnyFieldThatContradictsTheValues) {
  const std::string bytes = unsealed(oracle_state(300));
  ASSERT_EQ(checkpoint_bytes(oracle_state(300)), sealed(bytes));
  for (std::size_t at = kReachAt - 8; at < bytes.size(); ++at)
    for (const int change : {1, 2, 128}) {
      if (at >= kReachAt && at < kReachAt + 8) continue;
      SCOPED_TRACE(at);
      std::string altered = bytes;
      altered[at] = static_cast<char>(altered[at] ^ change);
      expect_contradiction(altered);
    }
  for (const std::uint64_t reach : {std::uint64_t{0}, kLeastReach - 1, ~std::uint64_t{0}})
    expect_contradiction(with_number(bytes, kReachAt, reach));
}

/// Where most are forgotten, too: what is told of values is true of those that are kept.
TEST(OfficersCheckpoint, RefusesRareValuesThatAreNone) {
  State state = oracle_state(131'072, 65'536);
  state.append({oracle_values().begin() + 65'536, oracle_values().end()});
  state.append(1);  // a rare value in the tail
  const std::string bytes = unsealed(state);
  const std::size_t rares_at = bytes.size() - 16 * state.rares.size();
  EXPECT_EQ(checkpoint_bytes(state_from_bytes(sealed(bytes), "it")), sealed(bytes));
  for (std::size_t i = 0; i < state.rares.size(); i += i < 20 ? 1 : 52) {  // 1584 is a multiple
    SCOPED_TRACE(i);
    const std::size_t at = rares_at + 16 * i + 8;
    const std::uint64_t value = state.rares[i].value;
    for (const std::uint64_t other :
         {value ^ 2, value ^ 3, value ^ 512, value ^ (std::uint64_t{1} << 32), ~value})
      expect_contradiction(with_number(bytes, at, other));
  }
  for (const std::uint64_t largest : {std::uint64_t{0}, state.largest - std::uint64_t{1},
                                      std::uint64_t{512}, state.largest | std::uint64_t{1} << 32})
    expect_contradiction(with_number(bytes, kLargestAt, largest));
}

/// Whose first rare positions are not the game's: stages have them compiled in.
TEST(OfficersCheckpoint, RefusesAFileOfAnotherGame) {
  const auto file = std::filesystem::path(testing::TempDir()) / "officers.another.checkpoint";
  const auto said_of = [&](const State& state) {
    save_checkpoint(state, file);
    return error_of([&] { load_checkpoint(file); });
  };
  const auto expect_refused = [&](const State& state) {
    EXPECT_EQ(
        file.string() + ": the first values are not those of Officers: use another checkpoint",
        said_of(state));
  };
  for (const std::size_t next : {0, 1, 3, 500, 1'023, 1'024, 1'025, 2'000})
    EXPECT_EQ("no error", said_of(oracle_state(next))) << next;
  for (const std::size_t other : {2, 3, 509, 1020, 1023}) {
    SCOPED_TRACE(other);
    State state = initial_state(kLeastReach);
    for (std::size_t n = 0; n < 2'000; ++n)
      state.append(n == other ? oracle_values()[n] ^ 2u : oracle_values()[n]);
    expect_refused(state);
  }
  State of_two = initial_state(kLeastReach);
  of_two.append({0, 0});
  of_two.append(std::vector<std::uint16_t>(50'000, 2));
  expect_refused(of_two);
}

/// A number of things to come is that of what is there: an error at once, not at the end of memory.
TEST(OfficersCheckpoint, RefusesOtherNumbersOfThingsThanThereAre) {
  const State state = oracle_state(300);
  const std::string bytes = unsealed(state);
  const std::size_t rares_at = bytes.size() - 16 * state.rares.size() - 8;
  for (const std::string rest : {"", "12345678", "0123456789abcdef"})
    for (const std::uint64_t more :
         {std::uint64_t{1}, std::uint64_t{1} << 32, std::uint64_t{1} << 60, ~state.rares.size()}) {
      const std::uint64_t rares = state.rares.size();
      expect_contradiction(with_number(bytes, rares_at, rares + more) + rest);
      if (!rest.empty()) expect_contradiction(bytes + rest);
      for (const std::size_t at : {kHeadAt, kHeadAt + 8 + state.head.size()})
        expect_contradiction(with_number(bytes, at, 300 + more) + rest);
    }
}

TEST(OfficersCheckpoint, FilesAreReplacedWhole) {
  const auto file = std::filesystem::path(testing::TempDir()) / "officers.checkpoint";
  save_checkpoint(oracle_state(1000), file);
  save_checkpoint(oracle_state(2000), file);
  EXPECT_EQ(2000u, load_checkpoint(file).next);
  EXPECT_THROW(save_checkpoint(oracle_state(10), file.string() + ".no/such/folder"), Error);
  EXPECT_EQ(2000u, load_checkpoint(file).next);
  std::filesystem::remove(file);
}

/// The digest is the same however values came, and another for any other values, the same ones in
/// another order among them. Files and records hold it: it is never another one.
TEST(OfficersState, TheDigestIsOfAllValuesInOrder) {
  const std::vector<std::uint16_t> values(oracle_values().begin() + 2,
                                          oracle_values().begin() + 66);
  const auto digest = [](const std::vector<std::uint16_t>& of) {
    State state = initial_state(0);
    state.append(of);
    return state.digest;
  };
  State one_by_one = initial_state(0);
  std::uint64_t expected = 0;
  for (const std::uint16_t value : values) {
    one_by_one.append(value);
    expected = (expected ^ value) * 0x100000001b3u + 0x9e3779b97f4a7c15u;
  }
  EXPECT_EQ(expected, digest(values));
  EXPECT_EQ(expected, one_by_one.digest);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<std::uint16_t> other = values;
    other[i] ^= 1;
    EXPECT_NE(expected, digest(other)) << i;
    for (std::size_t k = 0; k < i; ++k) {
      other = values;
      if (other[i] == other[k]) continue;
      std::swap(other[i], other[k]);
      EXPECT_NE(expected, digest(other)) << i << " and " << k;
    }
  }
}

/// Sums whose values are not kept are not left out: the value that they may give is not proven.
TEST(OfficersState, AValueThatNeedsForgottenOnesIsAnError) {
  for (const std::uint64_t forgotten : {0, 1, 1000, 65'536}) {
    State state = initial_state(kLeastReach);
    state.append({0, 0});  // with them 0 and 1 are rare values below 3, and no sum is 1
    state.append(std::vector<std::uint16_t>(2 * kLeastReach - 2 + forgotten, 2));
    // As much as a checkpoint keeps.
    state.tail.erase(state.tail.begin(), state.tail.end() - kLeastReach);
    std::uint64_t sums = 0;
    const std::string said = error_of([&] { sums = exact_value(state, sums); });
    EXPECT_EQ(forgotten > 0, said.find("is not kept") != said.npos) << forgotten << ": " << said;
  }
}

TEST(OfficersState, RefusesAValueOf512) {
  State state = oracle_state(100);
  EXPECT_THROW(state.append(512), Error);
  EXPECT_THROW(state.append({0, 1, 512, 2}), Error);
  EXPECT_EQ(oracle_state(100), state);
}

}  // namespace
}  // namespace ratchet::officers
