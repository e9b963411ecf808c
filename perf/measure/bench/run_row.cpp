#include "perf/measure/bench/run_row.h"

#include <cstdio>
#include <fstream>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "kernels/support/opencl_device.h"
#include "kernels/support/ranks/part.h"
#include "perf/measure/nvtx.h"
#include "perf/measure/peaks/peaks.h"
#include "perf/measure/workloads/control_workload.h"
#include "perf/measure/workloads/slowed_instance.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::bench {
namespace {

constexpr const char* kNoMemory = "not enough memory to prepare it; make its parameters smaller";

/// Whether the row's time is a GPU's. An OpenCL row's device type decides. A row of several ranks
/// is a GPU's if its ranks use GPUs, since it is not measured without them.
bool on_gpu(const StageRow& row) {
  const Backend backend = row.stage->info().backend;
  if (backend == Backend::mpi) return ranks::takes_gpus(*row.stage);
  if (backend != Backend::opencl) return backend == Backend::cuda;
  const auto device = opencl_device();
  return device && device->type == "gpu";
}

timing::Watched watched(const StageRow& row) {
  if (on_gpu(row)) return timing::Watched::none;
  return wants_one_cpu(row) ? timing::Watched::thread : timing::Watched::process;
}

}  // namespace

bool wants_one_cpu(const StageRow& row) {
  return row.stage->info().backend == Backend::cpu && !row.stage->info().threaded();
}

bool works_one_at_a_time(const StageRow& row) {
  return row.stage->info().backend == Backend::cpu &&
         threads_of(row.stage->info(), row.parameters) == 1;
}

bool can_interleave(const StageRow& row) {
  const Backend backend = row.stage->info().backend;
  // A GPU keeps working while its process is stopped, and so do other ranks.
  return backend != Backend::hybrid && backend != Backend::mpi && !on_gpu(row);
}

void require_interleaving(const Selection& selection) {
  if (selection.rows.size() != 1)
    throw Error("--ratchet_interleaved is for one row, and the filter selects " +
                std::to_string(selection.rows.size()));
  if (!can_interleave(selection.rows.front()))
    throw Error(selection.rows.front().name.text() +
                " cannot be interleaved: its time is a GPU's, or several processes'");
}

RowRunner::RowRunner(const Options& options)
    : options_(options),
      verification_(options.verified_file, options.skip_check || options.profile) {
  if (!options.peaks_file.empty()) peaks_ = peaks::read_peaks(options.peaks_file);
  timing::make_timer(Backend::cpu);  // refuses a misspelt RATCHET_TIMER before the first row
}

timing::Timer& RowRunner::timer(const StageRow& row) {
  const Backend backend = row.stage->info().backend;
  auto& slot = backend == Backend::cuda     ? cuda_timer_
               : backend == Backend::opencl ? opencl_timer_
               : backend == Backend::mpi    ? ranks_timer_
               : wants_one_cpu(row)         ? one_cpu_timer_
                                            : wall_timer_;
  if (!slot) {
    timing::TimerOptions wanted;
    if (options_.profile) wanted.kind = timing::TimerKind::events;
    wanted.sm_clock = !options_.profile;
    wanted.watched = watched(row);
    slot = backend == Backend::mpi ? timing::make_ranks_timer(wanted)
                                   : timing::make_timer(backend, wanted);
  }
  return *slot;
}

timing::Plan RowRunner::plan(const StageRow& row) const {
  timing::Plan plan = timing::plan_for(on_gpu(row) ? Backend::cuda : row.stage->info().backend);
  // More threads or ranks than CPUs preempt each other, which belongs to the row.
  if (threads_of(row.stage->info(), row.parameters) * ranks::ranks_of(row.parameters) >
      timing::allowed_cpus().size())
    plan.preemption.repeat = false;
  if (options_.budget_s) plan.stopping.budget_s = *options_.budget_s;
  if (options_.profile) {
    plan.warm_up = false;
    plan.stopping.max_samples = 3;
  }
  // The warm-up must not exceed the measurement.
  plan.warmup.cap_s = std::min(plan.warmup.cap_s, plan.stopping.budget_s);
  return plan;
}

std::unique_ptr<Instance> RowRunner::prepare_unslowed(const StageRow& row) const {
  const timing::NvtxRange range("prepare");
  try {
    return options_.input.empty() ? row.stage->prepare(row.parameters)
                                  : row.stage->prepare_input(row.parameters, options_.input);
  } catch (const std::bad_alloc&) {
    throw Error(kNoMemory);
  } catch (const std::length_error&) {  // larger than any vector
    throw Error(kNoMemory);
  }
}

std::unique_ptr<Instance> RowRunner::prepare(const StageRow& row) {
  if (!options_.slowdown) return prepare_unslowed(row);
  return timing::slow_down([&] { return prepare_unslowed(row); }, row.stage->info().backend,
                           *options_.slowdown, timer(row));
}

InSituResult RowRunner::point(const StageRow& row) const {
  try {
    const std::unique_ptr<Instance> instance = prepare_unslowed(row);
    const double begin = seconds_now();
    instance->run();
    instance->wait();
    return check_in_situ({*row.stage, row.parameters, *instance, options_.input,
                          seconds_now() - begin, true, options_.verify_s});
  } catch (const NoCheckData&) {
    throw;
  } catch (const std::exception& error) {
    if (row.stage->info().backend != Backend::cpu) timing::forget_cuda_error();
    return {InSituState::wrong, error.what()};
  }
}

