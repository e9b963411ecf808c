// The family: dot products of two vectors that any program can make again.
#pragma once

#include <ratchet/kernel.h>

#include <cstdint>
#include <vector>

namespace dot {

struct Vectors {
  std::vector<double> a, b;
};

/// Small whole numbers, so that every order of adding them up gives the same sum.
inline Vectors vectors(std::uint64_t elements) {
  Vectors made;
  for (std::uint64_t i = 0; i < elements; ++i) {
    made.a.push_back(static_cast<double>(i % 7) - 3);
    made.b.push_back(static_cast<double>(i % 5));
  }
  return made;
}

/// The definition, in whole numbers.
inline double reference(const Vectors& in) {
  long long sum = 0;
  for (std::size_t i = 0; i < in.a.size(); ++i)
    sum += static_cast<long long>(in.a[i]) * static_cast<long long>(in.b[i]);
  return static_cast<double>(sum);
}

}  // namespace dot
