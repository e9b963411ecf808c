#include "kernels/life/ranked/rank_rows.h"

#include <algorithm>

namespace ratchet::life::ranked {
namespace {

/// The first pass behind an exchange that was started.
void pass_beside_exchange(RankRows& rows, const Kept& kept, RowRange made, std::uint64_t steps,
                          bool hides, ranks::Communicator& ranks) {
  RowRange inner = kept.shares.without_halo(kept.rank, made, static_cast<std::int64_t>(steps));
  if (!hides || inner.size() == 0) inner = {made.first, made.first};
  rows.advance(inner, steps);
  rows.finish_exchange(ranks);
  rows.advance({made.first, inner.first}, steps, Queue::side);
  rows.advance({inner.last, made.last}, steps);
}

/// One exchange of halos and the generations that they are good for, at most kept.halo.
void advance(RankRows& rows, const Kept& kept, std::uint64_t generations, bool hides,
             ranks::Communicator& ranks) {
  const auto depth = static_cast<std::int64_t>(generations);
  rows.start_exchange(kept.shares.pieces(kept.rank, depth), ranks);
  for (std::uint64_t left = generations; left > 0;) {
    const std::uint64_t steps = rows.pass_steps(left);
    const bool first = left == generations;
    left -= steps;
    // Beyond the own rows those that the passes to come still need.
    const RowRange made = kept.shares.around(kept.own(), static_cast<std::int64_t>(left));
    if (first)
      pass_beside_exchange(rows, kept, made, steps, hides, ranks);
    else
      rows.advance(made, steps);
    rows.swap();
  }
}

}  // namespace

void make_generations(RankRows& rows, const Kept& kept, std::uint64_t steps, bool hides,
                      ranks::Communicator& ranks) {
  for (std::uint64_t left = steps; left > 0;) {
    const std::uint64_t next = std::min(left, static_cast<std::uint64_t>(kept.halo));
    advance(rows, kept, next, hides, ranks);
    left -= next;
  }
}

}  // namespace ratchet::life::ranked
