// The family: dot products. A stage computes one of two vectors that any program can make again.
// Unit of work: elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/contract/stage.h"

namespace dot {

/// Elements `index` of the two vectors: small whole numbers, so that every order of adding them up
/// gives the same sum.
inline double first(std::size_t index) { return static_cast<double>(index % 7) - 3; }
inline double second(std::size_t index) { return static_cast<double>(index % 5); }

using Kernel = double (*)(const double* a, const double* b, std::size_t count);

class Product final : public ratchet::Instance {
 public:
  Product(Kernel kernel, std::size_t count) : kernel_(kernel), a_(count), b_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      a_[i] = first(i);
      b_[i] = second(i);
    }
  }
  void run() override { sum_ = kernel_(a_.data(), b_.data(), a_.size()); }
  std::uint64_t units() const override { return a_.size(); }
  double collect() const { return sum_; }

 private:
  Kernel kernel_;
  std::vector<double> a_, b_;
  double sum_ = 0;
};

class Stage final : public ratchet::Stage {
 public:
  Stage(const std::string& name, const std::string& summary, Kernel kernel)
      : ratchet::Stage({.name = name,
                        .summary = summary,
                        .source = "an example",
                        .unit = "elements",
                        .parameters = {{"elements", 1 << 16, 1, 1 << 28, "of each vector"}},
                        .size = "elements",
                        .sanitizer_run = {{"elements", 65}}}),
        kernel_(kernel) {}
  std::unique_ptr<ratchet::Instance> prepare(const ratchet::Parameters& parameters) const override {
    return prepare_product(parameters);
  }
  std::unique_ptr<Product> prepare_product(const ratchet::Parameters& parameters) const {
    return std::make_unique<Product>(kernel_, parameters.at("elements"));
  }

 private:
  Kernel kernel_;
};

}  // namespace dot
