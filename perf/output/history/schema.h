// The tables of the history, and the migration of older stores.
//
//   ratchet_runs      one gate run: UTC time, revision, machine, fingerprint, mode, exit code
//   ratchet_rows      the run's verdict on one row, with effect, throughput, ...
//   ratchet_launches  the measurement of one process launch of that row
//   ratchet_schema    the versions of this store, and when each was reached
#pragma once

#include <string>
#include <vector>

#include "perf/output/history/database.h"

namespace ratchet::history {

/// The statements that bring a store from one version to the next.
using Migration = std::vector<std::string>;

/// migrations()[v] leads from version v to v + 1; a new store starts at version 0. A released
/// migration never changes; new ones are appended.
const std::vector<Migration>& migrations();

/// A table, with the columns that this ratchet writes.
struct Table {
  std::string name;
  std::vector<std::string> columns;
};

/// ratchet_runs, ratchet_rows, ratchet_launches: each refers only to earlier ones.
const std::vector<Table>& tables();

/// "INSERT INTO ... (...) VALUES ($1, ...)", with a value for every column in order.
std::string insert_into(const Table& table);

/// The version of the store; 0 without ratchet's tables.
std::size_t schema_version(Database& database);

/// Throws `Error` if the store's version is newer than `known`.
void refuse_newer(Database& database, std::size_t known = migrations().size());

/// Migrates the store to version `wanted.size()` in one exclusive transaction. Throws `Error`, and
/// changes nothing, if the store is newer.
void migrate(Database& database, const std::vector<Migration>& wanted = migrations());

}  // namespace ratchet::history
