// Two builds of a toy stage as `ratchet explain` finds them: a program with its objects beside it.
#pragma once

#include <string>
#include <vector>

#include "correctness/perf/support/toy_stage.h"

namespace ratchet {

class TwoBuilds : public ToyStage {
 protected:
  /// A program that prints PROGRAM.rows, as ratchet-bench its rows under --ratchet_list_work.
  void link(const std::filesystem::path& program, const std::vector<std::filesystem::path>& objects,
            const std::string& rows, const std::string& flags = "") {
    const std::filesystem::path source = scratch_.path() / "main.c";
    write_atomically(source, R"(
#include <stdio.h>
int main(int count, char** words) {
  char name[4096];
  snprintf(name, sizeof name, "%s.rows", words[0]);
  FILE* file = fopen(name, "r");
  for (int c; file && (c = fgetc(file)) != EOF;) putchar(c);
  return count == 0;
}
)");
    const ProcessResult result = run_process(
        {"sh", "-c", fmt::format("cc {} -o {} {}", source.string(), program.string(), flags)}, 60);
    ASSERT_TRUE(result.ok()) << result.errors;
    std::string list;
    for (const auto& object : objects) list += object.string() + "\n";
    write_atomically(program.string() + ".objects", list);
    // As ratchet-bench does, with a line of machine and build before the rows.
    const std::string context = "{\"context\":{\"cpu.model\":\"Toy\"}}\n";
    write_atomically(program.string() + ".rows", context + rows);
  }
  std::filesystem::path program(const ToySource& source, const std::string& rows = "") {
    const auto objects = build(source);
    const std::filesystem::path program = scratch_.path() / source.folder / "ratchet-bench";
    link(program, objects, rows);
    return program;
  }
  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }
};

}  // namespace ratchet
