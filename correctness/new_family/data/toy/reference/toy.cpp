#include "reference/toy.h"

namespace ratchet::reference::toy {
namespace {

/// Number k, from 0, of the sequence (Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t number(std::uint64_t k, std::uint64_t seed) {
  std::uint64_t z = seed + (k + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t ones(std::uint64_t words, std::uint64_t seed) {
  std::uint64_t all = 0;
  for (std::uint64_t k = 0; k < words; ++k)
    for (std::uint64_t rest = number(k, seed); rest > 0; rest /= 2) all += rest % 2;
  return all;
}

}  // namespace ratchet::reference::toy
