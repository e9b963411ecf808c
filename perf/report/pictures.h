// Pictures that explain a family's data layouts, drawn by the program.
//
// A family registers its own, from correctness/<family>/, at namespace scope:
//   const report::PictureRegistration registered{"life", "layouts.svg", &layouts};
#pragma once

#include <string>
#include <vector>

namespace ratchet::report {

struct Picture {
  std::string name;  ///< of its file: "layouts.svg"
  std::string svg;
};

/// The pictures of a family, drawn, by name; none for most. They hold no figures that were
/// measured.
std::vector<Picture> pictures_of(const std::string& family);

class PictureRegistration {
 public:
  /// `draw` returns a whole SVG document, the same at every call.
  PictureRegistration(std::string family, std::string name, std::string (*draw)());
};

}  // namespace ratchet::report
