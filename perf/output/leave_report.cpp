#include "perf/output/leave_report.h"

#include <iostream>

#include "perf/output/page/write_report.h"

namespace ratchet {

ExitCode leave_report(const std::filesystem::path& folder, const std::filesystem::path& results,
                      const std::string& history, ExitCode code, std::ostream& out) {
  const std::filesystem::path file = folder / "report.html";
  try {
    report::write_report(file, report::report_sections({{results}, history}));
    out << "report: " << file.string() << std::endl;
    return code;
  } catch (const std::exception& error) {
    std::cout << "no report: " << error.what() << std::endl;
    return after_loss(code);
  }
}

}  // namespace ratchet
