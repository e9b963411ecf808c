// Checkpoints: the same bytes wherever a run was cut, and no file that is not whole.
#include "kernels/officers/values/checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "correctness/officers/oracle.h"
#include "kernels/support/error.h"

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

TEST(OfficersCheckpoint, FilesAreReplacedWhole) {
  const auto file = std::filesystem::path(testing::TempDir()) / "officers.checkpoint";
  save_checkpoint(oracle_state(1000), file);
  save_checkpoint(oracle_state(2000), file);
  EXPECT_EQ(2000u, load_checkpoint(file).next);
  EXPECT_THROW(save_checkpoint(oracle_state(10), file.string() + ".no/such/folder"), Error);
  EXPECT_EQ(2000u, load_checkpoint(file).next);
  std::filesystem::remove(file);
}

TEST(OfficersState, RefusesAValueOf512) {
  State state = oracle_state(100);
  EXPECT_THROW(state.append(512), Error);
  EXPECT_THROW(state.append({0, 1, 512, 2}), Error);
  EXPECT_EQ(oracle_state(100), state);
}

}  // namespace
}  // namespace ratchet::officers
