// Pairs of rows of one thread that are made at once, on a CPU each.
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "correctness/perf/support/fake_program.h"
#include "perf/gate/run/judging.h"
#include "perf/gate/run/session.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::gate {
namespace {

/// Which rows are under way at a time.
struct RowTraffic {
  std::mutex mutex;
  std::multiset<std::string> now;
  std::size_t most_rows = 0;
  std::set<std::string> beside_others;  ///< rows beside which another one was seen
  std::set<std::string> scratch;
  std::map<std::string, std::set<std::optional<int>>> cpus;

  void begins(const std::string& row, const LaunchRequest& request) {
    const std::lock_guard lock(mutex);
    now.insert(row);
    const std::set<std::string> rows(now.begin(), now.end());
    most_rows = std::max(most_rows, rows.size());
    if (rows.size() > 1) beside_others.insert(rows.begin(), rows.end());
    scratch.insert(request.scratch.string());
    cpus[row].insert(request.cpu);
  }
  void ends(const std::string& row) {
    const std::lock_guard lock(mutex);
    now.erase(now.find(row));
  }
};

/// Takes 10 ms a launch.
class Watched final : public FakeProgram {
 public:
  Watched(std::uint64_t seed, RowTraffic& traffic) : FakeProgram(seed), traffic_(traffic) {}
  std::unique_ptr<TurnLaunch> launch_in_turns(const std::string& name,
                                              const LaunchRequest& request) const override {
    traffic_.begins(name, request);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return std::make_unique<Launch>(FakeProgram::launch_in_turns(name, request), name, traffic_);
  }

 private:
  class Launch final : public TurnLaunch {
   public:
    Launch(std::unique_ptr<TurnLaunch> fake, std::string name, RowTraffic& traffic)
        : fake_(std::move(fake)), name_(std::move(name)), traffic_(traffic) {}
    ~Launch() override { traffic_.ends(name_); }
    double prepared() override { return fake_->prepared(); }
    void begin(std::size_t samples) override { fake_->begin(samples); }
    bool run(const Turn& turn) override { return fake_->run(turn); }
    void conclude() override { fake_->conclude(); }
    LaunchOutcome outcome() override { return fake_->outcome(); }

   private:
    std::unique_ptr<TurnLaunch> fake_;
    std::string name_;
    RowTraffic& traffic_;
  };
  RowTraffic& traffic_;
};

class Lanes : public testing::Test {
 protected:
  Lanes() : before_(1, traffic_), now_(2, traffic_) {
    for (const char* row : {"a/cpu/01", "a/cpu/02", "a/cpu/03", "a/cpu/04", "a/cpu/05"}) {
      before_.rows[row] = now_.rows[row] = {};
      before_.turns[row] = now_.turns[row] = Cpus::one;
    }
    before_.rows["a/cpu/09"] = now_.rows["a/cpu/09"] = {};
    before_.turns["a/cpu/09"] = now_.turns["a/cpu/09"] = Cpus::all;
    before_.rows["a/cpu/10"] = now_.rows["a/cpu/10"] = {};
    before_.turns["a/cpu/10"] = now_.turns["a/cpu/10"] = Cpus::one_for_all_threads;
  }
  Session session(std::size_t lanes) {
    SessionOptions options;
    options.lanes = lanes;
    return Session({{"base", &before_}, {"new", &now_}}, options,
                   [&](const std::string& line) { said_ += line + "\n"; });
  }
  RowTraffic traffic_;
  Watched before_, now_;
  std::string said_;
};

TEST_F(Lanes, S44RowsOfOneThreadAreMeasuredAtOnceAndThoseOfMoreAlone) {
  Session session = this->session(3);
  session.measure(session.alive(), 4);
  EXPECT_EQ(traffic_.most_rows, 3u);
  EXPECT_EQ(traffic_.beside_others.size(), 5u);
  EXPECT_EQ(traffic_.beside_others.count("a/cpu/09"), 0u);
  EXPECT_EQ(traffic_.beside_others.count("a/cpu/10"), 0u);
  EXPECT_EQ(traffic_.scratch.size(), 3u * 2);  // a file of its own for each process at a time
  for (const std::string& row : session.rows())
    for (const std::size_t side : {0u, 1u})
      EXPECT_EQ(session.measured(side).rows.at(row).launches.size(), 4u) << row;
}

TEST_F(Lanes, S44ByDefaultThereIsOneACpu) {
  Session session = this->session(0);
  const std::vector<int> cpus = timing::allowed_cpus();
  EXPECT_EQ(session.lanes(), std::min<std::size_t>(8, cpus.size()));
  session.measure(session.alive(), 3);
  for (const auto& [row, used] : traffic_.cpus)
    for (const auto& cpu : used) EXPECT_TRUE(std::count(cpus.begin(), cpus.end(), cpu)) << row;
}

TEST_F(Lanes, EachRowGetsThePairsThatItLacks) {
  Session session = this->session(2);
  session.measure_beside({{"a/cpu/01", 1}, {"a/cpu/02", 6}, {"a/cpu/03", 0}});
  EXPECT_EQ(session.clean_launches("a/cpu/01"), 1u);
  EXPECT_EQ(session.clean_launches("a/cpu/02"), 6u);
  EXPECT_EQ(session.clean_launches("a/cpu/03"), 0u);
  EXPECT_GT(session.launch_s("a/cpu/02"), 0.02);
}

TEST_F(Lanes, ARowThatFailsCostsItselfAlone) {
  now_.rows["a/cpu/02"].fails = "gone";
  Session session = this->session(2);
  session.measure(session.alive(), 3);
  EXPECT_EQ(session.failures().count("a/cpu/02"), 1u);
  EXPECT_EQ(session.failures().size(), 1u);
  EXPECT_EQ(session.clean_launches("a/cpu/03"), 3u);
}

TEST_F(Lanes, S44TheVerdictsAreThoseOfTheirOwnPairs) {
  now_.rows["a/cpu/03"].speed *= 0.9;
  Session session = this->session(3);
  session.check();
  std::map<std::string, Verdict> verdicts;
  for (const RowReport& report : measure_and_judge_pairs(session, {}))
    verdicts[report.name] = report.verdict;
  ASSERT_EQ(verdicts.size(), session.rows().size());
  for (const auto& [row, verdict] : verdicts)
    EXPECT_EQ(verdict, row == "a/cpu/03" ? Verdict::slower : Verdict::same) << row;
  EXPECT_EQ(traffic_.most_rows, 3u);
}

}  // namespace
}  // namespace ratchet::gate
