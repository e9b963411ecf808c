// Builds without libpq know PostgreSQL by name only.
#include "kernels/support/error.h"
#include "perf/history/database.h"

namespace ratchet::history {

std::unique_ptr<Database> open_postgres(const std::string&, Access, int) {
  throw Error(
      "this ratchet was built without PostgreSQL; install libpq-dev and build it again, or "
      "name a file");
}

}  // namespace ratchet::history
