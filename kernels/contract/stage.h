// The contract: what an optimization stage is, and the registry that lists them.
//
// A stage lives in one file, kernels/<family>/<backend>_<NN>_<idea>.{cpp,cu,cl}, and registers
// itself there with a namespace-scope `ratchet::Registration`. Nothing else has to be edited: the
// build, the tests, the benchmarks, the tables and the gate find it through `registry()`.
//
// The three acts of a stage are kept apart so that only the second is ever timed:
//   prepare  Stage::prepare() allocates, seeds and uploads, and returns an `Instance`;
//   run      Instance::run() does the work, Instance::wait() blocks until the work is done;
//   collect  the family's own subclass of Instance hands out the typed result
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

/// Where the timed work of a stage happens. `hybrid` uses CPU and GPU together; `mpi` several
/// processes, each with a CPU or a GPU (kernels/support/ranks/).
enum class Backend { cpu, cuda, opencl, hybrid, mpi };

/// "cpu", "cuda", "opencl", "hybrid" or "mpi": the second part of a stage's name.
std::string_view to_string(Backend backend);

/// The hardware resource that bounds a stage: `resource` is the name of a peak that
/// perf/measure/peaks measures on the device at hand (operations per second, say "cuda.lop3"),
/// `per_unit` the operations of that kind that one unit of work needs. The share of the limit
/// reached is units_per_second * per_unit / peak. Empty when nobody has counted.
struct Limit {
  // Constructors, since of an aggregate in an aggregate GCC 12 warns where nothing is wrong.
  Limit() = default;
  Limit(std::string of, double each) : resource(std::move(of)), per_unit(each) {}
  std::string resource;
  double per_unit = 0;
};

/// What is known of a stage without running it. Written with designated initialisers, and passed
/// through the stage_info() of its family, which fills what the family's stages state alike.
struct StageInfo {
  /// "family/backend/NN_idea"; stable, it keys baselines and NVTX ranges. In a stage's file
  /// RATCHET_STAGE, which the build defines from the file's name (ci/cmake/stage_names.cmake).
  std::string name = {};
  Backend backend = Backend::cpu;  ///< as the name says: backend_of()
  std::string summary = {};        ///< one sentence, shown by `ratchet list`
  std::string source = {};  ///< where the idea comes from: document and section, or "ratchet"
  std::string unit = {};    ///< unit of work, plural: "battles"; throughput is units per second
  Limit limit = {};
  /// Sizes, seeds and shapes with their ranges and defaults; the defaults are the benchmark's
  /// point.
  std::vector<Parameter> parameters = {};
  /// The parameter that the work grows with: what is made small where a whole run would be too
  /// much, as under Valgrind. Empty: runs are counted at the defaults.
  std::string size = {};
  /// The parameter that says how many threads of the CPU a run works on, 0 for all where its range
  /// allows that. Such a stage is left on all CPUs, held against the peak of as many cores, and
  /// its instructions are not counted. Empty: a stage on the CPU has one thread, and is kept on one
  /// CPU.
  std::string threads = {};
  /// A run that takes every path of the stage's kernels and is small enough for sanitizers, which
  /// are a hundred times slower: what the test SmallRunForSanitizers runs. Empty: the defaults.
  ParameterPoint sanitizer_run = {};
  /// Tools of compute-sanitizer ("racecheck") that report what is no fault, and so are not run on
  /// this stage; its file says why.
  std::vector<std::string> skip_sanitizers = {};
  /// Further points to benchmark; each overrides some defaults, e.g. {{"threads", 4}}.
  std::vector<ParameterPoint> sweep = {};
  /// Points that are measured on request only (ratchet-bench --ratchet_survey): too many, or too
  /// large, for every run of the gate.
  std::vector<ParameterPoint> survey = {};
  /// Kernels and transfers of a run go on at the same time: what counts on a GPU is the span from
  /// the first start to the last end, not the sum of the durations.
  bool overlaps = false;
  /// The text's code, wrong as it was printed, kept to show what the error does. A test must show
  /// it; the family's ordinary checks are expected to fail and are not applied.
  bool as_printed = false;

