#include "perf/gate/bisect/bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "kernels/contract/counted.h"
#include "perf/gate/bisect/build_cache.h"
#include "perf/gate/bisect/report.h"
#include "perf/gate/bisect/search.h"
#include "perf/gate/bisect/state.h"
#include "perf/gate/outcome.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/identity/build/build_options.h"
#include "perf/identity/explain/comparison.h"
#include "perf/support/files.h"
#include "perf/support/git.h"
#include "perf/support/hash.h"
#include "perf/support/interruption.h"

namespace ratchet::bisect {
namespace {

namespace fs = std::filesystem;
using gate::Verdict;

constexpr const char* first_analysis = "whether it is slower";

/// The revisions that change files of the build, each with the commits after it that do not.
std::vector<Step> steps_of(const std::vector<Revision>& history) {
  std::vector<Step> steps;
  for (const Revision& each : history) {
    if (steps.empty() || steps.back().revision.key != each.key)
      steps.push_back({each, {}});
    else
      steps.back().unchanged.push_back(each.commit);
  }
  return steps;
}

/// Those of both builds and those of one that are asked for.
gate::Selection selection_of(const BisectOptions& options, const BuildRecord& good,
                             const BuildRecord& bad, const fs::path& program) {
  gate::Selection selection(
      {{good.rows, {}, options.bench.name}, {bad.rows, {}, options.bench.name, program.string()}},
      options.run.selection);
  if (selection.rows().empty() && options.run.selection.filter.empty())
    throw Error(fmt::format("GOOD ({}) has no row of BAD; name a later GOOD", options.good));
  return selection;
}

/// The parts of "A|B" outside of brackets; of another expression itself.
std::vector<std::string> alternatives_of(const std::string& filter) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t i = 0; i < filter.size(); ++i) {
    const char c = filter[i];
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == '|' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
    if (c == '\\' && i + 1 < filter.size()) parts.back() += filter[++i];
  }
  return parts;
}

/// Parts of the filter that select a row of neither build: a row that a user named.
std::vector<std::string> unknown_parts(const BisectOptions& options, const BuildRecord& good,
                                       const BuildRecord& bad, const fs::path& program) {
  std::vector<std::string> unknown;
  const std::string& filter = options.run.selection.filter;
  const std::vector<std::string> parts = alternatives_of(filter);
  if (parts.size() < 2 || filter.starts_with('-')) return unknown;
  for (const std::string& part : parts) try {
      BisectOptions alone = options;
      alone.run.selection.filter = part;
      selection_of(alone, good, bad, program);
    } catch (const Error&) {
      unknown.push_back(part);
    }
  return unknown;
}

class Bisection {
 public:
  Bisection(const BisectOptions& options, State& state, std::vector<Step> steps, BuildCache& cache,
            std::ostream& out)
      : options_(options),
        state_(state),
        steps_(std::move(steps)),
        cache_(cache),
        out_(out),
        conclusion_(steps_, options.commands) {}

  /// What fails after a build is in bisect.json, too: a file without a conclusion is taken for one
  /// of a search that goes on.
  ExitCode run() try { return find(); } catch (const Error& error) {
    if (!state_.builds().empty())
      state_.conclude(conclusion_.failed(error.what(), effort_text(state_, steps_)));
    throw;
  }

 private:
  ExitCode find() {
    if (steps_.size() < 2) return conclude({});
    // BAD first, and alone where it lacks the rows.
    const BuildRecord& bad = build_of_bad();
    const fs::path program = cache_.program(steps_.back().revision);
    try {
      gate::Selection({{bad.rows,
                        {},
                        options_.bench.name,
                        program.string(),
                        {},
                        !options_.bench.command.empty()}},
                      options_.run.selection);
    } catch (const Error& error) {
      throw Error(fmt::format("in BAD ({}) {}", options_.bad, error.what()));
    }
    const BuildRecord& good = build_of_good();
    const gate::Selection selection = selection_of(options_, good, bad, program);
    const std::set<RowId>& selected = selection.rows();
    for (const RowId& row : selection.only_in(1)) conclusion_.add_other(row, only_in_bad());
    for (const RowId& row : selection.only_in(0)) conclusion_.add_other(row, only_in_good());
    for (const std::string& part : unknown_parts(options_, good, bad, program))
      conclusion_.add_other(part, in_neither());
    const std::set<RowId> rows = rows_to_judge(selected, good, bad);
    for (const RowId& row : gate::minus(selected, rows)) conclusion_.add_other(row, identical());
    if (rows.empty()) return conclude({});
    // Half of the error is for the question whether anything is slower, half for where.
    const auto judged = cache_.judge(steps_.front().revision, steps_.back().revision, rows,
                                     first_analysis, {search_error / 2, {}});
    for (const auto& [row, judgement] : judged)
      if (judgement.verdict != Verdict::slower) conclusion_.add_other(row, judgement);
    const std::vector<RowId> slower = slower_rows(judged);
    for (const RowId& row : slower) {
      const Finding finding = search(row, judged.at(row), slower.size());
      report(out_, {row, judged.at(row), finding, steps_}, options_.commands);
      conclusion_.add({row, judged.at(row), finding, steps_});
    }
    return conclude(judged);
  }

