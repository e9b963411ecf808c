// life/cuda/06_streamed
// Changed:  the universe lies in host memory and goes through the device in bands (stream_plan.h);
//           the kernel is that of 05, which keeps all of it on the device.
// Why:      universes larger than device memory.
// Expected: 262144 x 262144 under a cap of 2 GiB: every row goes up and down once in 256
//           generations, 17 GB in all; at 40 GB/s both ways at once 0.21 s, while the passes take
//           0.37 s at 05's rate. So the passes decide: 95 % of 05's rate, what is missing being the
//           first band's way up, the last one's way down, and the gaps between kernels.
//           In fact the default, 65536 x 65536 under 256 MiB, is slower: bands of 8000 rows are 67
//           to a segment, and 16 more to warm up.
// Source:   Dijkstra and Brouwer, "Future Work"; the slanted bands: ratchet.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/life/dense/cuda_dense.h"
#include "kernels/life/streamed/stream_plan.h"
#include "kernels/support/cuda_stream.h"
#include "kernels/support/device_buffer.h"

namespace ratchet::life {
namespace {

using Word = std::uint32_t;

/// Before a pass over a band: `left` holds the last rows of the band above, as they were before the
/// same pass. They become the rows above this band's own (`head`), and this band's own last rows
/// (`tail`) take their place in `left`, for the band below.
__global__ void exchange_halo(Word* left, Word* head, const Word* tail, std::uint64_t words,
                              bool first_band) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= words) return;
  const Word own = tail[i];
  if (!first_band) head[i] = left[i];
  left[i] = own;
}

class StreamedUniverse : public Universe {
 public:
  StreamedUniverse(const StreamNeeds& needs, const DenseKernel& kernel,
                   const Parameters& parameters, const Grid& start)
      : kernel_(kernel),
        plan_(plan_stream(needs)),
        edge_(needs.edge),
        pitch_(kernel.pitch()),
        height_(needs.height),
        steps_(needs.steps),
        units_(cell_updates(parameters)),
        width_(start.width()),
        device_(plan_.device_rows * pitch_),
        host_(height_ * pitch_) {
    device_.zero();
    Word* rows = device_.data();
    for (Buffer& buffer : buffers_)
      buffer.rows = std::exchange(rows, rows + plan_.buffer_rows() * pitch_);
    left_ = std::exchange(rows, rows + plan_.passes * plan_.halo_rows * pitch_);
    seam_ = rows;
    rows_down_.resize(Sweep(height_, plan_.band_rows, plan_.sweep_steps, edge_).bands());
    load(start);
  }

  void run() override {
    joined_.record(nullptr);
    for (cudaStream_t stream :
         {cudaStream_t{up_}, cudaStream_t{passes_stream_}, cudaStream_t{down_}})
      joined_.hold(stream);
    std::uint64_t done = 0;
    while (done < steps_) {
      const Sweep sweep(height_, plan_.band_rows, std::min(plan_.sweep_steps, steps_ - done),
                        edge_);
      advance(sweep, done == 0);
      done += sweep.generations();
    }
    joined_.record(down_);
    joined_.hold(nullptr);
  }

  void wait() override { RATCHET_CUDA(cudaStreamSynchronize(nullptr)); }
  std::uint64_t units() const override { return units_; }

  Grid collect() override {
    wait();
    Grid grid(width_, height_);
    const std::uint64_t words = grid.words_per_row() * 2;
    in_chunks([&](Word* packed, Word* rows, std::uint64_t y, std::uint64_t n) {
      copy(packed, host_.data() + y * pitch_, n * pitch_, cudaMemcpyHostToDevice, nullptr);
      kernel_.unpack(packed, rows, words, n, nullptr);
      copy(reinterpret_cast<Word*>(grid.row(y)), rows, n * words, cudaMemcpyDeviceToHost, nullptr);
    });
    return grid;
  }

 private:
  /// A band's place on the device, and how far what concerns it has come.
  struct Buffer {
    Word* rows = nullptr;
    CudaEvent uploaded, computed, downloaded;
  };

  static void copy(Word* to, const Word* from, std::uint64_t words, cudaMemcpyKind kind,
                   cudaStream_t stream) {
    RATCHET_CUDA(cudaMemcpyAsync(to, from, words * sizeof(Word), kind, stream));
  }

