#include "perf/measure/ranges/cupti_range_profiler.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "kernels/support/cuda_check.h"
#include "perf/support/error.h"

// Every call takes a block of its own type; this names type and size together.
#define RATCHET_CUPTI_BLOCK(type, name) auto name = sized<type>(type##_STRUCT_SIZE)

namespace ratchet::counters {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> result;
  for (const std::string& name : names) result.push_back(name.c_str());
  return result;
}

/// The host side of CUPTI, which needs no device: turns metric names into a configuration, and
/// counted data into values.
class MetricHost {
 public:
  MetricHost(const std::string& chip, const Bytes& availability) {
    RATCHET_CUPTI_BLOCK(CUpti_Profiler_Host_Initialize_Params, block);
    block.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    block.pChipName = chip.c_str();
    block.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
    check_range(cupti_.host_initialize(&block), "cuptiProfilerHostInitialize");
    host_ = block.pHostObject;
  }
  MetricHost(const MetricHost&) = delete;
  MetricHost& operator=(const MetricHost&) = delete;
  ~MetricHost() {
    RATCHET_CUPTI_BLOCK(CUpti_Profiler_Host_Deinitialize_Params, block);
    block.pHostObject = host_;
    cupti_.host_deinitialize(&block);
  }

  CUptiResult add(const std::vector<std::string>& metrics) {
    std::vector<const char*> names = pointers(metrics);
    RATCHET_CUPTI_BLOCK(CUpti_Profiler_Host_ConfigAddMetrics_Params, block);
    block.pHostObject = host_;
    block.ppMetricNames = names.data();
    block.numMetrics = names.size();
    return cupti_.add_metrics(&block);
  }

  Bytes configuration() {
    RATCHET_CUPTI_BLOCK(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = host_;
    check_range(cupti_.config_size(&size), "cuptiProfilerHostGetConfigImageSize");
    Bytes image(size.configImageSize);
    RATCHET_CUPTI_BLOCK(CUpti_Profiler_Host_GetConfigImage_Params, block);
    block.pHostObject = host_;
    block.configImageSize = image.size();
    block.pConfigImage = image.data();
    check_range(cupti_.config_image(&block), "cuptiProfilerHostGetConfigImage");
    return image;
  }

  std::size_t passes(Bytes& configuration) {
    RATCHET_CUPTI_BLOCK(CUpti_Profiler_Host_GetNumOfPasses_Params, block);
    block.configImageSize = configuration.size();
    block.pConfigImage = configuration.data();
    check_range(cupti_.passes(&block), "cuptiProfilerHostGetNumOfPasses");
    return block.numOfPasses;
  }

  std::vector<double> evaluate(const Bytes& data, const std::vector<std::string>& metrics) {
    std::vector<const char*> names = pointers(metrics);
    std::vector<double> values(metrics.size());
    RATCHET_CUPTI_BLOCK(CUpti_Profiler_Host_EvaluateToGpuValues_Params, block);
    block.pHostObject = host_;
    block.pCounterDataImage = data.data();
    block.counterDataImageSize = data.size();
    block.rangeIndex = 0;
    block.ppMetricNames = names.data();
    block.numMetrics = names.size();
    block.pMetricValues = values.data();
    check_range(cupti_.evaluate(&block), "cuptiProfilerHostEvaluateToGpuValues");
    return values;
  }

 private:
  const RangeLibrary& cupti_ = RangeLibrary::get();
  CUpti_Profiler_Host_Object* host_ = nullptr;
};

/// The device side of CUPTI: owns the device's counters from enable to disable.
class CounterSession {
 public:
  explicit CounterSession(CUcontext context) {
    RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_Enable_Params, block);
    block.ctx = context;
    check_range(cupti_.enable(&block), "cuptiRangeProfilerEnable");
    object_ = block.pRangeProfilerObject;
  }
  CounterSession(const CounterSession&) = delete;
  CounterSession& operator=(const CounterSession&) = delete;
  ~CounterSession() {
    if (started_) stop_quietly();
    RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_Disable_Params, block);
    block.pRangeProfilerObject = object_;
    cupti_.disable(&block);
  }

  /// Room for one range.
  Bytes data_image(const std::vector<std::string>& metrics) {
    std::vector<const char*> names = pointers(metrics);
    RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    check_range(cupti_.data_size(&size), "cuptiRangeProfilerGetCounterDataSize");
    Bytes image(size.counterDataSize);
    RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, block);
    block.pRangeProfilerObject = object_;
    block.counterDataSize = image.size();
    block.pCounterData = image.data();
    check_range(cupti_.data_initialize(&block), "cuptiRangeProfilerCounterDataImageInitialize");
    return image;
  }

  void configure(const Bytes& configuration, Bytes& data) {
    RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_SetConfig_Params, block);
    block.pRangeProfilerObject = object_;
    block.configSize = configuration.size();
    block.pConfig = configuration.data();
    block.counterDataImageSize = data.size();
    block.pCounterDataImage = data.data();
    block.range = CUPTI_UserRange;
    block.replayMode = CUPTI_UserReplay;
    block.maxRangesPerPass = 1;
    block.numNestingLevels = 1;
    block.minNestingLevel = 1;
    block.passIndex = 0;
    block.targetNestingLevel = 1;
    check_range(cupti_.set_config(&block), "cuptiRangeProfilerSetConfig");
  }

  /// One pass; true if it was the last one.
  bool pass(const std::function<void()>& work) {
    RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = object_;
    check_range(cupti_.start(&start), "cuptiRangeProfilerStart");
    started_ = true;
    RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_PushRange_Params, push);
    push.pRangeProfilerObject = object_;
    push.pRangeName = "run";
    check_range(cupti_.push_range(&push), "cuptiRangeProfilerPushRange");
    work();
    RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_PopRange_Params, pop);
    pop.pRangeProfilerObject = object_;
    check_range(cupti_.pop_range(&pop), "cuptiRangeProfilerPopRange");
    RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = object_;
    check_range(cupti_.stop(&stop), "cuptiRangeProfilerStop");
    started_ = false;
    return stop.isAllPassSubmitted != 0;
  }

  void decode() {
    RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_DecodeData_Params, block);
    block.pRangeProfilerObject = object_;
    check_range(cupti_.decode(&block), "cuptiRangeProfilerDecodeData");
    if (block.numOfRangeDropped > 0) throw Error("CUPTI dropped the range");
  }

 private:
  void stop_quietly() {  // the work threw during a pass
    RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_Stop_Params, block);
    block.pRangeProfilerObject = object_;
    cupti_.stop(&block);
  }
  const RangeLibrary& cupti_ = RangeLibrary::get();
  CUpti_RangeProfiler_Object* object_ = nullptr;
  bool started_ = false;
};

