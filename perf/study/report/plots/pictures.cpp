#include "perf/study/report/plots/pictures.h"

#include <map>
#include <utility>

namespace ratchet::report {
namespace {

using Draw = nlohmann::json (*)();

// A function-local static, so that registrations of other files find it built whatever the order.
std::map<std::pair<std::string, std::string>, Draw>& drawings() {
  static std::map<std::pair<std::string, std::string>, Draw> by_family_and_id;
  return by_family_and_id;
}

}  // namespace

std::vector<Picture> pictures_of(const std::string& family) {
  std::vector<Picture> pictures;
  for (const auto& [place, draw] : drawings())
    if (place.first == family) pictures.push_back({place.second, draw()});
  return pictures;
}

PictureRegistration::PictureRegistration(std::string family, std::string id, Draw draw) {
  drawings()[{std::move(family), std::move(id)}] = draw;
}

}  // namespace ratchet::report
