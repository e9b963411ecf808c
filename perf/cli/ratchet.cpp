// ratchet: the command line. Every command lives in perf/cli/; this file only lists them, and turns
// errors into one line and an exit code.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "kernels/support/error.h"
#include "perf/cli/commands.h"
#include "perf/support/printable.h"

namespace ratchet {
namespace {

void add_commands(CLI::App& app, int& exit_code) {
  add_gate_command(app, exit_code);
  add_compare_command(app, exit_code);
  add_explain_command(app, exit_code);
  add_bisect_command(app, exit_code);
  add_accept_command(app, exit_code);
  add_selftest_command(app, exit_code);
  add_history_command(app, exit_code);
  add_tables_command(app, exit_code);
  add_list_command(app, exit_code);
  add_profile_command(app, exit_code);
  add_limits_command(app, exit_code);
  add_timesink_command(app, exit_code);
  add_doctor_command(app, exit_code);
  add_evidence_command(app, exit_code);
  add_run_command(app, exit_code);
}

int run(int argc, char** argv) {
  CLI::App app("Keeps fast kernels fast: proves, times, compares.", argv[0]);
  app.set_version_flag("--version", "ratchet " RATCHET_VERSION);
  app.require_subcommand(1);
  int exit_code = 0;
  add_commands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::RequiredError&) {
    // Said before a misspelt command is: name it.
    const bool named = argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty();
    std::fprintf(stderr, "ratchet: %s%s (--help shows all)\n",
                 named ? "there is no command " : "a command or a value is missing",
                 named ? argv[1] : "");
    return static_cast<int>(ExitCode::failed);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "ratchet: %s (--help shows the usage)\n", error.what());
    return static_cast<int>(ExitCode::failed);
  }
  return exit_code;
}

}  // namespace
}  // namespace ratchet

int main(int argc, char** argv) {
  // One line, whatever the files and programs are called that it speaks of.
  const auto say = [](const std::exception& error) {
    std::fprintf(stderr, "ratchet: %s\n", ratchet::printable(error.what()).c_str());
  };
  try {
    return ratchet::run(argc, argv);
  } catch (const ratchet::Error& error) {
    say(error);
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    say(error);
    return static_cast<int>(ratchet::ExitCode::failed);
  }
}
