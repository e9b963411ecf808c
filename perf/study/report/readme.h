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

/// The blocks of the pages in kernels/<family>: "ladder", on the machine that measured most of the
/// family; and every table of kind `builds` by its id.
std::vector<Block> family_blocks(const Published& published,
                                 const std::filesystem::path& baselines);

/// Those of `blocks` that `page` has a mark of. Throws `Error` naming `file` for a mark of none.
std::vector<Block> marked_blocks(const std::string& page, const std::vector<Block>& blocks,
                                 const std::string& file);

/// The blocks of kernels/support/ranks/README.md: "gpus", how stages scale on machines with
/// several.
std::vector<Block> ranks_blocks(const std::filesystem::path& baselines);

/// `readme` with everything between the block's marks replaced. Throws `Error` naming `file` when a
/// mark is missing, doubled, or the two are in the wrong order.
std::string replace_block(const std::string& readme, const Block& block, const std::string& file);

// Figures in Markdown that a stored file holds. Behind each stands which one it is:
//
//   1.37 ms<!--= nvidia-h200 graveler/cuda/06_tensor_count ms -->
//
// A mark is MACHINE TERM [/ TERM] [* FACTOR]. A term is a row and a field: "ms", of one call; "/s",
// units of work a second; or any counter of the launches. A field alone is of the row that the mark
// named before: "510<!--= amd-epyc-2c life/cpu/07_strided /s * 1e-9 -->". A peak of the machine
// is a term by itself, its rate: "2.09e12<!--= nvidia-h200 cuda.ffs -->" of
// baselines/nvidia-h200/peaks.json, as `ratchet peaks --json` left it. A row of a build,
// "graveler/cpu/05_wyrand/build:lto", has "ratio", "low" and "high". "rival" and a family are the
// figure of the best public program in baselines/published/, in its unit. The figure is the last
// number before its mark; what begins with a zero, as stages do ("04"), or stands in a name
// ("AVX2") is none.
//
// Sources have no marks: a new baseline edits pages alone.

/// What of the pages (*.md) of `repository` is stale, a line each that names file and line, figure
/// and stored value: it is not the stored median, rounded to the digits written. Launches may lie
/// far apart, but what a page says is what its file holds. Throws `Error` naming file and line for
/// a mark that cannot be read or names a machine, row or field that is not stored.
std::vector<std::string> stale_figures(const std::filesystem::path& repository,
                                       const std::filesystem::path& baselines);

/// Writes the stored values over the stale figures that have a mark, to as many digits as they had,
/// and returns a line each. Throws as stale_figures(), and `Error` where a file cannot be written.
std::vector<std::string> rewrite_figures(const std::filesystem::path& repository,
                                         const std::filesystem::path& baselines);

}  // namespace ratchet::report
