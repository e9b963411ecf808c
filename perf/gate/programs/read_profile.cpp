// The output of profilers as call stacks.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <unordered_map>

#include "perf/gate/programs/profile.h"
#include "perf/support/error.h"

namespace ratchet::gate {
namespace {

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

/// "[libc.so.6]" of "/usr/lib/libc.so.6".
std::string in_brackets(std::string_view file) {
  return fmt::format("[{}]", file.substr(file.rfind('/') + 1));
}

/// Without the version of a symbol ("malloc@@GLIBC_2.2.5") and the compiler's mark of a copy
/// ("f(int) [clone .part.0]"), which another build may lack.
std::string plain_function(std::string_view name) {
  name = name.substr(0, name.find(" [clone "));
  return std::string(name.substr(0, name.find("@@")));
}

// Callgrind's format: https://valgrind.org/docs/manual/cl-format.html. With --separate-callers a
// function's name is "f'caller'its caller", and "f'2'caller" where f called itself.

class CallgrindReader {
 public:
  explicit CallgrindReader(std::string what) : what_(std::move(what)) {}

  Recorded read(std::string_view text) {
    while (!text.empty()) line(next_line(text));
    if (!events_) fail("it has no line \"events: Ir\"");
    Recorded recorded;
    for (const auto& [context, cost] : costs_) {
      StackCost& sum = recorded[stack_of(context)];
      sum.cost += cost.cost;
      sum.count += cost.count;
    }
    return recorded;
  }

 private:
  void line(std::string_view text) {
    if (text.starts_with("events: ")) events_ = text.starts_with("events: Ir");
    if (text.starts_with("ob=")) {
      object_ = name(objects_, text.substr(3));
    } else if (text.starts_with("fn=")) {
      function_ = name(functions_, text.substr(3));
      object_of_.try_emplace(function_, object_);
      costs_.try_emplace(function_);
    } else if (text.starts_with("cob=")) {
      name(objects_, text.substr(4));
    } else if (text.starts_with("cfn=")) {
      callee_ = name(functions_, text.substr(4));
    } else if (text.starts_with("calls=")) {
      costs_[callee_].count += number(text.substr(6, text.find(' ') - 6));
      of_call_ = true;
    } else if (!text.empty() && (std::isdigit(text.front()) || text.front() == '+' ||
                                 text.front() == '-' || text.front() == '*')) {
      const std::size_t blank = text.find(' ');
      // The cost of a call is that of the callee's own lines.
      if (!std::exchange(of_call_, false) && blank != text.npos)
        costs_[function_].cost += number(text.substr(blank + 1));
    }
  }

  /// "(3) name" defines a name, "(3)" refers to it.
  std::string name(std::unordered_map<std::string, std::string>& names, std::string_view text) {
    const std::size_t end = text.find(')');
    if (!text.starts_with('(') || end == text.npos) return std::string(text);
    std::string& known = names[std::string(text.substr(0, end))];
    if (end + 2 < text.size()) known = text.substr(end + 2);
    if (known.empty()) fail(fmt::format("it names {} nowhere", text));
    return known;
  }

  double number(std::string_view text) const {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end == text.data())
      fail(fmt::format("\"{}\" is not a count", text));
    return value;
  }

  Stack stack_of(const std::string& context) const {
    Stack stack;
    for (std::size_t begin = 0; begin <= context.size();) {
      const std::size_t end = std::min(context.find('\'', begin), context.size());
      const std::string_view part = std::string_view(context).substr(begin, end - begin);
      const bool level = !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c));
      });
      if (part.starts_with("0x")) {
        const auto object = object_of_.find(context.substr(begin));
        stack.push_back(object == object_of_.end() ? "[unknown]" : in_brackets(object->second));
      } else if (!level) {
        stack.push_back(plain_function(part));
      }
      begin = end + 1;
    }
    std::reverse(stack.begin(), stack.end());
    return stack;
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(what_ + " is not output of Callgrind: " + why);
  }

  std::string what_;
  bool events_ = false, of_call_ = false;
  std::unordered_map<std::string, std::string> objects_, functions_, object_of_;
  std::string object_, function_, callee_;
  std::map<std::string, StackCost> costs_;
};

/// "\t    1400 demo::word (/usr/bin/demo)": the function, or its file where it has no name.
std::string frame_of(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::size_t blank = line.find(' ');
  const std::size_t file_at = line.rfind(" (");
  if (blank == line.npos || file_at == line.npos || file_at < blank) return "";
  std::string_view file = line.substr(file_at + 2);
  file.remove_suffix(file.ends_with(')'));
  const std::string_view function =
      file_at == blank ? "[unknown]" : line.substr(blank + 1, file_at - blank - 1);
  if (file == "[unknown]") return function == "[unknown]" ? "" : plain_function(function);
  if (file.starts_with("[kernel") || file.ends_with(".ko") ||
      (file.starts_with('[') && file != "[vdso]"))
    return "[kernel]";
  if (function == "[unknown]") return file == "[vdso]" ? "[vdso]" : in_brackets(file);
  return plain_function(function);
}

}  // namespace

Recorded read_callgrind(std::string_view text, const std::string& what) {
  return CallgrindReader(what).read(text);
}

Recorded read_perf_script(std::string_view text, const std::string& what) {
  Recorded recorded;
  Stack stack;  // the innermost first
  double period = 0;
  const auto end_sample = [&] {
    if (period > 0 && !stack.empty()) {
      StackCost& sum = recorded[{stack.rbegin(), stack.rend()}];
      sum.cost += period;
      sum.count += 1;
    }
    stack.clear();
    period = 0;
  };
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.empty()) {
      end_sample();
    } else if (line.front() == '\t') {
      std::string function = frame_of(line);
      const bool again = function == "[kernel]" && !stack.empty() && stack.back() == function;
      if (!function.empty() && !again) stack.push_back(std::move(function));
    } else {
      const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
      std::from_chars(line.data() + begin, line.data() + line.size(), period);
    }
  }
  end_sample();
  if (recorded.empty()) throw Error(what + " holds no sample");
  return recorded;
}

}  // namespace ratchet::gate
