// What is known of the rows of a run whose other side is stored: measured rows and those that
// nobody measured, stored, failed, missing or unavailable.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/store.h"
#include "perf/gate/rule/facts.h"

namespace ratchet::gate {

/// What is known, without a clock, of what this build executes.
struct Executed {
  std::map<std::string, std::string> code;  ///< by stage, hashes of the device code
  std::map<std::string, std::string> work;  ///< by row, digests of everything in the timed act
  /// Rows whose GPU was given other work than its records tell of the baseline's, though their
  /// digests are the same.
  std::set<std::string> launched_otherwise;
  nlohmann::json context;  ///< what the program says of machine and build; null where nothing
};

/// The rows that execute what their baseline's build executed; `here`: of baselines of this
/// fingerprint, or of any while it is not known.
std::set<std::string> identical_rows(const std::set<std::string>& rows, const Executed& executed,
                                     const BaselineStore& store, const Fingerprint* here);

/// The rows of which it is known that they execute something else than their baseline's build did.
std::set<std::string> differing_rows(const std::set<std::string>& rows, const Executed& executed,
                                     const BaselineStore& store, const Fingerprint& here);

/// The digest of what a row's baseline executed; empty where it is not stored.
std::string stored_work(const std::string& row, const BaselineStore& store,
                        const Fingerprint& here);

/// Gives rows the digests of what they executed, where known.
void state_work(std::vector<Facts>& rows, const std::map<std::string, std::string>& digests);

/// Failed and unverified rows.
void add_failures(std::vector<Facts>& rows, const std::map<std::string, Failure>& failures);

/// The rows that have a baseline under this fingerprint.
std::set<std::string> compared_rows(const std::set<std::string>& rows, const BaselineStore& store,
                                    const Fingerprint& here);

/// By how much measured rows of identical work moved against their baselines: ln of the ratio of
/// medians, by device.
std::map<Device, std::vector<double>> controls_of(const std::set<std::string>& identical,
                                                  const Measurements& now,
                                                  const BaselineStore& store);

/// What a measured row is judged by when its other side is stored.
struct StoredSide {
  const BaselineStore& store;
  Fingerprint here;         ///< of this machine and build
  stats::Analysis against;  ///< of rows that have a baseline
  stats::Analysis itself;   ///< of rows that have none, and are compared with themselves
  /// ln(now / stored) of rows of identical work, by device.
  std::map<Device, std::vector<double>> controls = {};
  std::map<std::string, double> tolerances = {};  ///< of rows, before what their baselines state
};

/// Of one measured row: with its baseline, new beside others of this machine, of whatever family,
/// or, where nothing of this fingerprint is stored, with itself.
Facts stored_facts(const Row& now, const StoredSide& stored, const Executed& executed);

/// Adds the rows that nobody measured: stored ones, missing from this machine's baseline or known
/// from other machines only, and stages that cannot run here (`unavailable`, with the reason). A
/// stage that ran here once and no longer can is missing, too. `covered`: the names that the run's
/// filter covers; stored rows outside it are not missed.
void add_absent(std::vector<Facts>& rows, const BaselineStore& store, const Fingerprint& here,
                const std::map<std::string, std::string>& unavailable,
                const std::set<std::string>& covered);

}  // namespace ratchet::gate
