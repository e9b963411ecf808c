#include "perf/identity/explain/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/contract/row_filter.h"
#include "perf/identity/code/disassembler.h"
#include "perf/identity/explain/listing.h"
#include "perf/identity/explain/piece_text.h"
#include "perf/support/error.h"
#include "perf/support/printable.h"

namespace ratchet::explain {
namespace {

constexpr std::size_t longest_line = 240;

/// The libraries, by name, of the called functions.
std::map<std::string, std::string> builds_of(const std::set<std::string>& externals,
                                             const counters::Libraries& libraries) {
  std::map<std::string, std::string> builds;
  for (const std::string& external : externals) {
    const auto found = libraries.find(external);
    if (found == libraries.end()) continue;
    const std::size_t space = found->second.find(' ');
    if (space != std::string::npos)
      builds[found->second.substr(0, space)] = found->second.substr(space + 1);
  }
  return builds;
}

std::vector<std::string> texts_of(const BuildCode& build,
                                  const std::optional<counters::CodeNode>& node) {
  std::vector<std::string> texts;
  if (!node) return texts;
  for (const Instruction& each : listing_of(build.code(), *node)) texts.push_back(each.text);
  return texts;
}

}  // namespace

struct Comparison::Line {
  /// The order of the lines.
  enum Order {
    setting,
    kernel,
    timed_code,
    timed_data,
    library,
    clock_code,
    other_code,
    other_data
  };
  Order order = setting;
  double weight = 0;
  std::string text;
  const PieceChange* piece = nullptr;  ///< its text is computed on display
};

struct Comparison::Stage {
  WorkDifference work;
  std::vector<KernelChange> kernels;
  std::string tools_missing;
};

Comparison::Comparison(std::filesystem::path before, std::filesystem::path now,
                       std::vector<std::string> arguments)
    : program_before_(std::move(before)),
      program_now_(std::move(now)),
      arguments_(std::move(arguments)) {}

Comparison::~Comparison() = default;

/// Rows of stages without a digest (hybrid ones) are not listed; their objects are compared.
void Comparison::require_row(const RowId& row) {
  if (!asked_) {
    rows_before_ = row_works(program_before_, arguments_);
    rows_now_ = row_works(program_now_, arguments_);
    before_ = std::make_unique<BuildCode>(program_before_);
    now_ = std::make_unique<BuildCode>(program_now_);
    asked_ = true;
  }
  const std::string stage = row.stage();
  before_->object_of(stage);
  now_->object_of(stage);
  if (rows_before_.contains(row) != rows_now_.contains(row) && !rows_before_.empty())
    throw Error(fmt::format("{} has no row {}",
                            (rows_now_.contains(row) ? program_before_ : program_now_).string(),
                            row));
}

const Comparison::Stage& Comparison::stage(const std::string& name) {
  std::unique_ptr<Stage>& place = stages_[name];
  if (place) return *place;
  auto made = std::make_unique<Stage>();
  // Libraries are compared separately; the runtime's build is in the fingerprint.
  const counters::Surroundings surroundings{now_->libraries(), "same", counters::bench_timed_act};
  made->work = work_difference({before_->code(), before_->object_of(name)},
                               {now_->code(), now_->object_of(name)}, surroundings);
  const WorkDifference& work = made->work;
  if (!work.objects_before.empty() || !work.objects_now.empty())
    made->kernels = kernel_changes({*before_, work.objects_before}, {*now_, work.objects_now},
                                   &made->tools_missing);
  place = std::move(made);
  return *place;
}

void Comparison::add_settings(const RowId& row, std::vector<Line>& into) {
  const auto before = rows_before_.find(row), now = rows_now_.find(row);
  if (before == rows_before_.end() || now == rows_now_.end()) return;
  const RowWork &was = before->second, &is = now->second;
  if (was.code.empty() || is.code.empty()) return;  // an older program that does not state it
  const auto value = [](const RowWork& work, const std::string& name) {
    const auto found = work.parameters.find(name);
    return found == work.parameters.end() ? std::string("none") : found->second;
  };
  std::set<std::string> names;
  for (const auto& [name, number] : was.parameters) names.insert(name);
  for (const auto& [name, number] : is.parameters) names.insert(name);
  for (const std::string& name : names)
    if (value(was, name) != value(is, name))
      into.push_back(
          {Line::setting, 1,
           fmt::format("parameter {}: {} -> {}", name, value(was, name), value(is, name))});
  if (was.input != is.input) into.push_back({Line::setting, 2, "the input file differs"});
}

void Comparison::add_code(const Stage& stage, std::vector<Line>& into) {
  for (std::size_t i = 0; i < stage.kernels.size(); ++i) {
    const KernelChange& each = stage.kernels[i];
    into.push_back({Line::kernel, -static_cast<double>(i),
                    fmt::format("kernel {}: {}{}", printable(each.kernel, 80), each.detail,
                                stage.tools_missing.empty() || i > 0
                                    ? ""
                                    : " (no figures: " + stage.tools_missing + ")")});
  }
  for (const PieceChange& piece : stage.work.pieces) {
    const bool code = is_code(piece, *before_, *now_);
    const Line::Order order = piece.timed ? (code ? Line::timed_code : Line::timed_data)
                                          : (code ? Line::other_code : Line::other_data);
    into.push_back({order, size_difference(piece, *before_, *now_), "", &piece});
  }
  if (stage.work.clock)
    into.push_back({Line::clock_code, 0, "the timing function differs: another harness"});
}

void Comparison::add_libraries(const Stage& stage, std::vector<Line>& into) {
  const auto before = builds_of(stage.work.externals_before, before_->libraries());
  for (const auto& [name, build] : builds_of(stage.work.externals_now, now_->libraries())) {
    const auto was = before.find(name);
    if (was != before.end() && was->second != build)
      into.push_back(
          {Line::library, 0,
           fmt::format("the build of {} differs: {:.12} -> {:.12}", name, was->second, build)});
  }
}

std::vector<Comparison::Line> Comparison::lines(const RowId& row) {
  require_row(row);
  std::vector<Line> all;
  const auto before = rows_before_.find(row), now = rows_now_.find(row);
  const bool known = before != rows_before_.end() && now != rows_now_.end();
  if (known && before->second.digest == now->second.digest) return all;
  add_settings(row, all);
  const Stage& work = stage(row.stage());
  add_code(work, all);
  add_libraries(work, all);
  if (all.empty() && known)
    all.push_back(
        {Line::other_data, 0,
         before->second.code.empty() || now->second.code.empty()
             ? "no code, table or library differs, so a parameter or the input must; one of "
               "the builds does not report it"
             : "the digests of the executed code differ, but no differing code, table, "
               "parameter or library was found"});
  if (work.work.finds_others)
    all.push_back({Line::other_data, -1, "it runs other stages; their code is not compared here"});
  std::stable_sort(all.begin(), all.end(), [](const Line& a, const Line& b) {
    return a.order != b.order ? a.order < b.order : a.weight > b.weight;
  });
  return all;
}

std::string Comparison::text(const Line& line) const {
  std::string text = line.piece ? piece_text(*line.piece, *before_, *now_) : line.text;
  if (line.order == Line::other_code || (line.order == Line::other_data && line.piece))
    text += " (not reached from run() directly)";
  return printable(text, longest_line);
}

std::vector<std::string> Comparison::differences(const RowId& row) {
  std::vector<std::string> texts;
  for (const Line& line : lines(row)) texts.push_back(text(line));
  return texts;
}

std::vector<std::string> Comparison::reasons(const RowId& row) try {
  const std::vector<Line> all = lines(row);
  std::vector<std::string> texts;
  if (all.empty()) return {"both execute the same code"};
  for (const Line& line : all) {
    if (texts.size() + 1 == most_reasons && all.size() > most_reasons) {
      texts.push_back(
          fmt::format("and {} more: `ratchet explain` shows all", all.size() - texts.size()));
      break;
    }
    texts.push_back(text(line));
  }
  return texts;
} catch (const Error& error) {
  return {"the difference is unknown: " + printable(error.what(), longest_line)};
}

std::vector<std::string> Comparison::listings(const RowId& row) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& name, std::vector<std::string> before,
                       std::vector<std::string> now) {
    const auto lines =
        unified_diff({"before: " + name, std::move(before)}, {"now: " + name, std::move(now)});
    all.insert(all.end(), lines.begin(), lines.end());
  };
  const std::vector<Line> shown = lines(row);
  const Stage& work = stage(row.stage());
  if (!work.kernels.empty() && !shown.empty()) {
    const auto before = kernel_listings({*before_, work.work.objects_before});
    const auto now = kernel_listings({*now_, work.work.objects_now});
    const auto of = [](const auto& listings, const std::string& name) {
      const auto found = listings.find(name);
      return found == listings.end() ? std::vector<std::string>() : found->second;
    };
    for (const KernelChange& each : work.kernels)
      add("kernel " + each.kernel, of(before, each.kernel), of(now, each.kernel));
  }
  for (const Line& line : shown)
    if (line.piece && is_code(*line.piece, *before_, *now_))
      add(piece_name(*line.piece, *before_, *now_), texts_of(*before_, line.piece->before),
          texts_of(*now_, line.piece->now));
  return all;
}

}  // namespace ratchet::explain
