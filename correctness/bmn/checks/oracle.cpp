#include "correctness/bmn/checks/oracle.h"

#include <fstream>

#include "correctness/support/data_file.h"
#include "perf/support/error.h"

namespace ratchet::bmn {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char symbol : line) {
    if (symbol == '\t')
      fields.emplace_back();
    else
      fields.back() += symbol;
  }
  return fields;
}

}  // namespace

std::vector<OracleRow> oracle(const std::string& name) {
  const std::string path = correctness::data_file("bmn/oracles/" + name);
  std::ifstream file = correctness::open_data_file("bmn/oracles/" + name);
  std::vector<OracleRow> rows;
  std::vector<std::string> columns;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#deal\t")) line.erase(0, 1);
    if (line.empty() || line.starts_with("# ")) continue;
    std::vector<std::string> fields = fields_of(line);
    if (columns.empty()) {
      columns = std::move(fields);
      continue;
    }
    if (fields.size() > columns.size())
      throw Error(path + " has a row of " + std::to_string(fields.size()) + " fields under " +
                  std::to_string(columns.size()) + " columns: " + line);
    fields.resize(columns.size());  // empty fields at the end may be cut
    OracleRow row;
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = fields[i];
    rows.push_back(std::move(row));
  }
  if (rows.empty()) throw Error(path + " holds no rows");
  return rows;
}

}  // namespace ratchet::bmn
