// Prints a table of facts of the values, as it is stored: rounds, places or sums (../facts.h).
#include <cstdio>
#include <string>

#include "correctness/officers/checks/facts.h"
#include "correctness/officers/checks/oracle.h"

int main(int count, char** arguments) {
  using namespace ratchet::officers;
  const std::string table = count == 2 ? arguments[1] : "";
  std::string text;
  if (table == "rounds") text = rounds_table(oracle_values());
  if (table == "places") text = places_table(oracle_values());
  if (table == "sums") text = sums_table(oracle_values());
  if (text.empty()) {
    std::fputs("officers_facts: name a table: rounds, places or sums\n", stderr);
    return 2;
  }
  std::fputs(text.c_str(), stdout);
}
