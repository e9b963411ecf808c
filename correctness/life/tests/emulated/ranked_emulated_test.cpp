// A rank's rows on its GPU (kernels/life/ranked/cuda_rows.cu, of life/mpi/02_gpus) without one: its
// source, over emulated streams and 05's kernel on an emulated device. The ranks of a universe are
// in one thread; their streams take turns in several orders.
#ifdef RATCHET_HAVE_CUDA
#include "correctness/life/tests/emulated/strided_on_host.h"
#include "correctness/emulator/cuda_streams_on_host.h"
// After both; and names of its own for what the program has besides, made for a device.
#define DenseKernel KernelOnHost
#define make_cuda_rows make_rows_on_host
#include "kernels/life/dense/cuda_dense_pass.h"
#include "kernels/life/ranked/cuda_rows.cu"
#include "kernels/life/strided/cuda_strided_convert.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <map>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"

namespace ratchet::life {
namespace {

using namespace strided;
using on_host::enqueue;
using on_host::launch;
using on_host::Streams;
using on_host::streams;

/// Words a lane: the narrow shape makes 4 generations a pass, the wide one 8.
std::uint32_t words_a_lane = 4;

template <class Shape>
void launch_pass(const Pass& job) {
  const auto go = [&]<Border kBorder>() {
    launch(advance<Shape, kBorder>, job.cut.blocks, Shape::kThreads, job);
  };
  if (job.layout.edge == Edge::torus) return go.template operator()<Border::torus>();
  job.layout.aligned() ? go.template operator()<Border::aligned>()
                       : go.template operator()<Border::any>();
}
void launch_pass(const Pass& job, std::uint64_t steps) {
  const bool wide = job.layout.group == 8;
  if (steps == 8) return launch_pass<Wide<8>>(job);
  if (steps == 4) return wide ? launch_pass<Wide<4>>(job) : launch_pass<Narrow<4>>(job);
  if (steps == 2) return wide ? launch_pass<Wide<2>>(job) : launch_pass<Narrow<2>>(job);
  wide ? launch_pass<Wide<1>>(job) : launch_pass<Narrow<1>>(job);
}

}  // namespace

KernelOnHost::KernelOnHost(std::uint64_t width, std::uint64_t, Edge edge)
    : layout_(make_layout(static_cast<std::uint32_t>(width), 0, words_a_lane, edge)) {}

void KernelOnHost::pack(const std::uint32_t* packed, std::uint64_t packed_pitch,
                        std::uint32_t* strided, std::uint64_t rows, cudaStream_t stream) const {
  enqueue(stream, [=, layout = layout_] {
    launch(to_strided, static_cast<unsigned>(rows), 32, layout, packed,
           static_cast<std::uint32_t>(packed_pitch), strided + layout.lead());
  });
}

void KernelOnHost::unpack(const std::uint32_t* strided, std::uint32_t* packed,
                          std::uint64_t packed_pitch, std::uint64_t rows,
                          cudaStream_t stream) const {
  enqueue(stream, [=, layout = layout_] {
    launch(from_strided, static_cast<unsigned>(rows), 32, layout, strided + layout.lead(),
           static_cast<std::uint32_t>(packed_pitch), packed);
  });
}

/// As cuda_dense.cu: two kernels, between which others may run.
void KernelOnHost::advance(std::uint32_t* in, std::uint32_t* out, std::int64_t first,
                           std::int64_t rows, std::int64_t height, std::uint64_t steps,
                           cudaStream_t stream) const {
  const auto margin = static_cast<std::int64_t>(steps);
  if (layout_.gathers())
    enqueue(stream, [=, layout = layout_] {
      std::uint32_t* from = in + (first - margin) * std::int64_t{layout.pitch} + layout.lead();
      for (blockIdx.x = 0; blockIdx.x < rows + 2 * margin; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < 2 * layout.group; ++threadIdx.x)
          gather_ghosts(layout, from);
    });
  enqueue(stream, [=, layout = layout_] {
    launch_pass(dense_pass(layout, in, out, first, rows, height, static_cast<std::uint32_t>(steps),
                           /*resident=*/1),
                steps);
  });
}

namespace {

using ranked::Kept;
using ranked::RankRows;
using ranked::Shares;

/// A send, or a receive, that its stream has come to.
struct Posted {
  ranks::Transfer transfer;
  bool done = false;
};

/// Between any two ranks what is sent and what is received meet in the order of the calls.
class Wire {
 public:
  std::shared_ptr<Posted> post(std::uint32_t rank, const ranks::Transfer& transfer) {
    const auto posted = std::make_shared<Posted>(Posted{transfer});
    const bool sends = transfer.send != nullptr;
    auto& line = sends ? lines_[{rank, transfer.other}] : lines_[{transfer.other, rank}];
    (sends ? line.sends : line.receives).push_back(posted);
    while (!line.sends.empty() && !line.receives.empty()) {
      const auto from = line.sends.front(), to = line.receives.front();
      line.sends.pop_front(), line.receives.pop_front();
      if (from->transfer.bytes != to->transfer.bytes) throw std::logic_error("of another size");
      std::memcpy(to->transfer.receive, from->transfer.send, from->transfer.bytes);
      from->done = to->done = true;
    }
    return posted;
  }

