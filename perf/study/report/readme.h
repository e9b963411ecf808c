// The tables in the guide and in the pages of the families, each block between two marks, written
// by `ratchet tables --readme`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "perf/study/report/figures/published.h"

namespace ratchet::report {

/// What stands between <!-- ratchet:NAME:begin --> and <!-- ratchet:NAME:end -->.
struct Block {
  std::string name;
  std::string text;
};

/// The block of perf/guide/articles.md: "families", what each is about. Throws `Error` for bad
/// published figures.
std::vector<Block> articles_blocks(const std::filesystem::path& baselines);

/// The block of perf/guide/evaluation.md: "selftest", the error rates of the gate by the records in
/// <baselines>/selftest/<machine>/*.jsonl. Throws `Error` for bad records.
std::vector<Block> evaluation_blocks(const std::filesystem::path& baselines);

/// The blocks of kernels/<family>/README.md: "ladder", the family's ladder on every machine, all
/// but one of them folded, and every table of kind `builds` by its id.
std::vector<Block> story_blocks(const Published& published, const std::filesystem::path& baselines);

/// The blocks of kernels/support/ranks/README.md: "gpus", how stages scale on machines with
/// several.
std::vector<Block> ranks_blocks(const std::filesystem::path& baselines);

/// `readme` with everything between the block's marks replaced. Throws `Error` naming `file` when a
/// mark is missing, doubled, or the two are in the wrong order.
std::string replace_block(const std::string& readme, const Block& block, const std::string& file);

}  // namespace ratchet::report
