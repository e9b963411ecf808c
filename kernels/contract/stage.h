// The contract: what an optimization stage is, and the registry that lists them.
//
// A stage lives in one file, kernels/<family>/<backend>_<NN>_<idea>.{cpp,cu,cl}, and registers
// itself there with a namespace-scope `ratchet::Registration`. Nothing else has to be edited: the
// build, the tests, the benchmarks, the tables and the gate find it through `registry()`.
//
// The three acts of a stage are kept apart so that only the second is ever timed:
//   prepare  Stage::prepare() allocates, seeds and uploads, and returns an `Instance`;
//   run      Instance::run() does the work, Instance::wait() blocks until the work is done;
//   collect  the family's own subclass of Instance returns the typed result
//            (graveler::Simulation::collect()).
// Correctness tests and benchmarks call the same run(). No stage assumes one device or one kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/parameters.h"

namespace ratchet {

/// Where the timed work of a stage runs. `hybrid` uses CPU and GPU together; `mpi` uses several
/// processes, each with a CPU or a GPU (kernels/support/ranks/).
enum class Backend { cpu, cuda, opencl, hybrid, mpi };

/// "cpu", "cuda", "opencl", "hybrid" or "mpi": the second part of a stage's name.
std::string_view to_string(Backend backend);

/// The hardware resource that bounds a stage. `resource` names a peak that perf/measure/peaks
/// measures on the device, in operations per second, such as "cuda.lop3"; `per_unit` is the number
/// of these operations for one unit of work. The reached share of the peak is units_per_second *
/// per_unit / peak. Empty if the operations were not counted.
struct Limit {
  // Constructors, since GCC 12 warns wrongly about an aggregate inside an aggregate.
  Limit() = default;
  Limit(std::string of, double each) : resource(std::move(of)), per_unit(each) {}
  std::string resource;
  double per_unit = 0;
};

/// Facts of a stage. Written with designated initialisers, and passed through the stage_info() of
/// its family, which fills in the common facts of the family's stages.
struct StageInfo {
  /// "family/backend/NN_idea". It is stable, since it keys baselines and NVTX ranges. A stage's
  /// file uses RATCHET_STAGE, which the build defines from the file's name
  /// (ci/cmake/ratchet_add_bench.cmake).
  std::string name = {};
  Backend backend = Backend::cpu;  ///< of the name: backend_of()
  std::string summary = {};        ///< one sentence, shown by `ratchet list`
  std::string source = {};         ///< origin of the idea: document and section, or "ratchet"
  std::string unit = {};  ///< unit of work, plural: "battles"; throughput is units per second
  Limit limit = {};
  /// Sizes, seeds and shapes with their ranges and defaults; the defaults are the benchmarked
  /// configuration.
  std::vector<Parameter> parameters = {};
  /// The parameter with which the work grows. It is reduced if a whole run would take too long, as
  /// under Valgrind. Empty: runs are counted with the defaults.
  std::string size = {};
  /// The parameter with the number of CPU threads of a run; 0 means all, if its range allows it.
  /// Such a stage may use all CPUs, is compared with the peak of as many cores, and its
  /// instructions are not counted. Empty: a stage on the CPU has one thread and is pinned to one
  /// CPU.
  std::string threads = {};
  /// The parameters of the test SmallRunForSanitizers: they take every path of the stage's kernels
  /// and are small enough for sanitizers, which are a hundred times slower. Empty: the defaults.
  ParameterPoint sanitizer_run = {};
  /// Tools of compute-sanitizer ("racecheck") that report false positives for this stage and are
  /// not run on it; its file states the reason.
  std::vector<std::string> skip_sanitizers = {};
  /// Further configurations to benchmark; each overrides some defaults, e.g. {{"threads", 4}}.
  std::vector<ParameterPoint> sweep = {};
  /// Configurations that are measured only on request (ratchet-bench --ratchet_survey), since they
  /// are too many or too large for every run of the gate.
  std::vector<ParameterPoint> survey = {};
  /// Kernels and transfers of a run overlap, or the gaps between them count. The time on a GPU is
  /// then the span from the first start to the last end, not the time in which any is at work.
  bool overlaps = false;
  /// The article's code with its printed error, kept to show the effect of the error. A test must
  /// show it; the family's ordinary checks would fail and are not applied.
  bool as_printed = false;

