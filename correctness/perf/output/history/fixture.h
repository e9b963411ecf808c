// Runs to record, and a store of either kind for each test.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

#include "correctness/perf/output/history/postgres_server.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/output/history/store.h"
#include "perf/support/clock.h"

namespace ratchet::history {

/// Results of a gate run as it leaves them: one row, `launches` launches of 1000 units.
inline Measurements results_of(const std::string& row, double throughput,
                               const std::string& verdict = "same", int launches = 3,
                               const std::string& cpu = "Box") {
  Measurements results;
  results.context = {{"cpu.model", cpu},
                     {"cpu.cores", "2"},
                     {"os.kernel", "Test 1"},
                     {"ratchet",
                      {{"format", 1},
                       {"revision", "abc123"},
                       {"rows",
                        {{row,
                          {{"verdict", verdict},
                           {"ratio", 0.99},
                           {"low", 0.98},
                           {"high", 1.01},
                           {"tolerance", 0.03},
                           {"reason", "for a test"}}}}}}}};
  Row& measured = results.rows[row];
  measured.name = row;
  for (int i = 0; i < launches; ++i) {
    const double figure = throughput * (1 + 0.001 * (i - (launches - 1) / 2.0));
    measured.launches.push_back(
        {i, 1e6 / figure, 0, 1, {{"units", 1000}, {"units_per_second", figure}, {"verified", 1}}});
  }
  return results;
}

inline RunRecord run_at(const std::string& time, double throughput,
                        const std::string& row = "demo/cpu/01_a", const std::string& cpu = "Box") {
  RunFacts facts;
  facts.time = *utc_time(time);
  facts.exit_code = 0;
  return record_of(results_of(row, throughput, "same", 3, cpu), facts);
}

/// The message of the Error that `act` throws, in one line; "no error" when it throws none.
inline std::string message(const std::function<void()>& act) {
  const std::string message = error_of(act);
  EXPECT_LACKS(message, '\n');
  return message;
}

/// Runs `act` in a process of its own, which ends without tidying up what it shares with this one.
/// Returns waitpid's status: 0 when `act` returned and threw nothing.
inline pid_t in_a_child(const std::function<void()>& act) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    act();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "child: %s\n", error.what());
    _exit(1);
  }
  _exit(0);
}
inline int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

class EachStore : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "sqlite") {
      location_ = (folder_.path() / "below" / "history.sqlite").string();
    } else {
      PostgresServer* server = PostgresServer::instance();
      if (!server) GTEST_SKIP() << PostgresServer::why_not();
      location_ = server->fresh_url();
    }
  }
  HistoryStore writer() const { return open_store(location_, Access::write); }
  HistoryStore reader() const { return open_store(location_, Access::read); }

  std::string location_;
  ScratchFolder folder_;
};

#define ON_BOTH_STORES(suite)                                                    \
  INSTANTIATE_TEST_SUITE_P(Both, suite, testing::Values("sqlite", "postgresql"), \
                           [](const auto& info) { return std::string(info.param); })

}  // namespace ratchet::history
