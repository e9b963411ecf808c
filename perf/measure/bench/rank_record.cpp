#include "perf/measure/bench/rank_record.h"

#include <algorithm>
#include <limits>

#include "kernels/support/ranks/ranked_run.h"
#include "perf/stats/quantile.h"

namespace ratchet::bench {

void RankRecord::look(const Instance& instance) {
  const std::vector<ranks::RankTime>* known = ranks::rank_times_of(instance);
  if (!known) return;
  const std::vector<ranks::RankTime>& times = *known;
  ranks_ = times.size();
  double least_work = std::numeric_limits<double>::infinity(), most_work = 0;
  double least_talk = std::numeric_limits<double>::infinity();
  for (const ranks::RankTime& time : times) {
    const double work = time.span_s - time.communication_s;
    least_work = std::min(least_work, work);
    most_work = std::max(most_work, work);
    least_talk = std::min(least_talk, time.communication_s);
    if (!(time.sm_clock_mhz > 0)) continue;
    lowest_mhz_ = lowest_mhz_ > 0 ? std::min(lowest_mhz_, time.sm_clock_mhz) : time.sm_clock_mhz;
    highest_mhz_ = std::max(highest_mhz_, time.sm_clock_mhz);
  }
  const double slowest = ranks::slowest_s(times);
  spreads_.push_back(slowest > 0 ? (most_work - least_work) / slowest : 0);
  communication_s_.push_back(least_talk);
}

double RankRecord::spread() const { return spreads_.empty() ? 0 : stats::quantile(spreads_, 0.5); }

double RankRecord::communication_s() const {
  return communication_s_.empty() ? 0 : stats::quantile(communication_s_, 0.5);
}

}  // namespace ratchet::bench