  /// Calls body(strided rows, packed rows, y, n) for all rows, n at a time, on two of the buffers.
  template <class Body>
  void in_chunks(const Body& body) {
    // Strided rows are the wider ones: packed ones fit, too.
    const std::uint64_t rows = plan_.buffer_rows();
    for (std::uint64_t y = 0; y < height_; y += rows)
      body(buffers_[0].rows, buffers_[1].rows, y, std::min(rows, height_ - y));
    wait();
  }

  void load(const Grid& start) {
    const std::uint64_t words = start.words_per_row() * 2;
    in_chunks([&](Word* packed, Word* rows, std::uint64_t y, std::uint64_t n) {
      copy(rows, reinterpret_cast<const Word*>(start.row(y)), n * words, cudaMemcpyHostToDevice,
           nullptr);
      kernel_.pack(rows, words, packed, n, nullptr);
      copy(host_.data() + y * pitch_, packed, n * pitch_, cudaMemcpyDeviceToHost, nullptr);
    });
  }

  /// All bands once.
  void advance(const Sweep& sweep, bool first_sweep) {
    // A torus begins with the rows that the last sweep wrote last.
    if (!first_sweep && edge_ == Edge::torus) rows_down_[last_band_].hold(up_);
    for (std::uint64_t band = 0; band < sweep.bands(); ++band) {
      if (!first_sweep && edge_ == Edge::dead) hold_for_rows(sweep, band);
      upload(sweep, band, *fresh_);
      compute(sweep, band);
      const bool swapped = passes_of(sweep.generations(), kernel_.most_steps()) % 2 == 1;
      Buffer* result = swapped ? scratch_ : fresh_;
      Buffer* other = swapped ? fresh_ : scratch_;
      download(sweep, band, *result);
      // The next band is already on its way into next_; the one after it goes where the last band
      // to be downloaded was.
      fresh_ = next_, scratch_ = other, next_ = down_buffer_, down_buffer_ = result;
    }
    last_band_ = sweep.bands() - 1;
  }

  /// Holds the upload of a band until the sweep before has downloaded all of its rows.
  void hold_for_rows(const Sweep& sweep, std::uint64_t band) {
    const std::int64_t last = sweep.rows(band, 0).last;
    const Sweep before(height_, plan_.band_rows, plan_.sweep_steps, edge_);
    std::uint64_t written = band;
    while (written + 1 < before.bands() && before.rows(written, before.generations()).last < last)
      ++written;
    rows_down_[written].hold(up_);
  }

  void upload(const Sweep& sweep, std::uint64_t band, Buffer& buffer) {
    buffer.downloaded.hold(up_);
    RowRange rows = sweep.rows(band, 0);
    const auto height = static_cast<std::int64_t>(height_);
    const auto kept = static_cast<std::int64_t>(sweep.generations());
    while (rows.size() > 0) {
      // On a torus rows are numbered beyond both ends: `round` is how many heights away, and n the
      // rows up to the next end.
      const std::int64_t round = rows.first < 0 ? -1 : rows.first / height;
      const std::int64_t row = rows.first - round * height;
      const auto n = static_cast<std::uint64_t>(std::min(rows.size(), height - row));
      Word* to = address(buffer, rows.first - sweep.origin(band, 0));
      if (round > 0)  // the first rows again, which this sweep has replaced in host memory
        copy(to, seam_ + row * pitch_, n * pitch_, cudaMemcpyDeviceToDevice, up_);
      else
        copy(to, host_.data() + row * pitch_, n * pitch_, cudaMemcpyHostToDevice, up_);
      if (edge_ == Edge::torus && round == 0 && row < kept)
        copy(seam_ + row * pitch_, to, std::min<std::uint64_t>(n, kept - row) * pitch_,
             cudaMemcpyDeviceToDevice, up_);
      rows.first += static_cast<std::int64_t>(n);
    }
    buffer.uploaded.record(up_);
  }

  /// From *fresh_ to *scratch_ and back, pass by pass.
  void compute(const Sweep& sweep, std::uint64_t band) {
    fresh_->uploaded.hold(passes_stream_);
    Buffer *from = fresh_, *to = scratch_;
    std::uint64_t done = 0;
    for (std::uint64_t pass = 0; done < sweep.generations(); ++pass) {
      const std::uint64_t steps = kernel_.pass_steps(sweep.generations() - done);
      take_over(*from, pass, band == 0);
      const RowRange rows = sweep.rows(band, done + steps);
      if (rows.size() > 0)
        kernel_.advance(address(*from, -sweep.origin(band, done)),
                        address(*to, -sweep.origin(band, done + steps)), rows.first, rows.size(),
                        static_cast<std::int64_t>(height_), steps, passes_stream_);
      std::swap(from, to);
      done += steps;
    }
    from->computed.record(passes_stream_);
  }

