// The deals of the kernels that play ranks of the game with 40 cards, bmn/cuda/10 and 13.
#pragma once

#include <vector>

#include "kernels/bmn/lean_links/lean_links.cuh"
#include "kernels/bmn/search/ranks.h"

namespace ratchet::bmn::search {

/// Each lane keeps the places of its last deal's courts: 34650 deals in a row have the same.
struct Ranks {
  static constexpr unsigned kCards = kShortHand, kOf = kShortCourts;
  static constexpr unsigned kOwnRows = 4;
  const RankTables* tables;

  __device__ __forceinline__ void begin(lean_links::Word own,
                                        const lean_links::SharedNodes& nodes) const {
    keep(own, ~std::uint64_t{0}, nodes);
  }
  __device__ __forceinline__ Shuffle deal(const Job& job, const ShuffleTables*,
                                          std::uint64_t number, lean_links::Word own,
                                          const lean_links::SharedNodes& nodes) const {
    const std::uint64_t rank = rank_at(job.search, number);
    const std::uint64_t of_places = rank / kShortOrders;
    if (kept(own, nodes) != of_places) {
      keep(own, of_places, nodes);
      keep(own + 2 * lean_links::kRow, places_of_rank(of_places, *tables), nodes);
    }
    return short_deal(kept(own + 2 * lean_links::kRow, nodes),
                      static_cast<std::uint32_t>(rank - of_places * kShortOrders), *tables);
  }

 private:
  static __device__ __forceinline__ std::uint64_t kept(lean_links::Word at,
                                                       const lean_links::SharedNodes& nodes) {
    return nodes.load(at) | std::uint64_t{nodes.load(at + lean_links::kRow)} << 32;
  }
  static __device__ __forceinline__ void keep(lean_links::Word at, std::uint64_t value,
                                              const lean_links::SharedNodes& nodes) {
    nodes.store(at, static_cast<std::uint32_t>(value));
    nodes.store(at + lean_links::kRow, static_cast<std::uint32_t>(value >> 32));
  }
};

inline const RankTables* device_rank_tables() {
  static const DeviceBuffer<RankTables> tables(std::vector<RankTables>{rank_tables()});
  return tables.data();
}

}  // namespace ratchet::bmn::search