std::size_t ranges_in(const Bytes& data) {
  RATCHET_CUPTI_BLOCK(CUpti_RangeProfiler_GetCounterDataInfo_Params, block);
  block.pCounterDataImage = data.data();
  block.counterDataImageSize = data.size();
  check_range(RangeLibrary::get().data_info(&block), "cuptiRangeProfilerGetCounterDataInfo");
  return block.numTotalRanges;
}

/// The runtime's context. Uses dlsym on the loaded libcuda, since the program does not link it.
CUcontext current_context() {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const auto current = reinterpret_cast<CUresult (*)(CUcontext*)>(
      driver ? dlsym(driver, "cuCtxGetCurrent") : nullptr);
  CUcontext context = nullptr;
  if (!current || current(&context) != CUDA_SUCCESS || !context)
    throw timing::CuptiUnavailable("the driver has no current CUDA context");
  return context;
}

}  // namespace

RangeProfiler::RangeProfiler(int device) {
  const RangeLibrary& cupti = RangeLibrary::get();
  RATCHET_CUDA(cudaSetDevice(device));
  RATCHET_CUDA(cudaFree(nullptr));  // creates the primary context
  RATCHET_CUPTI_BLOCK(CUpti_Profiler_Initialize_Params, initialize);
  check_range(cupti.initialize(&initialize), "cuptiProfilerInitialize");
  RATCHET_CUPTI_BLOCK(CUpti_Device_GetChipName_Params, name);
  name.deviceIndex = static_cast<std::size_t>(device);
  check_range(cupti.chip_name(&name), "cuptiDeviceGetChipName");
  chip_ = name.pChipName;
  context_ = current_context();
  RATCHET_CUPTI_BLOCK(CUpti_Profiler_GetCounterAvailability_Params, size);
  size.ctx = context_;
  check_range(cupti.availability(&size), "cuptiProfilerGetCounterAvailability");
  availability_.resize(size.counterAvailabilityImageSize);
  RATCHET_CUPTI_BLOCK(CUpti_Profiler_GetCounterAvailability_Params, image);
  image.ctx = context_;
  image.counterAvailabilityImageSize = availability_.size();
  image.pCounterAvailabilityImage = availability_.data();
  check_range(cupti.availability(&image), "cuptiProfilerGetCounterAvailability");
}

RangeProfiler::~RangeProfiler() {
  RATCHET_CUPTI_BLOCK(CUpti_Profiler_DeInitialize_Params, block);
  RangeLibrary::get().deinitialize(&block);
}

bool RangeProfiler::knows(const std::string& metric) const {
  return MetricHost(chip_, availability_).add({metric}) == CUPTI_SUCCESS;
}

std::vector<double> RangeProfiler::count(const std::vector<std::string>& metrics,
                                         const std::function<void()>& work) const {
  MetricHost host(chip_, availability_);
  check_range(host.add(metrics), "cuptiProfilerHostConfigAddMetrics");
  Bytes configuration = host.configuration();
  const std::size_t passes = host.passes(configuration);
  CounterSession session(context_);
  Bytes data = session.data_image(metrics);
  session.configure(configuration, data);
  std::size_t made = 0;
  while (!session.pass(work))
    if (++made > passes + 1)
      throw Error(fmt::format("CUPTI wants more than the {} passes it announced", passes));
  session.decode();
  if (ranges_in(data) != 1) throw Error("CUPTI counted no range");
  return host.evaluate(data, metrics);
}

}  // namespace ratchet::counters
