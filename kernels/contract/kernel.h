// A stage in a few lines: a function of prepared inputs, held against a reference.
//
//   struct Vectors { std::vector<double> a, b; };
//   Vectors vectors(std::uint64_t elements);          // inputs of that size, always the same
//   double reference(const Vectors& in);              // the definition
//   double loop(const Vectors& in) { ... }            // what is timed
//
//   const ratchet::Registration registered = ratchet::kernel<loop>(RATCHET_STAGE)
//                                                .summary("one product after the other")
//                                                .inputs("elements", 1 << 16, vectors)
//                                                .reference(reference);
//
// A kernel is `Output f(const Input&)`, or `void f(const Input&, Output&)` where the output keeps
// its memory from run to run. Outputs are numbers, containers of comparable values, or anything
// with ==. Before any timing the kernel's first and second run are compared with the reference.
// Sizes are those around every power of two up to 4096, and the timed one. After the timing, the
// output of the timed instance is compared. What does not fit derives from Stage (stage.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/contract/check.h"
#include "kernels/contract/stage.h"

namespace ratchet {
namespace detail {

template <class Function>
struct KernelTypes;
template <class O, class I>
struct KernelTypes<O (*)(const I&)> {
  using Input = I;
  using Output = O;
};
template <class O, class I>
struct KernelTypes<void (*)(const I&, O&)> {
  using Input = I;
  using Output = O;
};

template <class T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};
template <class T>
concept Sequence = requires(const T& values) {
  std::begin(values);
  std::size(values);
}
&&!std::is_convertible_v<T, std::string>;

/// Where `seen` is not `expected`, what differs first; else "". `tolerance`: relative, of numbers;
/// a NaN equals nothing.
template <class T>
std::string difference(const T& expected, const T& seen, double tolerance) {
  if constexpr (Sequence<T>) {
    if (std::size(expected) != std::size(seen))
      return "expected " + std::to_string(std::size(expected)) + " values, found " +
             std::to_string(std::size(seen));
    auto other = std::begin(seen);
    std::size_t index = 0;
    for (const auto& value : expected) {
      const std::string found = difference(value, *other++, tolerance);
      if (!found.empty()) return "[" + std::to_string(index) + "] " + found;
      ++index;
    }
    return "";
  } else {
    bool same;
    if constexpr (std::is_arithmetic_v<T>) {
      const auto a = static_cast<long double>(expected), b = static_cast<long double>(seen);
      same =
          expected == seen || std::fabs(a - b) <= tolerance * std::fmax(std::fabs(a), std::fabs(b));
    } else {
      same = expected == seen;
    }
    if (same) return "";
    if constexpr (Printable<T>) {
      std::ostringstream text;
      text.precision(17);
      text << "expected " << expected << ", found " << seen;
      return text.str();
    } else {
      return "the output differs from the reference's";
    }
  }
}

/// A stage that checks itself.
class SelfChecking {
 public:
  virtual ~SelfChecking() = default;
  virtual CheckResult check() const = 0;
  virtual InSituResult check(const TimedRow& row) const = 0;
};

/// The checks of a family whose stages check themselves.
void register_self_checks(const std::string& family);

/// Ends the program at start-up, naming a kernel that lacks inputs or a reference.
[[noreturn]] void refuse_kernel(const std::string& name);

template <auto function>
class KernelStage final : public Stage, public SelfChecking {
 public:
  using Types = KernelTypes<decltype(function)>;
  using Input = typename Types::Input;
  using Output = typename Types::Output;
  struct Facts {
    StageInfo info;
    Input (*inputs)(std::uint64_t) = nullptr;
    Output (*reference)(const Input&) = nullptr;
    double tolerance = 0;
  };
  explicit KernelStage(Facts facts) : Stage(facts.info), facts_(std::move(facts)) {}

