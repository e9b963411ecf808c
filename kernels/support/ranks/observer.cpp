#include "kernels/support/ranks/observer.h"

#include <utility>

namespace ratchet::ranks {
namespace {

std::unique_ptr<RunObserver> the_observer;

}  // namespace

void observe_runs(std::unique_ptr<RunObserver> observer) { the_observer = std::move(observer); }
RunObserver* run_observer() { return the_observer.get(); }

}  // namespace ratchet::ranks
