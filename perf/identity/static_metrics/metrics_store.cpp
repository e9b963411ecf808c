#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "perf/identity/static_metrics/metrics.h"
#include "perf/support/json_file.h"

namespace ratchet::counters {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int format = 1;

double checked_number(const Node& value) {
  const double number = value.number();
  if (!(number >= 0 && number <= 9007199254740992.0)) value.fail("is negative or beyond 2^53");
  return number;
}

Item parse_item(const Node& value) {
  Item item;
  for (const auto& [key, field] : value.members()) {
    if (key == "hash") {
      item.hash = field.text();
    } else if (key == "mix") {
      for (const auto& [opcode, count] : field.members())
        item.mix[opcode] = static_cast<int>(std::min(checked_number(count), 2147483647.0));
    } else {
      item.figures[key] = checked_number(field);
    }
  }
  return item;
}

json item_json(const Item& item) {
  json value = json::object();
  for (const auto& [name, figure] : item.figures) value[name] = tidy_number(figure);
  if (!item.mix.empty()) value["mix"] = item.mix;
  if (!item.hash.empty()) value["hash"] = item.hash;
  return value;
}

}  // namespace

StaticMetrics parse_metrics(std::string_view text, const std::string& what) {
  const json parsed = parse_json(text, what);
  const Node root(parsed, what);
  const Node context = root.at("context");
  if (context.at(context.has("ratchet_evidence") ? "ratchet_evidence" : "ratchet_metrics")
          .value() != format)
    context.fail(
        fmt::format("is not a metrics file of ratchet, or has another format than {}", format));
  StaticMetrics metrics{context.at("basis").text_map(), {}};
  if (context.has("revisions")) metrics.revisions = context.at("revisions").texts_of_keys();
  for (const auto& [stage, items] : root.at("stages").members())
    for (const auto& [name, item] : items.members()) metrics.stages[stage][name] = parse_item(item);
  return metrics;
}

std::string metrics_text(const StaticMetrics& metrics, const std::string& reason) {
  json stages = json::object();
  for (const auto& [stage, items] : metrics.stages)
    for (const auto& [name, item] : items) stages[stage.text()][name] = item_json(item);
  const json context = {{"ratchet_metrics", format},
                        {"basis", metrics.basis},
                        {"reason", reason},
                        {"revisions", keys_by_text(metrics.revisions)}};
  return pretty({{"context", context}, {"stages", stages}}, 3) + "\n";
}

MetricsStore::MetricsStore(fs::path folder) : folder_(std::move(folder)) {
  for (const fs::path& basis : sorted_entries(folder_)) {
    if (!fs::is_directory(basis)) continue;
    for (const fs::path& path : sorted_entries(basis)) {
      if (path.extension() != ".json") continue;
      files_.push_back({path, parse_metrics(read_text(path), path.string())});
      for (const auto& [stage, items] : files_.back().content.stages)
        if (stage.family() != path.stem())
          throw Error(fmt::format("{}, {}: it belongs to another family than the file",
                                  path.string(), stage));
    }
  }
}

std::optional<StaticMetrics> MetricsStore::find(
    const std::map<std::string, std::string>& basis) const {
  std::optional<StaticMetrics> found;
  for (const File& file : files_) {
    if (file.content.basis != basis) continue;
    if (!found) found = StaticMetrics{basis, {}};
    for (const auto& [stage, items] : file.content.stages)
      if (!found->stages.emplace(stage, items).second)
        throw Error(fmt::format("{}: {} is stored twice for this basis; remove one",
                                file.path.string(), stage));
  }
  return found;
}

std::vector<std::string> MetricsStore::bases(const std::string& kind) const {
  std::set<std::string> lines;
  for (const File& file : files_) {
    const auto& basis = file.content.basis;
    if (const auto found = basis.find("kind"); found == basis.end() || found->second != kind)
      continue;
    std::string line;
    for (const auto& [name, value] : basis)
      if (name != "kind") line += fmt::format("{}{} {}", line.empty() ? "" : ", ", name, value);
    lines.insert(line);
  }
  return {lines.begin(), lines.end()};
}

std::vector<fs::path> MetricsStore::accept(const StaticMetrics& metrics,
                                           const std::vector<RowId>& gone,
                                           const std::string& reason) {
  const FolderLock lock(folder_, "accepting metrics");
  std::set<std::string> families;
  for (const auto& [stage, items] : metrics.stages) families.insert(stage.family());
  for (const RowId& stage : gone) families.insert(stage.family());
  std::vector<fs::path> written;
  for (const std::string& family : families) {
    const fs::path path = folder_ / metrics.slug() / (family + ".json");
    const auto file = std::find_if(files_.begin(), files_.end(),
                                   [&](const File& each) { return each.path == path; });
    if (file != files_.end() && file->content.basis != metrics.basis)
      throw Error(path.string() + " holds figures of another basis; move it away first");
    StaticMetrics content{metrics.basis, {}};
    if (file != files_.end()) content = file->content;
    for (const RowId& stage : gone) {
      content.stages.erase(stage);
      content.revisions.erase(stage);
    }
    for (const auto& [stage, items] : metrics.stages) {
      if (stage.family() != family) continue;
      content.stages[stage] = items;
      const auto revision = metrics.revisions.find(stage);
      if (revision != metrics.revisions.end())
        content.revisions[stage] = revision->second;
      else
        content.revisions.erase(stage);
    }
    write_atomically(path, metrics_text(content, reason));
    written.push_back(path);
  }
  return written;
}

}  // namespace ratchet::counters
