// The facts of rows whose other side is stored: of measured rows, and of failed, missing and
// unavailable ones.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/store.h"
#include "perf/gate/rule/facts.h"

namespace ratchet::gate {

/// What this build executes, as known without a clock.
struct Executed {
  std::map<std::string, std::string> code;  ///< by stage, hashes of the device code
  std::map<std::string, std::string> work;  ///< by row, digests of everything in the timed act
  /// Rows whose recorded GPU work differs from the baseline's, though their digests are the same.
  std::set<std::string> launched_otherwise;
  nlohmann::json context;  ///< the program's machine and build; null where unknown
};

/// The rows of identical work with their baseline; `here`: only baselines of this fingerprint, or
/// all while it is not known.
std::set<std::string> identical_rows(const std::set<std::string>& rows, const Executed& executed,
                                     const BaselineStore& store, const Fingerprint* here);

/// The rows that are known to execute something else than their baseline's build did.
std::set<std::string> differing_rows(const std::set<std::string>& rows, const Executed& executed,
                                     const BaselineStore& store, const Fingerprint& here);

/// The stored digest of what a row's baseline executed; empty where there is none.
std::string stored_work(const std::string& row, const BaselineStore& store,
                        const Fingerprint& here);

/// Sets the digests of what the rows executed, where known.
void state_work(std::vector<Facts>& rows, const std::map<std::string, std::string>& digests);

/// Adds the failed, unverified and skipped rows.
void add_failures(std::vector<Facts>& rows, const std::map<std::string, Failure>& failures);

/// The rows that have a baseline under this fingerprint.
std::set<std::string> compared_rows(const std::set<std::string>& rows, const BaselineStore& store,
                                    const Fingerprint& here);

/// By device, how far measured rows of identical work moved from their baselines: ln of the ratio
/// of medians.
std::map<Device, std::vector<double>> controls_of(const std::set<std::string>& identical,
                                                  const Measurements& now,
                                                  const BaselineStore& store);

/// What a measured row is compared with when its other side is stored.
struct StoredSide {
  const BaselineStore& store;
  Fingerprint here;         ///< of this machine and build
  stats::Analysis against;  ///< for rows with a baseline
  stats::Analysis itself;   ///< for rows without one, which are compared with themselves
  /// ln(now / stored) of rows of identical work, by device.
  std::map<Device, std::vector<double>> controls = {};
  std::map<std::string, double> tolerances = {};  ///< by row; they override those of baselines
};

/// The facts of one measured row. With a baseline it is compared with that. Without one it is new,
/// or, where nothing of this fingerprint is stored for the device, compared with itself.
Facts stored_facts(const Row& now, const StoredSide& stored, const Executed& executed);

/// Adds rows without a measurement: rows of this machine's baselines that are missing, rows that
/// only other machines have baselines of, and stages that cannot run here (`unavailable`, with the
/// reason). A stage with a baseline here that can no longer run is missing. `covered`: the names
/// that the run's filter selects; other stored rows are not missing.
void add_absent(std::vector<Facts>& rows, const BaselineStore& store, const Fingerprint& here,
                const std::map<std::string, std::string>& unavailable,
                const std::set<std::string>& covered);

}  // namespace ratchet::gate
