// A rank's rows on a CPU: what life/mpi/02_gpus is tested with where there is no GPU, by passes of
// as many generations as on one.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "kernels/life/packed/cpu_simd.h"
#include "kernels/life/ranked/rank_rows.h"
#include "kernels/life/ranked/row_shape.h"

namespace ratchet::life::ranked {
namespace {

class CpuRows final : public RankRows {
 public:
  explicit CpuRows(const Kept& kept)
      : kept_(kept),
        shape_(kept.width, kept.shares.edge()),
        now_(make_field()),
        next_(make_field()),
        between_{make_field(), make_field()} {}

  std::uint64_t pass_steps(std::uint64_t left) const override {
    return std::min<std::uint64_t>(8, std::bit_floor(left));
  }
  void load(const std::uint64_t* packed, std::int64_t y, std::uint64_t rows) override {
    for (std::uint64_t i = 0; i < rows; ++i, ++y, packed += GridRows::columns(kept_.width))
      shape_.pack(packed, row(now_, y));
  }
  void unload(std::uint64_t* packed, std::int64_t y, std::uint64_t rows) const override {
    for (std::uint64_t i = 0; i < rows; ++i, ++y, packed += GridRows::columns(kept_.width))
      shape_.unpack(now_.row(kept_.index(y)), packed);
  }

  void start_exchange(const std::vector<HaloPiece>& pieces, ranks::Communicator& ranks) override {
    for (const HaloPiece& each : pieces) {
      if (each.from == each.to)
        std::memcpy(row(now_, each.at), row(now_, each.row), bytes_of(each.rows));
      else if (each.to == kept_.rank)
        ranks.start_receive(row(now_, each.at), bytes_of(each.rows), each.from);
      else
        ranks.start_send(row(now_, each.row), bytes_of(each.rows), each.to);
    }
  }
  void finish_exchange(ranks::Communicator& ranks) override { ranks.finish(); }

  void advance(RowRange rows, std::uint64_t steps, Queue) override {
    if (rows.size() == 0) return;
    const Field<std::uint64_t>* from = &now_;
    for (std::uint64_t left = steps; left-- > 0;) {
      Field<std::uint64_t>& to = left == 0 ? next_ : between_[left % 2];
      const RowRange made = kept_.shares.around(rows, static_cast<std::int64_t>(left));
      SimdRows::advance({*from, to, shape_.width(), index(made.first), index(made.last)});
      for (std::int64_t y = made.first; y < made.last; ++y) shape_.join(row(to, y));
      from = &to;
    }
  }
  void swap() override { std::swap(now_, next_); }
  void wait(ranks::Communicator&) override {}

 private:
  Field<std::uint64_t> make_field() const {
    return {shape_.columns(), static_cast<std::uint64_t>(kept_.rows())};
  }
  std::uint64_t index(std::int64_t y) const { return static_cast<std::uint64_t>(kept_.index(y)); }
  std::uint64_t* row(Field<std::uint64_t>& field, std::int64_t y) const {
    return field.row(kept_.index(y));
  }
  /// Of rows in memory, with the zeros between one and the next.
  std::size_t bytes_of(std::int64_t rows) const {
    const std::ptrdiff_t stride = now_.row(1) - now_.row(0);
    return static_cast<std::size_t>((rows - 1) * stride) * 8 + shape_.columns() * 8;
  }

  Kept kept_;
  RowShape shape_;
  Field<std::uint64_t> now_, next_, between_[2];
};

}  // namespace

std::unique_ptr<RankRows> make_cpu_rows(const Kept& kept) {
  return std::make_unique<CpuRows>(kept);
}

}  // namespace ratchet::life::ranked
