#if RATCHET_HAVE_NCCL
#include "nccl_communicator.h"

#include "nccl_library.h"
#include "perf/support/error.h"

namespace ratchet::ranks {
namespace {

/// The number of blocks of NCCL's kernels. Each takes a multiprocessor from a concurrent
/// computation, and waits there for the other rank. Four move halos of a megabyte in about ten
/// microseconds.
constexpr int kMostBlocks = 4;

class NcclCommunicator final : public DeviceCommunicator {
 public:
  NcclCommunicator(Communicator& ranks, StreamIsIdle stream_is_idle, BeginWait begin_wait)
      : nccl_(NcclLibrary::get()),
        stream_is_idle_(stream_is_idle),
        begin_wait_(std::move(begin_wait)) {
    ncclUniqueId id{};
    if (ranks.rank() == 0) nccl_.check(nccl_.get_unique_id(&id), "ncclGetUniqueId");
    ranks.broadcast(&id, sizeof id, 0);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.maxCTAs = kMostBlocks;
    nccl_.check(nccl_.init_rank(&comm_, static_cast<int>(ranks.size()), id,
                                static_cast<int>(ranks.rank()), &config),
                "ncclCommInitRankConfig");
  }
  // Not destroyed: that is collective, and after a fault the other ranks do not take part.
  ~NcclCommunicator() override { nccl_.abort(comm_); }
  NcclCommunicator(const NcclCommunicator&) = delete;
  NcclCommunicator& operator=(const NcclCommunicator&) = delete;

  void all_reduce(std::uint64_t* values, std::size_t count, Fold fold, Stream stream) override {
    reduce(values, count, ncclUint64, fold, stream);
  }
  void all_reduce(std::uint32_t* values, std::size_t count, Fold fold, Stream stream) override {
    reduce(values, count, ncclUint32, fold, stream);
  }
  void broadcast(void* data, std::size_t bytes, std::uint32_t from, Stream stream) override {
    nccl_.check(
        nccl_.broadcast(data, data, bytes, ncclUint8, static_cast<int>(from), comm_, stream),
        "ncclBroadcast");
  }
  void exchange(const std::vector<Transfer>& transfers, Stream stream) override {
    if (transfers.empty()) return;
    nccl_.check(nccl_.group_start(), "ncclGroupStart");
    for (const Transfer& each : transfers) {
      const int other = static_cast<int>(each.other);
      nccl_.check(each.send
                      ? nccl_.send(each.send, each.bytes, ncclUint8, other, comm_, stream)
                      : nccl_.receive(each.receive, each.bytes, ncclUint8, other, comm_, stream),
                  each.send ? "ncclSend" : "ncclRecv");
    }
    nccl_.check(nccl_.group_end(), "ncclGroupEnd");
  }
  void wait(Stream stream) override {
    const auto turn = begin_wait_();
    while (!stream_is_idle_(stream)) {
      ncclResult_t failed = ncclSuccess;
      nccl_.check(nccl_.async_error(comm_, &failed), "ncclCommGetAsyncError");
      nccl_.check(failed, "a transfer between GPUs");
      turn();
    }
  }

 private:
  void reduce(void* values, std::size_t count, ncclDataType_t type, Fold fold, Stream stream) {
    nccl_.check(nccl_.all_reduce(values, values, count, type, fold == Fold::sum ? ncclSum : ncclMax,
                                 comm_, stream),
                "ncclAllReduce");
  }

  const NcclLibrary& nccl_;
  StreamIsIdle stream_is_idle_;
  BeginWait begin_wait_;
  ncclComm_t comm_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceCommunicator> make_nccl_communicator(Communicator& ranks,
                                                           StreamIsIdle stream_is_idle,
                                                           const BeginWait& begin_wait) {
  return std::make_unique<NcclCommunicator>(ranks, stream_is_idle, begin_wait);
}

}  // namespace ratchet::ranks

#else  // a build without NCCL's header
#include "nccl_communicator.h"
#include "perf/support/error.h"

namespace ratchet::ranks {

std::unique_ptr<DeviceCommunicator> make_nccl_communicator(Communicator&, StreamIsIdle,
                                                           const BeginWait&) {
  throw Error(
      "this build has no NCCL, by which the GPUs of several ranks exchange data; install "
      "libnccl-dev "
      "(or Python's nvidia-nccl-cu13), then configure and build again");
}

}  // namespace ratchet::ranks
#endif
