#include "perf/gate/run/session.h"

#include <fmt/format.h>

namespace ratchet::gate {
namespace {

std::vector<Listing> list_all(const std::vector<Side>& sides) {
  std::vector<Listing> listings;
  for (const Side& side : sides) listings.push_back(side.program->list());
  return listings;
}

}  // namespace

void Progress::tell(const std::string& line) {
  constexpr double interval_s = 15;
  if (show_) standing_ = line + ": ";
  if (show_) return show("");
  if (seconds_now() - told_s_ < interval_s) return;
  told_s_ = seconds_now();
  say(line);
}

void Progress::show(const std::string& what) const {
  if (show_) show_(fmt::format("ratchet: {}{}", standing_, what));
}

Session::Session(std::vector<Side> sides, SessionOptions options, Progress::Line progress)
    : sides_(std::move(sides)),
      options_(std::move(options)),
      budget_(options_.budget_s),
      progress_(std::move(progress), options_.show),
      selection_(list_all(sides_), options_.selection),
      ledger_(sides_, selection_.rows(), options_.gpus.size() > 1, progress_),
      checker_(sides_, options_.verify_s, ledger_, budget_, progress_),
      launcher_(sides_, options_, selection_.rows(), checker_, ledger_, budget_, progress_),
      scheduler_(sides_.size(), options_, launcher_, ledger_, budget_, progress_) {}

}  // namespace ratchet::gate