  std::string family() const;  ///< first part of the name
  bool threaded() const { return !threads.empty(); }
};

/// The backend that a stage's name says in its second part; cpu where it says none, and then the
/// registration refuses the name.
Backend backend_of(const std::string& name);

// The same two for the backends of one process, without mpi, for a family's stage_info():
// rule D15 of the work digest (digests/README.md in perf).
std::string_view to_string_of_process(Backend backend);
Backend backend_of_process(const std::string& name);

/// The usual parameter for StageInfo::threads: "threads", 1 to 1024, by default the processors that
/// this machine reports.
Parameter threads_parameter();

/// Threads of the CPU that a run works on: what the stage's parameter says, or 1 without one.
std::uint64_t threads_of(const StageInfo& info, const Parameters& parameters);

/// Whether a stage can run on this machine; `reason` is a short clause ("no CUDA device: ...") if
/// not.
struct Availability {
  bool ok = true;
  std::string reason;
  static Availability yes() { return {}; }
  static Availability no(std::string why) { return {false, std::move(why)}; }
};

/// Device time of one run: `seconds` is the durations of its kernels and transfers, summed;
/// `span_seconds` from the first start to the last end; `kernels` how many kernels there were.
struct DeviceTime {
  double seconds = 0;
  double span_seconds = 0;
  std::uint32_t kernels = 0;
};

/// A prepared stage, bound to its parameters, owning its buffers.
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
  /// Brings back the state that prepare() left, and returns when that is done. Called before every
  /// timed run, and not timed. For stages whose speed depends on where the last run ended; the rest
  /// leave it as it is.
  virtual void reset() {}
  /// Device time of the last run() by the backend's own profiling, for backends that no timer of
  /// ours can see into (OpenCL). Asked after wait().
  virtual std::optional<DeviceTime> device_time() { return std::nullopt; }
};

/// A stage as registered. Families derive from it to add their probe (see
/// kernels/graveler/graveler.h).
class Stage {
 public:
  explicit Stage(StageInfo info) : info_(std::move(info)) {}
  virtual ~Stage() = default;

  const StageInfo& info() const { return info_; }
  /// The declared parameters at their defaults, to be changed with Parameters::set.
  Parameters defaults() const { return Parameters(info_.name, info_.parameters); }
  /// The same at the point of StageInfo::sanitizer_run.
  Parameters sanitizer_run() const { return defaults().set(info_.sanitizer_run); }
  /// By default decided by the backend alone; a stage that needs more (an instruction set, memory)
  /// overrides it.
  virtual Availability availability() const;
  /// Allocates, seeds, uploads. Throws `Error` when the machine cannot (memory, device).
  virtual std::unique_ptr<Instance> prepare(const Parameters& parameters) const = 0;
  /// The same with an input file in place of the generated input. Throws `Error` for families that
  /// read none, and for a file that is malformed or does not fit the parameters.
  virtual std::unique_ptr<Instance> prepare_input(const Parameters& parameters,
                                                  const std::string& file) const;

 private:
  StageInfo info_;
};

/// All stages of the program, sorted by name. Built before main() by the Registration objects.
const std::vector<const Stage*>& registry();

/// The stage of that name, or nullptr.
const Stage* find_stage(std::string_view name);

/// The stages that `pattern` selects by the grammar of all filters (kernels/contract/row_filter.h):
/// a whole name (that stage alone), or else a regular expression found anywhere in the name. Throws
/// `Error` naming the pattern and the names there are when nothing matches or it is malformed.
std::vector<const Stage*> match_stages(const std::string& pattern);

/// Registers a stage at namespace scope:
///   const ratchet::Registration registered{std::make_unique<MyStage>()};
/// Aborts at start-up, naming the stage, on a malformed or duplicate name, and where its facts name
/// a parameter that it does not declare or a value out of range.
class Registration {
 public:
  explicit Registration(std::unique_ptr<Stage> stage);
};

}  // namespace ratchet