  const BuildRecord& build_of_bad() try {
    return cache_.build_or_throw(steps_.back().revision);
  } catch (const Error& error) {
    if (options_.bench.command.empty()) throw;
    throw Error(fmt::format("BAD ({}): {}, or name a BAD in which the command runs", options_.bad,
                            error.what()));
  }

  /// Of a command, one that fails in GOOD is often not there yet.
  const BuildRecord& build_of_good() try {
    return cache_.build_or_throw(steps_.front().revision);
  } catch (const Error& error) {
    if (options_.bench.command.empty()) throw;
    throw Error(fmt::format("GOOD ({}): {}; name a later GOOD, in which the command runs",
                            options_.good, error.what()));
  }

  /// The rows that may execute something else in BAD.
  std::set<RowId> rows_to_judge(std::set<RowId> rows, const BuildRecord& good,
                                const BuildRecord& bad) {
    const auto same = [&](const RowId& row) { return same_work(good, bad, row); };
    std::erase_if(rows, same);
    std::set<RowId> known;  // a row that one side cannot follow is timed, and said once
    for (const auto& [row, digest] : cache_.follow(steps_.back().revision, rows).followed)
      if (rows.contains(row) && !digest.empty()) known.insert(row);
    cache_.follow(steps_.front().revision, known);
    std::erase_if(rows, same);
    return rows;
  }

  /// Says what was found beyond the commits, and keeps all of it with the state of the search.
  ExitCode conclude(const std::map<RowId, Judgement>& judged) {
    const ExitCode code = exit_code_of(judged);
    const bool found = conclusion_.has_commit();
    if (!found) out_ << conclusion_.answer(code).sentence << "\n";
    out_ << others_text(conclusion_.others()) << how_to_decide(judged);
    if (found) out_ << effort_text(state_, steps_) << std::endl;
    state_.conclude(conclusion_.made(code, effort_text(state_, steps_)));
    return code;
  }

  std::string how_to_decide(const std::map<RowId, Judgement>& judged) const {
    const bool undecided = std::any_of(judged.begin(), judged.end(), [](const auto& each) {
      return each.second.ratio.value_or(1) < 1 && each.second.verdict == Verdict::undecided;
    });
    return undecided ? fmt::format("The same command with --budget-s {:.0f} may decide it.\n",
                                   std::min(86400.0, 4 * options_.run.budget_s))
                     : "";
  }

