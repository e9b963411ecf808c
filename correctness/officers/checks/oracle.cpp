#include "correctness/officers/checks/oracle.h"

#include <fstream>
#include <string>

#include "correctness/support/data_file.h"
#include "perf/support/error.h"

namespace ratchet::officers {
namespace {

std::ifstream open(const char* name) {
  return correctness::open_data_file(std::string("officers/oracles/") + name);
}

}  // namespace

const std::vector<std::uint16_t>& oracle_values() {
  static const std::vector<std::uint16_t> values = [] {
    std::ifstream in = open("first_131072.txt");
    std::vector<std::uint16_t> read;
    for (std::uint16_t value; in >> value;) read.push_back(value);
    if (read.size() != 131072) throw Error("first_131072.txt: not as many values as its name says");
    return read;
  }();
  return values;
}

const std::vector<Rare>& oracle_rares() {
  static const std::vector<Rare> rares = [] {
    std::ifstream in = open("rare_1584.tsv");
    std::string header;
    std::getline(in, header);
    std::vector<Rare> read;
    for (Rare rare; in >> rare.position >> rare.value;) read.push_back(rare);
    return read;
  }();
  return rares;
}

State oracle_state(std::uint64_t next, std::uint64_t reach) {
  State state = initial_state(reach);
  state.append(
      {oracle_values().begin(), oracle_values().begin() + static_cast<std::ptrdiff_t>(next)});
  return state;
}

}  // namespace ratchet::officers