  void take_over(const Buffer& buffer, std::uint64_t pass, bool first_band) {
    const std::uint64_t words = plan_.halo_rows * pitch_;
    exchange_halo<<<static_cast<unsigned>((words + 255) / 256), 256, 0, passes_stream_>>>(
        left_ + pass * words, buffer.rows, buffer.rows + plan_.band_rows * pitch_, words,
        first_band);
    RATCHET_CUDA_LAUNCHED();
  }

  void download(const Sweep& sweep, std::uint64_t band, Buffer& buffer) {
    buffer.computed.hold(down_);
    const RowRange rows = sweep.rows(band, sweep.generations());
    if (rows.size() > 0)
      copy(host_.data() + rows.first * static_cast<std::int64_t>(pitch_),
           address(buffer, rows.first - sweep.origin(band, sweep.generations())),
           static_cast<std::uint64_t>(rows.size()) * pitch_, cudaMemcpyDeviceToHost, down_);
    buffer.downloaded.record(down_);
    rows_down_[band].record(down_);
  }

  /// Where the row is that lies `row` rows below the first of the band's own.
  Word* address(const Buffer& buffer, std::int64_t row) const {
    return buffer.rows +
           (row + static_cast<std::int64_t>(plan_.halo_rows)) * static_cast<std::int64_t>(pitch_);
  }

  DenseKernel kernel_;
  StreamPlan plan_;
  Edge edge_;
  std::uint64_t pitch_, height_, steps_, units_, width_;
  DeviceBuffer<Word> device_;  // all of it
  PinnedBuffer<Word> host_;
  Buffer buffers_[StreamPlan::kBuffers];
  Buffer *fresh_ = &buffers_[0], *scratch_ = &buffers_[1], *next_ = &buffers_[2],
         *down_buffer_ = &buffers_[3];
  Word* left_ = nullptr;  // a band's last rows, for each pass
  Word* seam_ = nullptr;  // torus: the first rows as they were when the sweep began
  CudaStream up_, passes_stream_, down_;
  CudaEvent joined_;
  std::vector<CudaEvent> rows_down_;  // by band of the sweep
  std::uint64_t last_band_ = 0;
};

class Streamed : public LifeStage {
 public:
  Streamed() : LifeStage(make_info()) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    // About what a band holds: a quarter of the memory, an eighth of the universe.
    const std::uint64_t cells = std::min((parameters.at("device_mib") << 23) / StreamPlan::kBuffers,
                                         start.width() * start.height() / StreamPlan::kBands);
    const DenseKernel kernel(start.width(), cells, edge_of(parameters));
    const StreamNeeds needs{info().name,
                            parameters.at("device_mib") << 20,
                            kernel.pitch() * sizeof(Word),
                            start.height(),
                            parameters.at("steps"),
                            kernel.most_steps(),
                            DenseKernel::kSpareRows,
                            parameters.at("sweep"),
                            edge_of(parameters)};
    std::size_t free = 0, total = 0;
    RATCHET_CUDA(cudaMemGetInfo(&free, &total));
    const std::uint64_t bytes = plan_stream(needs).device_rows * needs.row_bytes;
    if (bytes > free)
      throw Error(info().name + ": " + std::to_string(bytes >> 20) +
                  " MiB of device memory wanted, " + std::to_string(free >> 20) +
                  " MiB are free; lower device_mib");
    return std::make_unique<StreamedUniverse>(needs, kernel, parameters, start);
  }

 private:
  static StageInfo make_info() {
    // Half the universe at the default size.
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "universes larger than device memory, in bands through it",
         .source = text("Future Work"),
         .limit = {"cuda.lop3", (1344.0 + 48) / (3 * 8 * 8 * 32)},
         .parameters = common_parameters(
             65536, 512,
             {torus_parameter(),
              {"device_mib", 256, 1, std::uint64_t{1} << 20,
               "device memory that the stage may take in all, MiB"},
              {"sweep", 256, 1, kMaxSteps, "generations at most while a row is on the device"}}),
         .survey = squares({262144}, {{"device_mib", 2048}}),
         .overlaps = true});
  }
};

const Registration registered{std::make_unique<Streamed>()};

}  // namespace
}  // namespace ratchet::life
