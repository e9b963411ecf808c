#include "kernels/support/ranks/alone.h"

#include <stdexcept>

namespace ratchet::ranks {
namespace {

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
  double seconds() const override { return 0; }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("one rank alone has no other"); }
};

}  // namespace

std::unique_ptr<Communicator> make_alone() { return std::make_unique<Alone>(); }

}  // namespace ratchet::ranks
