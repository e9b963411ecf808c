#include "perf/gate/programs/one_row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "kernels/contract/counted.h"
#include "kernels/contract/row_filter.h"
#include "perf/gate/run/sliced_launch.h"
#include "perf/support/error.h"
#include "perf/support/printable.h"
#include "perf/support/suggestion.h"

namespace ratchet::gate {
namespace {

RowId selected(const BenchProgram& program, const std::string& asked) {
  const std::vector<RowId> rows = program.list().rows;
  const std::set<RowId> listed(rows.begin(), rows.end());
  std::string row = listed.contains(asked) ? asked : own_name(asked, program.path());
  // Google Benchmark prints the names of its timing options, too: "Bits/real_time".
  if (!listed.contains(row) && listed.contains(plain_name(row))) row = plain_name(row);
  const auto found = listed.contains(row) ? std::set<RowId>{row} : select_rows(listed, row);
  if (found.size() == 1) return *found.begin();
  std::string hint = found.empty() ? did_you_mean_row(plain_name(row), listed) : "";
  if (hint.empty()) {
    const std::set<RowId>& near = found.empty() ? listed : found;
    constexpr std::size_t most = 5;
    std::vector<std::string> names;
    for (const RowId& name : near)
      if (names.size() < most) names.push_back(printable(name, 100));
    hint = fmt::format("{}: {}{}", found.empty() ? " of its rows" : "", fmt::join(names, ", "),
                       near.size() > most ? fmt::format(" and {} more", near.size() - most) : "");
  }
  throw Error(fmt::format("--rows: '{}' selects {} of {}; name one{}", row,
                          counted(found.size(), "rows"), program.path().string(), hint));
}

class OneRow : public BenchProgram {
 public:
  OneRow(std::unique_ptr<BenchProgram> program, const std::string& row, const std::string& name)
      : program_(std::move(program)),
        row_(selected(*program_, row)),
        name_(name.empty() ? row_ : RowId(name)) {}

  const std::filesystem::path& path() const override { return program_->path(); }
  Listing list() const override { return {{name_}, {}, "", path().string()}; }
  CodeIdentity code_identity() const override {
    CodeIdentity whole = program_->code_identity(), identity;
    identity.context = std::move(whole.context);
    if (const auto unit = whole.units.find(row_); unit != whole.units.end())
      identity.units[name_] = unit->second;
    return identity;
  }
  Abilities abilities() const override {
    const Abilities able = program_->abilities();
    return {.checks = able.checks, .verifies_in_situ = able.verifies_in_situ,
            .other_layouts = able.other_layouts};
  }
  CheckOutcome check(const std::string&) const override { return program_->check(row_.stage()); }
  std::map<RowId, CheckOutcome> verify_in_situ(const std::vector<RowId>& rows,
                                               double seconds) const override {
    return named(rows.empty() ? std::map<RowId, CheckOutcome>()
                              : program_->verify_in_situ({row_}, seconds));
  }
  LaunchOutcome measure(const RowId&, const LaunchRequest& request) const override {
    return program_->measure(row_, request);
  }
  std::map<RowId, LaunchOutcome> measure_together(const std::vector<RowId>& rows,
                                                  const LaunchRequest& request) const override {
    return named(rows.empty() ? std::map<RowId, LaunchOutcome>()
                              : program_->measure_together({row_}, request));
  }
  std::map<RowId, Cpus> interleaved_rows() const override {
    const auto all = program_->interleaved_rows();
    const auto found = all.find(row_);
    return found == all.end() ? std::map<RowId, Cpus>()
                              : std::map<RowId, Cpus>{{name_, found->second}};
  }
  std::unique_ptr<SlicedLaunch> launch_interleaved(const RowId&,
                                                   const LaunchRequest& request) const override {
    return program_->launch_interleaved(row_, request);
  }

 private:
  template <class Outcome>
  std::map<RowId, Outcome> named(std::map<RowId, Outcome> outcomes) const {
    std::map<RowId, Outcome> renamed;
    if (const auto found = outcomes.find(row_); found != outcomes.end())
      renamed.emplace(name_, std::move(found->second));
    return renamed;
  }

  std::unique_ptr<BenchProgram> program_;
  RowId row_, name_;
};

}  // namespace

std::string own_name(const std::string& row, const std::filesystem::path& program) {
  const std::string prefix = program.filename().string() + "/";
  return row.starts_with(prefix) ? row.substr(prefix.size()) : row;
}

std::unique_ptr<BenchProgram> one_row(std::unique_ptr<BenchProgram> program, const std::string& row,
                                      const std::string& name) {
  return std::make_unique<OneRow>(std::move(program), row, name);
}

}  // namespace ratchet::gate