  std::unique_ptr<Instance> prepare(const Parameters& parameters) const override {
    return prepare(parameters.at(info().size));
  }
  CheckResult check() const override {
    const std::uint64_t least = info().parameters.front().min,
                        timed = info().parameters.front().value;
    for (std::uint64_t power = 1; power <= 4096; power *= 2)
      for (const std::uint64_t size : {power - 1, power, power + 1})
        if (size >= least && size < timed)
          if (const std::string found = wrong(size); !found.empty()) return {false, found};
    if (const std::string found = wrong(timed); !found.empty()) return {false, found};
    return {true, "the reference's output at up to " + std::to_string(timed) + " " + info().size};
  }
  InSituResult check(const TimedRow& row) const override {
    const auto& run = dynamic_cast<const Run&>(row.instance);
    const std::string found = run.difference(facts_);
    if (found.empty()) return {InSituState::right, "the reference's output"};
    return {InSituState::wrong, found};
  }

 private:
  class Run final : public Instance {
   public:
    Run(Input input, std::uint64_t size) : input_(std::move(input)), size_(size) {}
    void run() override {
      if constexpr (std::is_invocable_v<decltype(function), const Input&, Output&>)
        function(input_, output_);
      else
        output_ = function(input_);
    }
    std::uint64_t units() const override { return size_; }
    std::string difference(const Facts& facts) const {
      return detail::difference(facts.reference(input_), output_, facts.tolerance);
    }

   private:
    const Input input_;
    const std::uint64_t size_;
    Output output_{};
  };
  std::unique_ptr<Run> prepare(std::uint64_t size) const {
    return std::make_unique<Run>(facts_.inputs(size), size);
  }
  std::string wrong(std::uint64_t size) const {
    const auto instance = prepare(size);
    for (const char* which : {"", " in the second run"}) {
      instance->run();
      if (const std::string found = instance->difference(facts_); !found.empty())
        return std::to_string(size) + " " + info().size + which + ": " + found;
    }
    return "";
  }
  Facts facts_;
};

template <auto function>
class KernelBuilder {
 public:
  using Made = KernelStage<function>;
  explicit KernelBuilder(std::string name) {
    facts_.info.name = std::move(name);
    facts_.info.backend = backend_of(facts_.info.name);
    facts_.info.source = "own";
  }
  /// One sentence: what the kernel does.
  KernelBuilder& summary(std::string text) {
    facts_.info.summary = std::move(text);
    return *this;
  }
  /// The unit of work, in the plural, whose number is a parameter: `timed` of it by default,
  /// `least` at least. `make` prepares inputs of a size, and makes the same ones each time.
  KernelBuilder& inputs(const std::string& unit, std::uint64_t timed,
                        typename Made::Input (*make)(std::uint64_t), std::uint64_t least = 1) {
    facts_.info.unit = facts_.info.size = unit;
    facts_.info.parameters = {{unit, timed, least, std::uint64_t{1} << 40, "work of one run"}};
    facts_.inputs = make;
    return *this;
  }
  /// The definition, which the kernel must agree with. `tolerance`: relative, of each number; 0:
  /// exactly.
  KernelBuilder& reference(typename Made::Output (*define)(const typename Made::Input&),
                           double tolerance = 0) {
    facts_.reference = define;
    facts_.tolerance = tolerance;
    return *this;
  }
  /// Ends the program, naming the stage, where it has no inputs or no reference.
  std::unique_ptr<Made> stage() const {
    if (!facts_.inputs || !facts_.reference) refuse_kernel(facts_.info.name);
    return std::make_unique<Made>(facts_);
  }
  /// Registers the stage, with its checks.
  operator Registration() const {
    register_self_checks(facts_.info.family());
    return Registration(stage());
  }

 private:
  typename Made::Facts facts_;
};

}  // namespace detail

/// A stage of that name, whose timed act is `function`; see above.
template <auto function>
detail::KernelBuilder<function> kernel(std::string name) {
  return detail::KernelBuilder<function>(std::move(name));
}

}  // namespace ratchet
