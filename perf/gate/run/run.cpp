#include "perf/gate/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "perf/gate/run/run_options.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/suggestion.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {
namespace {

std::vector<Listing> list_all(const std::vector<Side>& sides) {
  std::vector<Listing> listings;
  for (const Side& side : sides) {
    const Phase listing("listing the rows of " + shown_path(side.program->path()));
    listings.push_back(side.program->list());
  }
  return listings;
}

}  // namespace

void Progress::tell(const std::string& line, double least_s, double most_s) {
  const double now_s = seconds_now();
  standing_ = {line, Forecast{now_s + least_s, now_s + most_s}};
  show("");
}

void Progress::clear() {
  standing_ = {};
  show("");
}

Run::Run(std::vector<Side> sides, RunOptions options, Progress::Line progress)
    : sides_(std::move(sides)),
      options_(std::move(options)),
      budget_(options_.budget_s),
      progress_(std::move(progress)),
      selection_(list_all(sides_), options_.selection),
      ledger_(sides_, selection_.rows(), options_.gpus.size() > 1, progress_),
      checker_(sides_, options_.verify_s, ledger_, budget_, progress_),
      launcher_(sides_, options_, selection_.rows(), checker_, ledger_, budget_, progress_),
      scheduler_(sides_.size(), options_, launcher_, ledger_, budget_, progress_) {}

namespace {

/// A row of several processes takes a whole machine, or several: it is measured where backend or
/// filter ask for it.
bool asked_for(const RowId& row, const SelectionOptions& options) {
  if (!options.backend.empty()) return row.backend() == options.backend;
  return row.backend() != "mpi" || options.filter.find("mpi") != std::string::npos;
}

/// A row's name without the program's before it.
std::string without(const std::string& program, const RowId& row) {
  const bool named = !program.empty() && row.text().starts_with(program + "/");
  return named ? row.text().substr(program.size() + 1) : row.text();
}

std::set<std::string> known_to(const std::vector<Listing>& listings) {
  std::set<std::string> names;
  for (const Listing& listing : listings) {
    for (const RowId& row : listing.rows) {
      names.insert(row);
      names.insert(without(listing.name, row));
    }
    for (const auto& [stage, reason] : listing.unavailable) names.insert(stage);
  }
  return names;
}

/// Of a command the names themselves.
std::string where_rows_are_listed(const Listing& listing) {
  if (!listing.command)
    return fmt::format("`{} {}` lists them", listing.program, listing.list_flag);
  std::string names;
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, listing.rows.size()); ++i)
    names += (i > 0 ? ", " : "") + listing.rows[i].text();
  return "it has " + names + (listing.rows.size() > most ? " and more" : "");
}

}  // namespace

std::set<RowId> minus(const std::set<RowId>& a, const std::set<RowId>& b) {
  std::set<RowId> rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(rest, rest.end()));
  return rest;
}

Selection::Selection(const std::vector<Listing>& listings, SelectionOptions options)
    : options_(std::move(options)),
      filter_(options_.filter, known_to(listings)),
      name_(listings.back().name) {
  for (const Listing& listing : listings)
    metrics_.insert(listing.metrics.begin(), listing.metrics.end());
  std::vector<std::set<RowId>> listed;
  for (const Listing& listing : listings) {
    listed.emplace_back();
    for (const RowId& name : listing.rows) {
      if (selects(name) && !listed.back().insert(name).second)
        throw Error(fmt::format("the benchmark program lists {} twice; rename one", name));
    }
  }
  for (std::size_t i = 0; i < listed.size(); ++i)
    only_in_.push_back(listed.size() < 2 ? std::set<RowId>() : minus(listed[i], listed[1 - i]));
  rows_ = minus(listed.front(), only_in_.front());
  for (const RowId& name : listings.back().rows) families_.insert(name.family());
  for (const auto& [name, reason] : listings.back().unavailable) {
    families_.insert(name.family());
    if (selects(name)) unavailable_[name] = reason;
  }
  const bool any =
      std::any_of(listed.begin(), listed.end(), [](const auto& l) { return !l.empty(); });
  for (const Listing& listing : listings)
    if (known_to({listing}).empty())
      throw Error(listing.program +
                  " has no benchmarks; is it a Google Benchmark or nvbench program?");
  if (!any && unavailable_.empty())
    throw Error(
        fmt::format("no row {}{}; {}{}",
                    options_.filter.empty() ? "is" : "matches filter \"" + options_.filter + "\"",
                    options_.backend.empty()  ? ""
                    : options_.filter.empty() ? " of backend " + options_.backend
                                              : " and backend " + options_.backend,
                    where_rows_are_listed(listings.back()),
                    did_you_mean_row(options_.filter, known_to(listings))));
}

bool Selection::knows_kin_of(const RowId& name) const { return families_.count(name.family()) > 0; }

bool Selection::selects(const RowId& name) const {
  const auto of = metrics_.find(name);
  if (of == metrics_.end() || options_.names) return selects_name(name);
  const bool row = of->second.empty() || selects_name(of->second);
  return options_.filter.starts_with('-') ? row && selects_name(name) : row || selects_name(name);
}

bool Selection::selects_name(const RowId& name) const {
  if (options_.names) return options_.names->count(name) > 0;
  // Other programs have no backends, whatever their names are made of.
  if ((name_.empty() || !options_.backend.empty()) && !asked_for(name, options_)) return false;
  const bool whole = filter_.selects(name), bare = filter_.selects(without(name_, name));
  return options_.filter.starts_with('-') ? whole && bare : whole || bare;
}

}  // namespace ratchet::gate
