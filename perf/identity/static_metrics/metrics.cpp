#include "perf/identity/static_metrics/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <regex>

#include "perf/identity/machine/fingerprint.h"

namespace ratchet::counters {
namespace {

/// Figures of which more is worse, with the relative increase that is tolerated; the others
/// (percentages) only inform. Static figures are exact; counted ones may vary with allocations.
const std::map<std::string, double>& gated_figures() {
  static const std::map<std::string, double> figures = {{"registers", 0},
                                                        {"stack", 0},
                                                        {"shared", 0},
                                                        {"local_loads", 0},
                                                        {"local_stores", 0},
                                                        {"instructions", 0},
                                                        {"executed_instructions", 1e-3}};
  return figures;
}

std::string field(const std::map<std::string, std::string>& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() ? "" : found->second;
}

double figure(const Item& item, const std::string& name) {
  const auto found = item.figures.find(name);
  return found == item.figures.end() ? 0 : found->second;
}

std::string source_name(const std::string& source) {
  const std::size_t slash = source.find_last_of('/');
  const std::string file = slash == std::string::npos ? source : source.substr(slash + 1);
  return file.substr(0, file.find('.'));
}

}  // namespace

std::string counted_name(const RowId& row) {
  return row.settings_text().empty() ? "defaults" : row.settings_text();
}

std::string StaticMetrics::slug() const {
  const std::string kind = field(basis, "kind");
  if (kind == "device counters") return ratchet::slug(field(basis, "gpu")) + "-counters";
  if (kind == "cpu instructions")
    return ratchet::slug(field(basis, "compiler")) + "-" + ratchet::slug(field(basis, "target"));
  std::smatch version;
  const std::string assembler = field(basis, "assembler");
  static const std::regex form("V([0-9.]+)");
  return field(basis, "arch") + "-cuda-" +
         (std::regex_search(assembler, version, form) ? version[1].str() : "unknown");
}

Item item_of(const KernelCode& kernel) {
  return {{{"registers", kernel.registers},
           {"stack", kernel.stack},
           {"shared", kernel.shared},
           {"local_loads", kernel.local_loads},
           {"local_stores", kernel.local_stores},
           {"instructions", kernel.instructions}},
          kernel.mix,
          kernel.hash};
}

std::vector<StaticMetrics> metrics_of(const std::vector<ModuleCode>& modules) {
  std::map<std::map<std::string, std::string>, Items> by_basis;
  for (const ModuleCode& module : modules) {
    std::string stage = stage_of_source(module.source);
    if (const std::string family = shared_by(module.source); !family.empty())
      stage = family + "/shared/" + source_name(module.source);
    if (stage.empty()) continue;
    Items& items =
        by_basis[{{"kind", "device code"}, {"arch", module.arch}, {"assembler", module.toolchain}}];
    for (const KernelCode& kernel : module.kernels) items[stage][kernel.kernel] = item_of(kernel);
    if (!module.tables_hash.empty()) items[stage]["(tables)"].hash = module.tables_hash;
  }
  std::vector<StaticMetrics> all;
  for (auto& [basis, items] : by_basis) all.push_back({basis, std::move(items)});
  return all;
}

std::string to_string(Change change) {
  switch (change) {
    case Change::same:
      return "same";
    case Change::better:
      return "better";
    case Change::changed:
      return "changed";
    case Change::worse:
      return "worse";
    case Change::added:
      return "new";
    case Change::gone:
      return "gone";
    case Change::not_counted:
      return "not counted";
    case Change::uncompared:
      break;
  }
  return "not compared";
}

std::string mix_difference(const std::map<std::string, int>& before,
                           const std::map<std::string, int>& now, std::size_t most) {
  std::map<std::string, int> differences;
  for (const auto& [opcode, count] : now) differences[opcode] += count;
  for (const auto& [opcode, count] : before) differences[opcode] -= count;
  std::erase_if(differences, [](const auto& each) { return each.second == 0; });
  std::vector<std::pair<std::string, int>> shown(differences.begin(), differences.end());
  if (shown.size() > most) {
    std::stable_sort(shown.begin(), shown.end(), [](const auto& a, const auto& b) {
      return std::abs(a.second) > std::abs(b.second);
    });
    shown.resize(most);
  }
  std::string text;
  for (const auto& [opcode, difference] : shown)
    text += fmt::format("{}{} {:+d}", text.empty() ? "" : ", ", opcode, difference);
  if (differences.size() > shown.size())
    text += fmt::format(", {} other opcodes", differences.size() - shown.size());
  return text;
}

Finding compare_item(const Item& stored, const Item& here) {
  Finding finding{"", "", Change::same, "", here};
  bool worse = false;
  bool better = false;
  std::vector<std::string> details;
  for (const auto& [name, slack] : gated_figures()) {
    const double before = figure(stored, name);
    const double now = figure(here, name);
    if (before == now) continue;
    const bool beyond = std::fabs(now - before) > slack * before;
    worse |= beyond && now > before;
    better |= beyond && now < before;
    details.push_back(fmt::format("{} {:.15g} -> {:.15g}", name, before, now));
  }
  if (const std::string mix = mix_difference(stored.mix, here.mix); !mix.empty())
    details.push_back(mix);
  if (details.empty() && stored.hash != here.hash)
    details.push_back("other machine code, same figures");
  finding.detail = fmt::format("{}", fmt::join(details, ", "));
  if (worse) {
    finding.change = Change::worse;
  } else if (better) {
    finding.change = Change::better;
  } else if (stored.hash != here.hash || stored.mix != here.mix) {
    finding.change = Change::changed;
  }
  return finding;
}

std::vector<Finding> compare(const StaticMetrics* stored, const StaticMetrics& here) {
  std::vector<Finding> findings;
  const auto add = [&](const RowId& stage, const std::string& name, Finding finding) {
    finding.stage = stage;
    finding.item = name;
    findings.push_back(std::move(finding));
  };
  const auto find = [](const Items& items, const RowId& stage, const std::string& name) {
    const auto at = items.find(stage);
    if (at == items.end()) return static_cast<const Item*>(nullptr);
    const auto item = at->second.find(name);
    return item == at->second.end() ? nullptr : &item->second;
  };
  for (const auto& [stage, items] : here.stages)
    for (const auto& [name, item] : items) {
      const Item* before = stored ? find(stored->stages, stage, name) : nullptr;
      if (!stored)
        add(stage, name, {"", "", Change::uncompared, "", item});
      else if (!before)
        add(stage, name, {"", "", Change::added, "not in the stored metrics", item});
      else
        add(stage, name, compare_item(*before, item));
    }
  if (!stored) return findings;
  for (const auto& [stage, items] : stored->stages)
    for (const auto& [name, item] : items)
      if (!find(here.stages, stage, name))
        add(stage, name,
            here.not_counted.contains(stage)
                ? Finding{"", "", Change::not_counted, "stored, and in this build", item}
                : Finding{"", "", Change::gone, "stored, but not in this build", item});
  return findings;
}

ExitCode exit_code(const std::vector<Finding>& findings, bool strict) {
  const auto any = [&](Change change) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& each) { return each.change == change; });
  };
  if (findings.empty()) return ExitCode::nothing_ran;
  if (any(Change::worse)) return ExitCode::regression;
  if (any(Change::gone) || any(Change::not_counted)) return ExitCode::failed;
  if (strict && (any(Change::added) || any(Change::uncompared))) return ExitCode::undecided;
  return ExitCode::pass;
}

ExitCode accepted_exit_code(const std::vector<StaticMetrics>& accepted) {
  if (accepted.empty()) return ExitCode::nothing_ran;
  const bool whole = std::all_of(accepted.begin(), accepted.end(),
                                 [](const StaticMetrics& each) { return each.broken.empty(); });
  return whole ? ExitCode::pass : ExitCode::failed;
}

}  // namespace ratchet::counters
