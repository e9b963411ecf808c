// The rare positions below 1024, as constants for the code that resolves near positions: where they
// are compiled in, an option is a load at a fixed distance. A test holds them to the oracle.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/officers/values/compressed.h"

namespace ratchet::officers::front {

struct NearRare {
  std::uint32_t position;
  std::uint32_t byte;  ///< the value there, as compress() makes it
};

inline constexpr NearRare kNearRares[] = {
    {0, 0}, {1, 0}, {2, 1}, {4, 0}, {5, 1}, {8, 1}, {12, 0}, {16, 1}, {19, 1}, {20, 0}, {22, 1},
    {25, 1}, {28, 1}, {30, 0}, {31, 1}, {34, 1}, {45, 1}, {46, 0}, {54, 2}, {57, 1}, {60, 1},
    {72, 0}, {80, 2}, {83, 2}, {86, 1}, {98, 0}, {106, 2}, {109, 2}, {112, 1}, {124, 0}, {128, 1},
    {132, 2}, {135, 2}, {138, 2}, {140, 3}, {150, 0}, {154, 1}, {158, 2}, {161, 2}, {164, 2},
    {176, 0}, {190, 2}, {196, 2}, {202, 2}, {214, 3}, {222, 2}, {225, 2}, {228, 2}, {248, 1},
    {251, 1}, {254, 2}, {274, 1}, {280, 1}, {300, 1}, {307, 5}, {314, 0}, {326, 1}, {333, 5},
    {336, 7}, {356, 7}, {363, 6}, {375, 6}, {378, 6}, {381, 8}, {384, 8}, {386, 6}, {393, 7},
    {398, 8}, {404, 8}, {407, 8}, {408, 0}, {410, 8}, {412, 6}, {419, 7}, {436, 8}, {438, 6},
    {441, 6}, {442, 2}, {445, 7}, {450, 8}, {467, 6}, {468, 2}, {476, 8}, {489, 9}, {499, 8},
    {502, 8}, {505, 8}, {509, 9}, {515, 4}, {516, 8}, {519, 8}, {528, 3}, {529, 9}, {531, 8},
    {534, 3}, {535, 4}, {538, 2}, {541, 4}, {542, 8}, {543, 5}, {545, 8}, {555, 9}, {558, 9},
    {559, 8}, {560, 3}, {561, 4}, {564, 2}, {565, 8}, {568, 8}, {569, 5}, {571, 8}, {572, 9},
    {575, 9}, {578, 9}, {581, 9}, {584, 9}, {585, 8}, {587, 4}, {590, 4}, {591, 8}, {594, 8},
    {595, 5}, {597, 8}, {598, 9}, {601, 9}, {604, 9}, {607, 9}, {610, 9}, {611, 8}, {613, 4},
    {614, 8}, {616, 4}, {617, 8}, {620, 8}, {621, 5}, {624, 9}, {627, 9}, {636, 1}, {639, 4},
    {640, 8}, {642, 10}, {643, 8}, {657, 7}, {663, 8}, {666, 8}, {668, 10}, {669, 8}, {676, 9},
    {694, 10}, {705, 6}, {706, 8}, {708, 6}, {720, 10}, {731, 6}, {734, 6}, {737, 6}, {740, 6},
    {746, 10}, {752, 2}, {755, 2}, {757, 6}, {758, 12}, {760, 6}, {763, 6}, {766, 6}, {769, 6},
    {772, 10}, {778, 2}, {780, 6}, {781, 2}, {783, 6}, {788, 9}, {792, 8}, {804, 2}, {813, 9},
    {815, 8}, {830, 2}, {837, 15}, {841, 8}, {842, 9}, {865, 12}, {875, 13}, {885, 5}, {905, 5},
    {911, 5}, {923, 4}, {926, 9}, {927, 13}, {930, 8}, {949, 4}, {950, 13}, {956, 8}, {960, 5},
    {963, 5}, {966, 9}, {986, 5}, {989, 5}, {1001, 4}, {1016, 15}, {1020, 12}
};
inline constexpr std::uint32_t kNearEnd = 1024;

/// Whether `rares`, ascending, of a state before position `next` are these where these are.
template <class Rares>
constexpr bool begins_as_the_game(const Rares& rares, std::uint64_t next) {
  std::size_t i = 0;
  for (const NearRare& near : kNearRares) {
    if (near.position >= next) break;
    if (i == rares.size() || rares[i].position != near.position ||
        compress(rares[i].value) != near.byte)
      return false;
    ++i;
  }
  return i == rares.size() || rares[i].position >= kNearEnd;
}

/// How many of them are below `position`.
constexpr int rares_below(std::uint32_t position) {
  int count = 0;
  for (const NearRare& rare : kNearRares) count += rare.position < position;
  return count;
}

}  // namespace ratchet::officers::front
