// Pictures that explain a family's data layouts, drawn by the program.
#pragma once

#include <string>
#include <vector>

namespace ratchet::report {

struct Picture {
  std::string name;  ///< of its file: "layouts.svg"
  std::string svg;
};

/// The pictures of a family; none for most. They hold no figures that were measured.
std::vector<Picture> pictures_of(const std::string& family);

/// How the stages of life keep their cells: packed bits, nibbles, overlapping columns, strided bit
/// planes, and the rows that a warp keeps in registers.
std::string life_layouts();

}  // namespace ratchet::report
