#include <stdexcept>

#include "kernels/support/ranks/communicator.h"
#include "kernels/support/ranks/device_communicator.h"
#include "kernels/support/ranks/gpu.h"

namespace ratchet::ranks {
namespace {

[[noreturn]] void refuse() {
  throw std::logic_error("a run of one rank has no other rank to exchange with");
}

class AloneDevice final : public DeviceCommunicator {
 public:
  void all_reduce(std::uint64_t*, std::size_t, Fold, Stream) override {}
  void all_reduce(std::uint32_t*, std::size_t, Fold, Stream) override {}
  void broadcast(void*, std::size_t, std::uint32_t, Stream) override {}
  void exchange(const std::vector<Transfer>& transfers, Stream) override {
    if (!transfers.empty()) refuse();
  }
  void wait(Stream stream) override { wait_for_stream(stream); }
};

class Alone final : public Communicator {
 public:
  std::uint32_t rank() const override { return 0; }
  std::uint32_t size() const override { return 1; }
  void barrier() override {}
  void broadcast(void*, std::size_t, std::uint32_t) override {}
  void all_reduce(std::uint64_t*, std::size_t, Fold) override {}
  void start_send(const void*, std::size_t, std::uint32_t) override { refuse(); }
  void start_receive(void*, std::size_t, std::uint32_t) override { refuse(); }
  void finish() override {}
  DeviceCommunicator& device() override { return device_; }
  double seconds() const override { return 0; }

 private:
  AloneDevice device_;
};

}  // namespace

std::unique_ptr<Communicator> make_alone() { return std::make_unique<Alone>(); }

}  // namespace ratchet::ranks
