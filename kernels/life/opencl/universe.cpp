// A universe on an OpenCL device: see universe.h.
#include "kernels/life/opencl/universe.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "kernels/life/opencl/life.cl.h"

namespace ratchet::life {
namespace {

static_assert(std::endian::native == std::endian::little);

/// Universe of life.cl.
struct Shape {
  cl_int width, height, torus, generations;
};

/// The grid in columns of 32-bit words.
std::vector<std::uint32_t> columns(const Grid& grid, std::uint64_t count) {
  std::vector<std::uint32_t> words(count * grid.height());
  for (std::uint64_t y = 0; y < grid.height(); ++y)
    for (std::uint64_t c = 0; c < count; ++c)
      words[c * grid.height() + y] = static_cast<std::uint32_t>(grid.row(y)[c / 2] >> 32 * (c % 2));
  return words;
}

class OpenclUniverse final : public Universe {
 public:
  OpenclUniverse(std::string stage, const Parameters& parameters, const Grid& start,
                 const Kernel& kernel)
      : stage_(std::move(stage)),
        steps_(parameters.at("steps")),
        updates_(cell_updates(parameters)),
        columns_(columns_of(parameters)),
        shape_{static_cast<cl_int>(start.width()), static_cast<cl_int>(start.height()),
               edge_of(parameters) == Edge::torus, 0} {
    opencl::checked(stage_, [&] {
      build(parameters, kernel);
      upload(start);
    });
  }

  void run() override {
    opencl::checked(stage_, [&] {
      times_.clear();
      for (std::uint64_t left = steps_; left > 0;) {
        const auto generations = std::min<std::uint64_t>(left, launch_.generations);
        launch(static_cast<cl_int>(generations));
        left -= generations;
      }
      opencl::device_queue().queue.flush();
    });
  }

  void wait() override {
    opencl::checked(stage_, [] { opencl::device_queue().queue.finish(); });
  }
  std::uint64_t units() const override { return updates_; }
  std::optional<DeviceTime> device_time() override { return times_.total(); }

  Grid collect() override {
    const auto width = static_cast<std::uint64_t>(shape_.width);
    const auto height = static_cast<std::uint64_t>(shape_.height);
    std::vector<std::uint32_t> words(columns_ * height);
    opencl::checked(stage_, [&] {
      opencl::device_queue().queue.enqueueReadBuffer(fields_[now_], CL_TRUE, 0, 4 * words.size(),
                                                     words.data());
    });
    Grid grid(width, height);
    for (std::uint64_t c = 0; c < columns_; ++c)
      for (std::uint64_t y = 0; y < height; ++y)
        grid.row(y)[c / 2] |= std::uint64_t{words[c * height + y]} << 32 * (c % 2);
    return grid;
  }

 private:
  void build(const Parameters& parameters, const Kernel& kernel) {
    std::string source(life_cl), options("-cl-std=CL1.2 ");
    source += kernel.source;
    if (kernel.options) options += kernel.options(parameters);
    const cl::Device& device = opencl::device_queue().device;
    // The compiler is told the size of a group: left to guess, some allow fewer than the device.
    auto group = std::min<std::size_t>(parameters.at("group"),
                                       device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>());
    for (;; group /= 2) {
      const std::string sized = fmt::format("{} -DGROUP={}", options, group);
      kernel_ = cl::Kernel(opencl::program(stage_, source, sized), "advance");
      launch_ = kernel.launch(parameters, group);
      allocate();
      if (can_launch()) return;
      if (group == 1) throw Error(stage_ + ": the device cannot run the kernel");
    }
  }

  /// Asked how many work-items a group can have, NVIDIA's driver says 256 of a kernel compiled for
  /// 512 that runs; so it is tried, before the fields hold anything.
  bool can_launch() {
    try {
      launch(0);
      opencl::device_queue().queue.finish();
    } catch (const cl::Error& error) {
      if (error.err() != CL_INVALID_WORK_GROUP_SIZE && error.err() != CL_OUT_OF_RESOURCES) throw;
      return false;
    }
    times_.clear();
    now_ = 0;
    return true;
  }

  void allocate() {
    const std::uint64_t bytes = 4 * columns_ * static_cast<std::uint64_t>(shape_.height);
    opencl::require_memory(opencl::memory(), bytes, 2, stage_,
                           fmt::format("{} x {} cells", shape_.width, shape_.height));
    const cl::Context& context = opencl::device_queue().context;
    for (cl::Buffer& field : fields_)
      if (field() == nullptr) field = cl::Buffer(context, CL_MEM_READ_WRITE, bytes);
    if (launch_.local_bytes > 0) kernel_.setArg(3, cl::Local(launch_.local_bytes));
    if (launch_.global_bytes == 0) return;
    exchange_ = cl::Buffer(context, CL_MEM_READ_WRITE, launch_.global_bytes);
    kernel_.setArg(3, exchange_);
  }

  void upload(const Grid& start) {
    const std::vector<std::uint32_t> words = columns(start, columns_);
    // Both: a driver that allocates at first use runs out of memory here and not in run().
    for (const cl::Buffer& field : fields_)
      opencl::device_queue().queue.enqueueWriteBuffer(field, CL_TRUE, 0, 4 * words.size(),
                                                      words.data());
  }

  void launch(cl_int generations) {
    shape_.generations = generations;
    kernel_.setArg(0, fields_[now_]);
    kernel_.setArg(1, fields_[1 - now_]);
    kernel_.setArg(2, shape_);
    cl::Event event;
    opencl::device_queue().queue.enqueueNDRangeKernel(kernel_, cl::NullRange, launch_.global,
                                                      launch_.local, nullptr, &event);
    times_.add(std::move(event));
    now_ = 1 - now_;
  }

  std::string stage_;
  std::uint64_t steps_, updates_, columns_;
  Shape shape_;
  LaunchShape launch_;
  cl::Kernel kernel_;
  cl::Buffer fields_[2], exchange_;
  int now_ = 0;
  opencl::LaunchTimes times_;
};

class OpenclStage final : public LifeStage {
 public:
  OpenclStage(StageInfo info, Kernel kernel)
      : LifeStage(std::move(info)), kernel_(std::move(kernel)) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    return std::make_unique<OpenclUniverse>(info().name, parameters, start, kernel_);
  }

 private:
  Kernel kernel_;
};

}  // namespace

std::vector<Parameter> opencl_parameters(std::uint64_t group, const std::vector<Parameter>& own) {
  return joined(
      common_parameters(2048, 32,
                        {torus_parameter(),
                         {"group", group, 1, 1024,
                          "work-items in a group; a device that allows fewer gets fewer"}}),
      own);
}

std::uint64_t tiles_of(std::uint64_t rows, std::int64_t kept, const char* stage) {
  if (kept <= 0)
    throw Error(
        fmt::format("{}: a work-group's tile has {} rows, of which {} are halo; choose a "
                    "larger group, or more rows a work-item",
                    stage, kept + 2 * static_cast<std::int64_t>(kHalo), 2 * kHalo));
  const auto each = static_cast<std::uint64_t>(kept);
  return (rows + each - 1) / each;
}

std::uint64_t columns_of(const Parameters& parameters) {
  return (parameters.at("width") + 31) / 32;
}

std::unique_ptr<LifeStage> opencl_stage(StageInfo info, Kernel kernel) {
  return std::make_unique<OpenclStage>(std::move(info), std::move(kernel));
}

}  // namespace ratchet::life
