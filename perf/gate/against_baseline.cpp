#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <regex>

#include "perf/gate/base/base_build.h"
#include "perf/gate/baseline/accept.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/side_by_side.h"
#include "perf/support/git.h"
#include "perf/support/hash.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

/// Where the build of a row's baseline is to be found.
struct Origin {
  std::string commit;   ///< empty: nowhere
  bool certain;         ///< else it must be shown to execute what the baseline says
  std::string next;     ///< where it does not: another commit, not certain either
  std::string why_not;  ///< where there is none, or none executes that
};

Origin origin_of(const RowId& row, const StoredFile& file, const fs::path& source) {
  const std::string revision = revision_of_row(file.content, row);
  std::string named, why_not = "it is not a commit";
  bool gone = false;
  if (std::smatch parts; std::regex_match(revision, parts, std::regex("([0-9a-f]{7,40})(-dirty)?")))
    try {
      named = resolve_revision(source, parts[1]);  // on a branch or not, as after a rebase
      if (!parts[2].matched) return {named, true, "", ""};
      why_not = "it had uncommitted changes";
    } catch (const Error& error) {  // a shallow clone, or another repository's
      why_not = error.what();       // if the other way does not do, either
      gone = true;
    }
  std::string stored = last_change(file.path);  // after a squash it has what is gone
  if (!is_ancestor(source, stored)) stored.clear();
  if (named == stored) named.clear();
  std::string tried;
  if (!stored.empty()) tried = fmt::format("{:.12}, which stored it,", stored);
  if (!named.empty()) tried += fmt::format("{}{:.12}", tried.empty() ? "" : " or of ", named);
  if (!gone && !tried.empty())
    why_not += fmt::format(", and no build of commit {} executes that code here", tried);
  why_not = fmt::format("the baseline in {} was measured at revision \"{}\": {}",
                        file.path.string(), revision, why_not);
  if (stored.empty()) std::swap(stored, named);
  return {stored, false, named, why_not};
}

/// The rows that execute in this program what their stored figures are of.
std::set<RowId> rows_as_stored(const BenchProgram& program, const std::map<RowId, Origin>& rows,
                               const BaselineStore& store, const Fingerprint& here) {
  const auto executed = program.code_identity().digests;
  std::set<RowId> names;
  for (const auto& [row, origin] : rows) {
    const auto found = executed.find(row);
    if (found != executed.end() && found->second == stored_work(row, store, here))
      names.insert(row);
  }
  return names;
}

class AgainstBuilds {
 public:
  AgainstBuilds(const Differing& differing, const BaselineStore& store,
                const AgainstBaselineOptions& options)
      : differing_(differing), store_(store), options_(options) {}

  AgainstBaselines run() {
    try {
      build_ = build_of_program(options_.bench.program, options_.build);
      build_.options.progress = options_.progress;
    } catch (const Error& error) {
      leave(differing_.rows.size(), error.what());
      return {};
    }
    until_interruption([&] {
      for (by_commit(); !pending_.empty() && interruption() == 0;) {
        const auto first = pending_.extract(pending_.begin());
        compare(first.key(), first.mapped());
      }
    });
    return std::move(found_);
  }

 private:
  using Rows = std::map<RowId, Origin>;

  void leave(std::size_t rows, const std::string& why) const {
    options_.progress(fmt::format("{} row{} compared with stored figures only: {}", rows,
                                  rows == 1 ? " is" : "s are", why));
  }

  void by_commit() {
    Rows rows;
    for (const RowId& row : differing_.rows)
      rows[row] = origin_of(row, *store_.find(row, differing_.here), build_.repository);
    put_off(std::move(rows));
  }

  /// Until their commit is built; says why of those that have none.
  void put_off(Rows rows) {
    std::map<std::string, std::size_t> without;
    for (auto& [row, origin] : rows)
      if (origin.commit.empty())
        ++without[origin.why_not];
      else
        pending_[origin.commit][row] = origin;
    for (const auto& [why, count] : without) leave(count, why);
  }

  void compare(const std::string& commit, const Rows& rows) {
    std::unique_ptr<BenchProgram> before;
    std::set<RowId> names;
    std::string failure;
    try {
      before = program_of(commit, rows, names);
      for (const auto& [row, origin] : rows)
        if (origin.certain) names.insert(row);
    } catch (const Error& error) {
      failure = error.what();
      names.clear();
    }
    Rows others;
    for (const auto& [row, origin] : rows) {
      if (names.count(row)) continue;
      std::string why = origin.why_not;
      if (!failure.empty()) why += (why.empty() ? "" : "; ") + failure;
      others[row] = {origin.next, false, "", why};
    }
    put_off(std::move(others));
    if (names.empty()) return;
    measure(*before, *open_program(options_.bench), commit.substr(0, 12), names);
  }

  std::unique_ptr<BenchProgram> built(const std::string& commit, const BaseBuildOptions& how) {
    return open_program(
        options_.bench.of_base(build_revision(build_.repository, commit, how).programs.front()));
  }

  /// The program of `commit`; `names` receives its rows that execute the stored work. Built without
  /// the parts that the rows do not need, if the rows are then all as stored; this is much faster.
  std::unique_ptr<BenchProgram> program_of(const std::string& commit, const Rows& rows,
                                           std::set<RowId>& names) {
    std::set<RowId> all;
    for (const auto& [row, origin] : rows) all.insert(row);
    const BaseBuildOptions sparing = spared(build_.repository, commit, build_.options, all);
    if (!sparing.off.empty()) {
      auto program = built(commit, sparing);
      names = rows_as_stored(*program, rows, store_, differing_.here);
      if (names.size() == rows.size()) return program;
      options_.progress(
          "rows of that build are not the stored work; building the revision in full");
    }
    auto program = built(commit, build_.options);
    names = rows_as_stored(*program, rows, store_, differing_.here);
    return program;
  }

  void measure(const BenchProgram& before, const BenchProgram& now, const std::string& commit,
               const std::set<RowId>& names) {
    RunOptions run = options_.run;
    run.selection.names = names;
    run.verify_s = 0;  // judged before
    run.seed = random_word();
    run.budget_s = differing_.budget_s * static_cast<double>(names.size()) /
                   static_cast<double>(differing_.rows.size());
    PairOptions pairs;
    pairs.tolerances = stated_tolerances(store_);
    for (const auto& [row, share] : options_.tolerances) pairs.tolerances[row] = share;
    pairs.share_of = differing_.compared;
    pairs.checked = true;
    const auto result = measure_side_by_side(before, now, run, pairs, false, options_.progress);
    for (Facts facts : result.rows) {
      if (!names.count(facts.name) || judge(facts).verdict == Verdict::added) continue;
      facts.against = commit;
      if (const auto row = result.base.rows.find(facts.name); row != result.base.rows.end())
        found_.before.rows[facts.name] = row->second;
      if (const auto row = result.now.rows.find(facts.name); row != result.now.rows.end())
        found_.now.rows[facts.name] = row->second;
      found_.rows.push_back(std::move(facts));
    }
  }

  const Differing& differing_;
  const BaselineStore& store_;
  const AgainstBaselineOptions& options_;
  ProgramBuild build_;
  std::map<std::string, Rows> pending_;  ///< by the commit to build
  AgainstBaselines found_;
};

}  // namespace

AgainstBaselines measure_against_baselines(const Differing& differing, const BaselineStore& store,
                                           const AgainstBaselineOptions& options) {
  return AgainstBuilds(differing, store, options).run();
}

}  // namespace ratchet::gate
