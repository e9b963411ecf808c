#include "perf/measure/doctor/system_files.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace ratchet::doctor {
namespace {

constexpr std::size_t kMost = 1 << 20;

}  // namespace

std::optional<std::string> SystemFiles::text(const std::filesystem::path& path) const {
  std::error_code none;
  if (std::filesystem::is_directory(root_ / path, none)) return std::nullopt;
  std::ifstream file(root_ / path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(kMost, '\0');
  file.read(text.data(), static_cast<std::streamsize>(kMost));
  if (file.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

std::optional<double> SystemFiles::number(const std::filesystem::path& path) const {
  const auto found = text(path);
  if (!found) return std::nullopt;
  std::istringstream stream(*found);
  double value = 0;
  if (!(stream >> value)) return std::nullopt;
  return value;
}

std::optional<double> SystemFiles::field(const std::filesystem::path& path,
                                         const std::string& key) const {
  std::istringstream lines(text(path).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    double value = 0;
    if (words >> name >> value && name == key) return value;
  }
  return std::nullopt;
}

std::vector<std::string> SystemFiles::numbered(const std::filesystem::path& folder,
                                               const std::string& prefix) const {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(root_ / folder, none)) {
    const std::string name = entry.path().filename().string();
    if (name.size() > prefix.size() && name.starts_with(prefix) &&
        std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                    [](unsigned char c) { return std::isdigit(c); }))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

}  // namespace ratchet::doctor