/// The in-situ check of the timed instance, for a row without a line in the file.
InSituResult RowRunner::point_after(const StageRow& row, Instance& instance,
                                    const timing::Measurement& measurement) const {
  if (const auto known = verification_.point(row.name)) return *known;
  if (options_.skip_check || options_.profile) return {InSituState::unchecked, "not requested"};
  if (options_.slowdown) return {InSituState::unchecked, "an injected slowdown"};
  const timing::NvtxRange range("check");
  InSituResult result = check_in_situ({*row.stage, row.parameters, instance, options_.input,
                                       measurement.summary.seconds, false, options_.verify_s});
  if (result.state == InSituState::wrong)
    throw Error("the in-situ check failed, so the time is invalid: " + result.detail);
  return result;
}

/// Without the control workload: the other process of the pair takes its place.
RowResult RowRunner::measure_interleaved(const StageRow& row) {
  const std::unique_ptr<Instance> instance = prepare(row);
  RowResult result;
  result.units = instance->units();
  result.measurement =
      bench::measure_interleaved(*instance, {!options_.skip_warm_up, wants_one_cpu(row)});
  result.point = verification_.point(row.name).value_or(InSituResult{});
  return result;
}

RowResult RowRunner::measure(const StageRow& row) {
  const Backend backend = row.stage->info().backend;
  std::optional<timing::CpuPin> pin;
  if (wants_one_cpu(row)) pin.emplace();
  timing::Timer& clock = timer(row);
  const std::unique_ptr<Instance> instance = prepare(row);
  RowResult result;
  result.units = instance->units();
  timing::ControlWorkload workload;
  timing::ReferenceMeter reference([&] { return workload.time(); });
  timing::ConditionsWatch conditions(backend);
  // What Nsight selects: with --ratchet_profile without the kernels that prepare.
  std::optional<timing::NvtxRange> profiled;
  if (options_.profile) profiled.emplace(row.name);
  const timing::Plan plan = this->plan(row);
  const char* act = plan.warm_up ? "warm-up" : "sample";
  const auto take = [&] {
    const timing::NvtxRange range(act);
    timing::Sample sample = clock.time(*instance);
    if (row.stage->info().overlaps) sample.seconds = sample.span_seconds;
    return sample;
  };
  const bool refer = !on_gpu(row) && !options_.profile;
  const auto between = [&](const timing::Sample& sample) {
    if (refer) reference.after(sample.seconds);
    conditions.look();
    result.ranks.look(*instance);
  };
  // Throttling is judged against the highest clock of this row alone, not against earlier rows of
  // this process.
  result.measurement =
      timing::measure(take, plan, timing::real_clock(), 0, between, [&] { act = "sample"; });
  result.timer = clock.kind();
  if (refer) reference.finish();
  result.conditions = conditions.end();
  result.control_per_second = reference.per_second();
  result.control_passes = reference.passes();
  pin.reset();  // the check may use all CPUs
  result.point = point_after(row, *instance, result.measurement);
  return result;
}

/// Writes every kept sample, for studies of decision rules.
void RowRunner::write_samples(const StageRow& row, const RowResult& result) const {
  if (options_.samples_file.empty()) return;
  nlohmann::json seconds = nlohmann::json::array();
  for (const timing::Sample& sample : result.measurement.samples) seconds.push_back(sample.seconds);
  nlohmann::json line = {{"row", row.name}, {"samples", seconds}};
  if (result.control_per_second > 0) line["reference"] = result.control_per_second;
  std::ofstream file(options_.samples_file, std::ios::app);
  file << line.dump() << std::endl;
  if (!file) throw Error("--ratchet_samples: writing " + options_.samples_file + " failed");
}

void RowRunner::run_checked(benchmark::State& state, const StageRow& row) {
  start_up_ms();
  const double begin = seconds_now();
  std::optional<timing::NvtxRange> whole;
  if (!options_.profile) whole.emplace(row.name);
  std::string detail;
  const Verified verified = [&] {
    const timing::NvtxRange range("check");
    return verification_.verify(*row.stage, detail);
  }();
  if (verified == Verified::failed)
    throw Error("the stage fails its check and is not timed: " + detail);
  if (const auto known = verification_.point(row.name); known && known->state == InSituState::wrong)
    throw Error("the row fails its in-situ check and is not timed: " + known->detail);
  RowResult result = options_.slices ? measure_interleaved(row) : measure(row);
  result.slowdown = options_.slowdown.value_or(0);
  result.one_cpu = wants_one_cpu(row);
  result.verified = verified == Verified::yes;
  result.launch_s = seconds_now() - begin;
  write_samples(row, result);
  cpu_seconds_[row.name] = report(state, row, result, peaks_);
}

void RowRunner::run(benchmark::State& state, const StageRow& row) {
  const auto fail = [&](const char* why) {
    ++failures_;
    if (row.stage->info().backend != Backend::cpu) timing::forget_cuda_error();
    state.SkipWithError(why);
  };
  try {
    run_checked(state, row);
  } catch (const NoCheckData& missing) {
    // Said once, since other rows miss the same. Those that need none are timed.
    if (!std::exchange(misses_data_, true))
      std::fprintf(stderr, "ratchet-bench: %s\n", missing.what());
    fail("not timed, for lack of the data of its check");
  } catch (const std::exception& error) {
    fail(error.what());
  } catch (...) {
    fail("the stage threw something that is not a std::exception");
  }
}

}  // namespace ratchet::bench
