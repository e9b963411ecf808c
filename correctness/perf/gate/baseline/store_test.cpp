// perf/baseline: finding baselines, and moving them.
#include "perf/gate/baseline/store.h"

#include <vector>

#include "correctness/perf/gate/baseline/baseline_fixture.h"
#include "perf/gate/baseline/accept.h"
#include "perf/gate/baseline/verdict.h"

namespace ratchet {
namespace {

TEST(MachineFingerprint, AllGpusCountWhereNobodyKnowsWhatIsUsed) {
  const Fingerprint stored{{{"cpu.model", "A"}, {"machine.gpus", "NVIDIA H200, driver 1, 700 W"}}};
  Fingerprint here = stored;
  EXPECT_TRUE(stored.matches(here, RowId("my_bench/Copy").device()));
  here.fields["machine.gpus"] = "NVIDIA H100, driver 1, 700 W";
  const auto differences = stored.differences(here, RowId("my_bench/Copy").device());
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].field, "machine.gpus");
  here.fields.erase("machine.gpus");
  EXPECT_FALSE(stored.matches(here, RowId("my_bench/Copy").device()));
}

TEST_F(Baseline, StoreFindsByFingerprintNotByFolder) {
  write(folder() / "some-name" / "demo.json", document(launch("demo/cpu/01_a", 0)));
  write(folder() / "other" / "demo.json", document(launch("demo/cpu/01_a", 0), "Other"));
  write(folder() / "other" / "demo_timesink.json", "not a baseline");
  write(folder() / "other" / "demo_build_settings.json", "not a baseline");
  write(folder() / "published" / "demo.json", "not a baseline");
  const BaselineStore store(folder());
  EXPECT_EQ(store.files().size(), 2u);
  const Fingerprint here{{{"cpu.model", "Box"}, {"cpu.cores", "2"}, {"gpu.model", "G"}}};
  ASSERT_TRUE(store.find("demo", Device::cpu, here));
  EXPECT_EQ(store.find("demo", Device::cpu, here)->machine, "some-name");
  EXPECT_FALSE(store.find("demo", Device::gpu, here));  // holds no GPU rows
  EXPECT_FALSE(store.find("life", Device::cpu, here));
  EXPECT_FALSE(store.find("demo", Device::cpu, Fingerprint{{{"cpu.model", "Third"}}}));
  EXPECT_TRUE(BaselineStore(folder() / "absent").files().empty());
}

TEST_F(Baseline, StoreRefusesTwinsAndStrangers) {
  write(folder() / "a" / "demo.json", document(launch("demo/cpu/01_a", 0)));
  write(folder() / "b" / "demo.json", document(launch("demo/cpu/01_a", 0)));
  const BaselineStore twins(folder());
  const Fingerprint here{{{"cpu.model", "Box"}, {"cpu.cores", "2"}}};
  const std::string what = error_of([&] { twins.find("demo", Device::cpu, here); });
  EXPECT_SAYS(what, (folder() / "a" / "demo.json").string());
  EXPECT_SAYS(what, (folder() / "b" / "demo.json").string());
  write(folder() / "b" / "demo.json", document(launch("life/cpu/01_a", 0)));
  EXPECT_SAYS(error_of([&] { BaselineStore store(folder()); }), "life/cpu/01_a");
}

/// Results of a gate run over these rows, all of one verdict.
Measurements results(const std::string& text, const std::string& verdict, const fs::path& file) {
  write(file, text);
  Measurements measured = read_measurements(file);
  for (const auto& [name, row] : measured.rows)
    measured.context["ratchet"]["rows"][name] = {{"verdict", verdict}};
  measured.context["ratchet"]["revision"] = "0123456789ab";
  return measured;
}

AcceptRequest request(std::vector<std::string> rows = {}) {
  return {std::move(rows), "because", "", "2026-01-01T00:00:00Z"};
}

TEST_F(Baseline, AcceptRefusesUnfitRows) {
  const fs::path scratch = folder() / "r" / "results.json";
  const BaselineStore store(folder() / "baselines");
  for (const char* verdict : {"failed", "unverified", "undecided", "missing", "nonsense"}) {
    const Measurements measured = results(document(launch("demo/cpu/01_a", 0)), verdict, scratch);
    const std::string what = error_of([&] { plan_accept(measured, request(), store); });
    EXPECT_SAYS(what, "demo/cpu/01_a (" + std::string(verdict) + ")");
  }
  for (const char* verdict : {"same", "faster", "slower", "new", "changed", "uncompared"}) {
    const Measurements measured = results(document(launch("demo/cpu/01_a", 0)), verdict, scratch);
    EXPECT_EQ(plan_accept(measured, request(), store).size(), 1u) << verdict;
  }
}

