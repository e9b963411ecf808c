// Prints correctness/officers/facts.tsv.
#include <cstdio>

#include "correctness/officers/facts.h"
#include "correctness/officers/oracle.h"

int main() {
  std::fputs(ratchet::officers::facts(ratchet::officers::oracle_values()).c_str(), stdout);
}