  static std::vector<RowId> slower_rows(const std::map<RowId, Judgement>& judged) {
    std::vector<RowId> rows;
    for (const auto& [row, judgement] : judged)
      if (judgement.verdict == Verdict::slower) rows.push_back(row);
    std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
      return judged.at(a).ratio < judged.at(b).ratio;
    });
    return rows;
  }

  /// That of a gate that undecided rows, and rows that one side lacks, do not pass; a row without
  /// figures has failed.
  ExitCode exit_code_of(const std::map<RowId, Judgement>& judged) const {
    gate::Ending ending;
    if (judged.empty()) ending.verdicts.insert(Verdict::same);  // all rows execute the same
    if (!options_.run.selection.filter.empty())  // without one, only rows of both are meant
      for (const auto& [row, judgement] : conclusion_.others())
        if (judgement.verdict == Verdict::added || judgement.verdict == Verdict::missing)
          ending.verdicts.insert(Verdict::added);
    for (const auto& [row, judgement] : judged)
      ending.verdicts.insert(judgement.ratio ? judgement.verdict : Verdict::failed);
    gate::Policy policy;
    policy.strict = true;
    return gate::exit_code(ending, policy);
  }

  /// Everything the searches of all rows may compare shares the other half of the error.
  double error_each(std::size_t rows) const {
    const double comparisons =
        static_cast<double>(rows * (Search::most_steps(steps_.size() - 1) + 1));
    return search_error / 2 / comparisons;
  }

  Finding search(const RowId& row, const Judgement& total, std::size_t rows) {
    // Whether a revision has the slowdown is whether it is nearer to BAD's speed than to GOOD's.
    constexpr double least = 1e-3;  // from 0, to which no other figure is near
    const Precision precision{error_each(rows),
                              {{row, 1 - std::max(least, std::sqrt(*total.ratio))}}};
    Search search(steps_.size() - 1);
    Finding finding;
    while (const auto next = search.next()) {
      std::string why;
      if (const auto good = is_good(*next, row, search, precision, why)) {
        search.mark(*next, *good);
      } else {
        search.skip(*next);
        finding.skipped[*next] = why;
      }
    }
    finding.last_good = search.last_good();
    finding.first_bad = search.first_bad();
    complete(finding, row, total, rows);
    return finding;
  }

  /// Nothing if it is undecided; `why` states the reason.
  std::optional<bool> is_good(std::size_t index, const RowId& row, const Search& search,
                              const Precision& precision, std::string& why) {
    const auto same_key = [&](std::size_t i) { return key(i) == key(index); };
    if (const auto known = as_known(search, same_key)) return known;
    const BuildRecord& record = cache_.build(revision(index));
    why = record.failure;
    if (!why.empty()) return std::nullopt;
    if (std::find(record.rows.begin(), record.rows.end(), row) == record.rows.end()) {
      why = "this revision does not have the row";
      return std::nullopt;
    }
    const auto& followed = state_.build(steps_.front().revision.commit)->followed;
    if (const auto found = followed.find(row); found != followed.end() && !found->second.empty())
      cache_.follow(revision(index), {row});
    // What executes the same as a revision that is known is as fast as that: no clock is asked.
    const auto same = [&](std::size_t i) { return is_same_work(i, index, row); };
    if (const auto known = as_known(search, same)) return known;
    return measured_good(index, row, precision, why);
  }

  /// The answer of a revision that is the same in what `same` compares.
  template <class Same>
  std::optional<bool> as_known(const Search& search, const Same& same) const {
    for (const std::size_t good : {std::size_t{0}, search.last_good()})
      if (same(good)) return true;
    for (const std::size_t bad : {steps_.size() - 1, search.first_bad()})
      if (same(bad)) return false;
    return std::nullopt;
  }

  std::optional<bool> measured_good(std::size_t index, const RowId& row, const Precision& precision,
                                    std::string& why) {
    const double tolerance = precision.tolerances.at(row);
    const Judgement judgement =
        cache_
            .judge(revision(0), revision(index), {row},
                   fmt::format("where, beyond {:.6f}", tolerance), precision)
            .at(row);
    if (judgement.verdict == Verdict::slower) return false;
    if (judgement.low && *judgement.low > 1 - tolerance) return true;
    why = judgement.ratio ? "undecided whether it is slower; try a larger --budget-s"
                          : judgement.reason;
    return std::nullopt;
  }

  /// Adds the size of the change of this commit, and the difference of the executed code.
  void complete(Finding& finding, const RowId& row, const Judgement& total, std::size_t rows) {
    const Revision before = revision(finding.last_good), now = revision(finding.first_bad);
    // Of a third-party program builds that execute the same may lie elsewhere in memory, and so run
    // at other speeds.
    const bool ends = finding.last_good == 0 && finding.first_bad == steps_.size() - 1;
    const bool own = options_.bench.command.empty() && gate::knows_ratchet(cache_.program(now));
    const bool all = ends || (own && is_same_work(finding.last_good, 0, row) &&
                              is_same_work(finding.first_bad, steps_.size() - 1, row));
    finding.size =
        all ? total : cache_.judge(before, now, {row}, "how much", {error_each(rows), {}}).at(row);
    if (!own) return;  // its build is not known
    explain::Comparison comparison(cache_.program(before), cache_.program(now));
    finding.reasons = comparison.reasons(row);
  }

  const std::string& key(std::size_t index) const { return steps_[index].revision.key; }

  /// The revision of a step, or one that builds the same and is built already.
  const Revision& revision(std::size_t index) const {
    for (const Step& each : steps_) {
      const BuildRecord* record = state_.build(each.revision.commit);
      if (each.revision.key == key(index) && record && record->failure.empty())
        return each.revision;
    }
    return steps_[index].revision;
  }

  /// Whether the row executes the same at two steps; false where that is not known.
  bool is_same_work(std::size_t one, std::size_t other, const RowId& row) const {
    if (one == other) return true;
    const BuildRecord *a = state_.build(revision(one).commit),
                      *b = state_.build(revision(other).commit);
    return a && b && same_work(*a, *b, row);
  }

  const BisectOptions& options_;
  State& state_;
  std::vector<Step> steps_;
  BuildCache& cache_;
  std::ostream& out_;
  Conclusion conclusion_;
};