TEST(Verdicts, EachHasAWordThatNamesIt) {
  using gate::Verdict;
  const std::map<Verdict, std::string> words = {{Verdict::slower, "slower"},
                                                {Verdict::failed, "failed"},
                                                {Verdict::unverified, "unverified"},
                                                {Verdict::missing, "missing"},
                                                {Verdict::changed, "changed"},
                                                {Verdict::added, "new"},
                                                {Verdict::undecided, "undecided"},
                                                {Verdict::faster, "faster"},
                                                {Verdict::same, "same"},
                                                {Verdict::uncompared, "uncompared"},
                                                {Verdict::unavailable, "unavailable"}};
  EXPECT_EQ(words.size(), static_cast<std::size_t>(Verdict::unavailable) + 1);
  for (const auto& [verdict, word] : words) {
    EXPECT_EQ(to_string(verdict), word);
    EXPECT_EQ(gate::parse_verdict(word), verdict) << word;
    EXPECT_EQ(nlohmann::json(verdict), word);
    EXPECT_EQ(nlohmann::json(word).get<Verdict>(), verdict) << word;
  }
  for (const char* other : {"", "Same", "added", "same (identical work)"})
    EXPECT_EQ(gate::parse_verdict(other), std::nullopt) << other;
  EXPECT_SAYS(error_of([] { nlohmann::json("sluggish").get<Verdict>(); }), "\"sluggish\"");
}

TEST(Verdicts, AreCountedWorstFirst) {
  gate::VerdictCounts counts;
  EXPECT_EQ(counts.text(), "");
  for (const auto verdict : {gate::Verdict::same, gate::Verdict::slower, gate::Verdict::same})
    counts.add(verdict);
  EXPECT_EQ(counts.text(), "1 slower, 2 same");
  EXPECT_EQ(counts[gate::Verdict::same], 2u);
}

TEST_F(Baseline, AcceptTakesUndecidedRowsThatAreNamed) {
  const Measurements measured =
      results(document(launch("demo/cpu/01_a", 0)), "undecided", folder() / "r" / "results.json");
  const BaselineStore store(folder() / "baselines");
  EXPECT_EQ(plan_accept(measured, request({"01_a"}), store).size(), 1u);
  EXPECT_SAYS(error_of([&] { plan_accept(measured, request(), store); }), "name the rows");
}

TEST_F(Baseline, AcceptSplitsRowsByDevice) {
  Measurements measured =
      results(document(launch("demo/cpu/01_a", 0) + "," + launch("demo/cuda/01_b", 0)),
              "uncompared", folder() / "r" / "results.json");
  measured.context["gpu.model"] = "Big GPU";
  const auto changes = plan_accept(measured, request(), BaselineStore(folder() / "baselines"));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].path, folder() / "baselines" / "big-gpu" / "demo.json");
  EXPECT_EQ(changes[1].path, folder() / "baselines" / "box-2c" / "demo.json");
  EXPECT_EQ(changes[0].after.rows.count("demo/cpu/01_a"), 0u);
}

TEST_F(Baseline, AcceptKeepsTolerancesAndOtherRows) {
  write(folder() / "baselines" / "box-2c" / "demo.json",
        document(launch("demo/cpu/01_a", 0, ",\"tolerance\":0.1") + "," +
                 launch("demo/cpu/02_b", 0)));
  const Measurements measured =
      results(document(launch("demo/cpu/01_a", 0)), "slower", folder() / "r" / "results.json");
  const auto changes = plan_accept(measured, request(), BaselineStore(folder() / "baselines"));
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].after.rows.at("demo/cpu/01_a").tolerance, 0.1);
  EXPECT_EQ(changes[0].after.rows.count("demo/cpu/02_b"), 1u);
  EXPECT_EQ(changes[0].rows.size(), 1u);
}

TEST_F(Baseline, AcceptRemovesAMissingRowOnlyWhenNamed) {
  write(folder() / "baselines" / "box-2c" / "demo.json",
        document(launch("demo/cpu/01_a", 0) + "," + launch("demo/cpu/02_b", 0)));
  Measurements measured =
      results(document(launch("demo/cpu/01_a", 0)), "same", folder() / "r" / "results.json");
  measured.context["ratchet"]["rows"]["demo/cpu/02_b"] = {{"verdict", "missing"}};
  const BaselineStore store(folder() / "baselines");
  EXPECT_SAYS(error_of([&] { plan_accept(measured, request(), store); }),
              "demo/cpu/02_b (missing)");
  const auto changes = plan_accept(measured, request({"demo/cpu/02_b"}), store);
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].after.rows.count("demo/cpu/02_b"), 0u);
  EXPECT_SAYS(describe(changes), "removed");
}

TEST_F(Baseline, AcceptNeverMixesFingerprintsInOneFile) {
  // The same machine with another compiler: all rows move, or none.
  write(folder() / "baselines" / "box-2c" / "demo.json",
        swapped(document(launch("demo/cpu/01_a", 0) + "," + launch("demo/cpu/02_b", 0)),
                "\"cpu.cores\"", "\"build.compiler\":\"old\",\"cpu.cores\""));
  const BaselineStore store(folder() / "baselines");
  const Measurements one =
      results(document(launch("demo/cpu/01_a", 0)), "uncompared", folder() / "r" / "results.json");
  const std::string what = error_of([&] { plan_accept(one, request(), store); });
  EXPECT_SAYS(what, "build.compiler: old there, absent here");
  EXPECT_SAYS(what, "demo/cpu/02_b");
  AcceptRequest elsewhere = request();
  elsewhere.machine = "box-new";
  EXPECT_EQ(plan_accept(one, elsewhere, store)[0].path,
            folder() / "baselines" / "box-new" / "demo.json");
  const Measurements all =
      results(document(launch("demo/cpu/01_a", 0) + "," + launch("demo/cpu/02_b", 0)), "uncompared",
              folder() / "r" / "results.json");
  EXPECT_EQ(plan_accept(all, request(), store)[0].rows.size(), 2u);
}

}  // namespace
}  // namespace ratchet
