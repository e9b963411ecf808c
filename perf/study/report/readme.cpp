#include "perf/study/report/readme.h"

#include <fmt/format.h>

#include <iterator>
#include <regex>
#include <set>
#include <utility>

#include "perf/gate/baseline/store.h"
#include "perf/gate/selftest/selftest.h"
#include "perf/study/report/figures/gpu_scaling.h"
#include "perf/study/report/tables.h"
#include "perf/support/error.h"

namespace ratchet::report {
namespace {

std::string begin_mark(const std::string& name) { return "<!-- ratchet:" + name + ":begin -->"; }
std::string end_mark(const std::string& name) { return "<!-- ratchet:" + name + ":end -->"; }

std::size_t only_place(const std::string& text, const std::string& mark, const std::string& file) {
  const std::size_t place = text.find(mark);
  if (place == std::string::npos) throw Error(fmt::format("{} has no mark {}", file, mark));
  if (text.find(mark, place + 1) != std::string::npos)
    throw Error(fmt::format("{} has the mark {} twice", file, mark));
  return place;
}

/// How much of its family a ladder shows: stages on a GPU count first, then all.
std::pair<std::size_t, std::size_t> extent(const std::string& ladder) {
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (auto at = ladder.find(part); at != std::string::npos; at = ladder.find(part, at + 1))
      ++found;
    return found;
  };
  return {count("/cuda/"), count("\n| `")};
}

std::string or_none(const std::string& text) {
  return text.empty() ? "\nNo machine has stored figures yet.\n" : text;
}

/// The ladder of the machine that shows most of the family; of several the last.
Block ladder_of(const Published& published, const std::filesystem::path& baselines) {
  std::string most;
  for (const Machine& machine : machines_with(published.family, baselines, {})) {
    const std::string table = markdown(ladder(published, machine));
    if (!table.empty() && extent(table) >= extent(most))
      most = fmt::format("\n**{}** on {}\n\n{}", published.family, machine.name, table);
  }
  return {"ladder", or_none(most)};
}

std::string families(const std::filesystem::path& baselines) {
  std::string text = "\n| family | problem | work counted | right means |\n|---|---|---|---|\n";
  for (const Published& published : read_all_published(baselines / "published"))
    text +=
        fmt::format("| [{0}](../../kernels/{0}/README.md) | {1} | {2} | {3} |\n", published.family,
                    published.about.problem, published.about.work, published.about.right);
  return text;
}

std::string selftests(const std::filesystem::path& baselines) {
  std::string text;
  for (const auto& machine : sorted_entries(baselines / "selftest")) {
    std::vector<std::filesystem::path> records;
    for (const auto& file : sorted_entries(machine)) {
      if (file.extension() == ".jsonl") records.push_back(file);
    }
    if (records.empty()) continue;
    text += fmt::format("\n**{}**\n\n{}", machine.filename().string(),
                        gate::selftest_table(gate::read_selftest(records), false));
  }
  return text.empty() ? "\nNo machine has a selftest yet.\n" : text;
}

}  // namespace

std::vector<Block> articles_blocks(const std::filesystem::path& baselines) {
  return {{"families", families(baselines)}};
}

std::vector<Block> evaluation_blocks(const std::filesystem::path& baselines) {
  return {{"selftest", selftests(baselines)}};
}

std::vector<Block> family_blocks(const Published& published,
                                 const std::filesystem::path& baselines) {
  std::vector<Block> blocks = {ladder_of(published, baselines)};
  for (const PublishedTable& table : published.tables) {
    if (table.kind == TableKind::builds)
      blocks.push_back(
          {table.id, "\n" + markdown(table_text(published, table,
                                                machines_with(published.family, baselines, {})))});
  }
  return blocks;
}

std::vector<Block> marked_blocks(const std::string& page, const std::vector<Block>& blocks,
                                 const std::string& file) {
  static const std::regex mark("<!-- ratchet:(.*?):(begin|end) -->");
  std::set<std::string> names;
  for (std::sregex_iterator each(page.begin(), page.end(), mark), end; each != end; ++each)
    names.insert((*each)[1]);
  std::vector<Block> marked;
  for (const Block& block : blocks) {
    if (names.erase(block.name)) marked.push_back(block);
  }
  if (!names.empty())
    throw Error(fmt::format("{} has marks of \"{}\", which is not a table of this page", file,
                            *names.begin()));
  return marked;
}

std::vector<Block> ranks_blocks(const std::filesystem::path& baselines) {
  std::vector<GpuScaling> all;
  for (const Published& published : read_all_published(baselines / "published")) {
    const auto machines = machines_with(published.family, baselines, {});
    const auto scalings = gpu_scalings(published.family, machines, baselines);
    all.insert(all.end(), scalings.begin(), scalings.end());
  }
  return {{"gpus", or_none(all.empty() ? "" : "\n" + scaling_table(all))}};
}

std::string replace_block(const std::string& readme, const Block& block, const std::string& file) {
  const std::string mark = begin_mark(block.name);
  const std::size_t begin = only_place(readme, mark, file) + mark.size();
  const std::size_t end = only_place(readme, end_mark(block.name), file);
  if (end < begin)
    throw Error(fmt::format("{} has the marks of its {} in the wrong order", file, block.name));
  return readme.substr(0, begin) + "\n" + block.text + "\n" + readme.substr(end);
}

}  // namespace ratchet::report