/// What the builds are made by, in short.
std::string build_key(const gate::BaseBuildOptions& build) {
  std::string words = build.target + build.command;
  for (const std::string& word : build.configure) words += " " + word;
  for (const std::string& word : build.off) words += " -" + word;
  const std::string more = words.empty() ? "" : " " + fnv1a(words);
  if (!build.command.empty()) return more;
  return read_build_options(build.like.empty() ? cache_of_this_build() : build.like).key() + more;
}

std::string options_text(const BisectOptions& options) {
  return fmt::format("build {}, backend {}, tolerance {}{}{}", build_key(options.build),
                     options.run.selection.backend, options.tolerance.value_or(0),
                     options.bench.name.empty() ? "" : ", program " + options.bench.name,
                     gate::clock_words(options.bench.clock)) +
         (options.bench.command.empty() ? "" : ", command " + options.bench.command) +
         (options.bench.direction == Better::larger    ? ", larger"
          : options.bench.direction == Better::smaller ? ", smaller"
                                                       : "");
}

}  // namespace

ExitCode run_bisect(const BisectOptions& options, std::ostream& out, std::ostream& progress) {
  const BuildCache::Say say = [&progress](const std::string& line) {
    progress << "ratchet: " << line << std::endl;
  };
  const Question question{resolve_revision(options.repository, options.good),
                          resolve_revision(options.repository, options.bad),
                          options.run.selection.filter, options_text(options)};
  const std::vector<Revision> history =
      history_between(options.repository, question.good, question.bad,
                      options.bench.command.empty() ? Reads::build : Reads::all_files);
  const FolderLock lock(options.results, "measuring");
  require_writable(options.results);
  const fs::path file = options.results / "bisect.json";
  if (options.anew) fs::remove(file);
  State state(file, question);
  if (state.resumed())
    say(fmt::format(
        "resuming from {}: {} and {} are done{}", file.string(),
        counted(state.builds().size(), "revisions"), counted(state.judgements(), "comparisons"),
        state.failed_builds() == 0 ? ""
                                   : fmt::format("; {} of them did not build, --anew tries again",
                                                 state.failed_builds())));
  std::vector<Step> steps = steps_of(history);
  say(fmt::format("{} commit{}, {} of them change files of the build", history.size() - 1,
                  history.size() == 2 ? "" : "s", steps.size() - 1));
  BuildCache cache(options, state, say);
  try {
    return Bisection(options, state, std::move(steps), cache, out).run();
  } catch (const Interrupted&) {
    keep_results();
    const std::size_t builds = state.builds().size(), comparisons = state.judgements();
    if (!fs::exists(file))
      out << "INTERRUPTED before a build was finished; the same command starts anew.\n";
    else
      out << fmt::format(
          "INTERRUPTED: {} keeps {} and {}; {} goes on from there, and begins an unfinished "
          "comparison anew.\n",
          file.string(), counted(builds, "builds"), counted(comparisons, "comparisons"),
          options.anew ? "without --anew, which would discard them, `" + options.resume + "`"
                       : "the same command");
    return after_interruption(interruption());
  }
}

}  // namespace ratchet::bisect