 private:
  struct Line {
    std::deque<std::shared_ptr<Posted>> sends, receives;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Line> lines_;
};

/// What a rank's rows ask of a communicator: exchanges between GPUs.
class DeviceOnHost final : public ranks::DeviceCommunicator, public ranks::Communicator {
 public:
  DeviceOnHost(Wire& wire, std::uint32_t rank, std::uint32_t size)
      : wire_(wire), rank_(rank), size_(size) {}
  /// Done when all of it has met its other side.
  void exchange(const std::vector<ranks::Transfer>& transfers, Stream stream) override {
    auto posted = std::make_shared<std::vector<std::shared_ptr<Posted>>>();
    stream->work.push_back([=, this] {
      if (posted->empty())
        for (const ranks::Transfer& each : transfers) posted->push_back(wire_.post(rank_, each));
      return std::all_of(posted->begin(), posted->end(),
                         [](const auto& each) { return each->done; });
    });
  }
  void wait(Stream stream) override { streams.run(stream); }
  ranks::DeviceCommunicator& device() override { return *this; }
  std::uint32_t rank() const override { return rank_; }
  std::uint32_t size() const override { return size_; }
  double seconds() const override { return 0; }

  void all_reduce(std::uint64_t*, std::size_t, ranks::Fold, Stream) override { none(); }
  void all_reduce(std::uint32_t*, std::size_t, ranks::Fold, Stream) override { none(); }
  void broadcast(void*, std::size_t, std::uint32_t, Stream) override { none(); }
  void barrier() override { none(); }
  void broadcast(void*, std::size_t, std::uint32_t) override { none(); }
  void all_reduce(std::uint64_t*, std::size_t, ranks::Fold) override { none(); }
  void start_send(const void*, std::size_t, std::uint32_t) override { none(); }
  void start_receive(void*, std::size_t, std::uint32_t) override { none(); }
  void finish() override { none(); }

 private:
  [[noreturn]] static void none() { throw std::logic_error("not between GPUs"); }
  Wire& wire_;
  std::uint32_t rank_, size_;
};

struct Sharing {
  std::uint32_t ranks;
  std::int64_t halo;
  bool hides;
};

/// After two runs of all ranks, whose work waits in their streams until the last has enqueued its
/// own.
Grid shared_run(const Grid& start, std::uint64_t steps, Edge edge, const Sharing& sharing) {
  Wire wire;
  Grid end(start.width(), start.height());
  std::vector<std::unique_ptr<RankRows>> parts;
  std::vector<std::unique_ptr<DeviceOnHost>> devices;
  std::vector<Kept> kept;
  const Shares shares(start.height(), sharing.ranks, edge);
  for (std::uint32_t rank = 0; rank < sharing.ranks && shares.own(rank).size() > 0; ++rank) {
    kept.push_back({start.width(), shares, rank, sharing.halo});
    devices.push_back(std::make_unique<DeviceOnHost>(wire, rank, sharing.ranks));
    parts.push_back(ranked::make_rows_on_host(kept[rank], "a test"));
    const RowRange own = shares.own(rank);
    parts[rank]->load(start.row(static_cast<std::uint64_t>(own.first)), own.first,
                      static_cast<std::uint64_t>(own.size()));
  }
  for (int run = 0; run < 2; ++run) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      make_generations(*parts[rank], kept[rank], steps, sharing.hides, *devices[rank]);
    for (std::size_t rank = 0; rank < parts.size(); ++rank) parts[rank]->wait(*devices[rank]);
  }
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    const RowRange own = kept[rank].own();
    parts[rank]->unload(end.row(static_cast<std::uint64_t>(own.first)), own.first,
                        static_cast<std::uint64_t>(own.size()));
  }
  return end;
}

void expect_right(const Grid& start, std::uint64_t steps, Edge edge, const Sharing& sharing) {
  ASSERT_EQ("",
            difference(oracle_run(start, 2 * steps, edge), shared_run(start, steps, edge, sharing)))
      << start.width() << " x " << start.height() << ", 2 x " << steps << " steps, "
      << (edge == Edge::torus ? "torus, " : "dead border, ") << sharing.ranks << " ranks, halo "
      << sharing.halo << ", hides " << sharing.hides << ", K " << words_a_lane << ", order "
      << static_cast<int>(streams.order);
}

/// Rows that end with a word, and not; shares of a row, of fewer than two passes have generations,
/// of more; halos of one pass, of several, of passes of several lengths.
void expect_all(std::uint32_t group, Streams::Order order) {
  words_a_lane = group;
  streams.order = order;
  unsigned turn = 0;
  for (const Edge edge : {Edge::dead, Edge::torus})
    for (const std::uint64_t width : {std::uint64_t{64} * group, std::uint64_t{301}})
      for (const std::uint64_t height : {1, 37, 66})
        for (const std::uint32_t ranks : {1, 3, 5}) {
          streams.seed(turn);
          const Grid start = soup(width, height, turn, 110);
          const std::int64_t halo = turn % 2 == 0 ? 8 : 13;
          expect_right(start, 15 + turn % 4, edge, {ranks, halo, turn % 3 != 0});
          if (testing::Test::HasFatalFailure()) return;
          ++turn;
        }
}

TEST(LifeRankedRows, OneStreamAsFarAsItComes) {
  for (const std::uint32_t group : {4, 8})
    for (const auto order : {Streams::Order::first, Streams::Order::last}) expect_all(group, order);
}

TEST(LifeRankedRows, StreamsInAnyOrder) {
  for (const std::uint32_t group : {4, 8}) expect_all(group, Streams::Order::any);
}

}  // namespace
}  // namespace ratchet::life
#endif