  std::string family() const;  ///< first part of the name
  bool threaded() const { return !threads.empty(); }
};

/// The backend in the second part of a stage's name; cpu if there is none, since the registration
/// then refuses the name.
Backend backend_of(const std::string& name);

// Both without mpi, for a family's stage_info(): rule D15 of perf/identity/digests/README.md.
std::string_view to_string_of_process(Backend backend);
Backend backend_of_process(const std::string& name);

/// The usual parameter for StageInfo::threads: "threads", 1 to 1024, by default the number of
/// processors of this machine.
Parameter threads_parameter();

/// The number of CPU threads of a run: the value of the stage's parameter, or 1 without one.
std::uint64_t threads_of(const StageInfo& info, const Parameters& parameters);

/// Whether a stage can run on this machine; `reason` is a short clause ("no CUDA device: ...") if
/// not.
struct Availability {
  bool ok = true;
  std::string reason;
  static Availability yes() { return {}; }
  static Availability no(std::string why) { return {false, std::move(why)}; }
};

/// Device time of one run: `seconds` is the sum of the durations of its kernels and transfers, and
/// `kernels` their number. `span_seconds` is the time from the first start to the last end.
struct DeviceTime {
  double seconds = 0;
  double span_seconds = 0;
  std::uint32_t kernels = 0;
};

/// A prepared stage with its parameters and buffers.
class Instance {
 public:
  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  virtual ~Instance() = default;

  /// The timed act. May be called many times; each call does the whole work again (a random family
  /// draws fresh numbers each time). GPU work is enqueued on the legacy default stream and need not
  /// have finished on return.
  virtual void run() = 0;
  /// Blocks until everything that run() started is done; throws `Error` on a device fault.
  virtual void wait() {}
  /// Units of work done by one run(): exactly as many as the parameters ask for.
  virtual std::uint64_t units() const = 0;
  /// Restores the state after prepare(), and returns when that is done. Called before every timed
  /// run, and not timed. For stages whose speed depends on the end of the last run; others do
  /// nothing.
  virtual void reset() {}
  /// Device time of the last run() by the backend's own profiling, for backends that ratchet's
  /// timers cannot observe (OpenCL). Called after wait().
  virtual std::optional<DeviceTime> device_time() { return std::nullopt; }
};

/// A registered stage. Families derive from it to add their probe (see
/// kernels/graveler/graveler.h).
class Stage {
 public:
  explicit Stage(StageInfo info) : info_(std::move(info)) {}
  virtual ~Stage() = default;

  const StageInfo& info() const { return info_; }
  /// The declared parameters with their defaults, which Parameters::set can change.
  Parameters defaults() const { return Parameters(info_.name, info_.parameters); }
  /// The same with StageInfo::sanitizer_run.
  Parameters sanitizer_run() const { return defaults().set(info_.sanitizer_run); }
  /// By default, availability depends only on the backend; a stage with further needs (an
  /// instruction set, memory) overrides it.
  virtual Availability availability() const;
  /// Allocates, seeds, uploads. Throws `Error` if the machine cannot (memory, device).
  virtual std::unique_ptr<Instance> prepare(const Parameters& parameters) const = 0;
  /// The same with an input file instead of the generated input. Throws `Error` for families that
  /// read no file, and for a file that is malformed or does not fit the parameters.
  virtual std::unique_ptr<Instance> prepare_input(const Parameters& parameters,
                                                  const std::string& file) const;

 private:
  StageInfo info_;
};

/// All stages of the program, sorted by name. Built before main() by the Registration objects.
const std::vector<const Stage*>& registry();

/// The stage of that name, or nullptr.
const Stage* find_stage(std::string_view name);

/// The stages that `pattern` selects by the grammar of all filters (kernels/contract/row_filter.h).
/// A whole name selects that stage; other text is a regular expression that matches part of the
/// name. Throws `Error` naming the pattern and the existing names if nothing matches or it is
/// malformed.
std::vector<const Stage*> match_stages(const std::string& pattern);

/// Registers a stage at namespace scope:
///   const ratchet::Registration registered{std::make_unique<MyStage>()};
/// Aborts at start-up, naming the stage, for a malformed or duplicate name, an undeclared parameter
/// in its facts, or a value out of range.
class Registration {
 public:
  explicit Registration(std::unique_ptr<Stage> stage);
};

}  // namespace ratchet
