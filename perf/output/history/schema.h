// The tables of the history, and how an older store becomes a current one.
//
//   ratchet_runs      one gate run: UTC time, revision, machine, fingerprint, mode, exit code
//   ratchet_rows      what it said of one row: verdict, effect, throughput, ...
//   ratchet_launches  what one process launch of that row measured
//   ratchet_schema    the versions that this store has been brought to, and when
#pragma once

#include <string>
#include <vector>

#include "perf/output/history/database.h"

namespace ratchet::history {

/// The statements that bring a store from one version to the next.
using Migration = std::vector<std::string>;

/// migrations()[v] leads from version v to v + 1; a new store starts at version 0. Never changed
/// once released, only added to.
const std::vector<Migration>& migrations();

/// A table, with the columns that this ratchet writes.
struct Table {
  std::string name;
  std::vector<std::string> columns;
};

/// ratchet_runs, ratchet_rows, ratchet_launches: each refers to those before it alone.
const std::vector<Table>& tables();

/// "INSERT INTO ... (...) VALUES ($1, ...)": a value for every column of the table, in turn.
std::string insert_into(const Table& table);

/// The version of the store; 0 where it has no tables of ratchet's.
std::size_t schema_version(Database& database);

/// Throws `Error` when the store is of a newer ratchet than one that knows the version `known`.
void refuse_newer(Database& database, std::size_t known = migrations().size());

/// Brings the store to version `wanted.size()`, in one transaction and one process at a time.
/// Throws `Error`, and changes nothing, when the store is newer than that.
void migrate(Database& database, const std::vector<Migration>& wanted = migrations());

}  // namespace ratchet::history
