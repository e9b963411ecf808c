// A real PostgreSQL for tests: a cluster of its own in a temporary folder, on a Unix socket only,
// gone with the test. initdb and postgres refuse to run as root, so root becomes "postgres" first.
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "perf/support/error.h"
#include "perf/output/history/database.h"
#include "perf/support/files.h"

namespace ratchet {

class PostgresServer {
 public:
  /// The server of this test program, started at the first call; nullptr, and why_not() says why,
  /// where there is none to start.
  static PostgresServer* instance() {
    static PostgresServer server;
    return server.why_not_.empty() ? &server : nullptr;
  }
  static const std::string& why_not() {
    instance();
    return reason();
  }

  /// A URL that ends in its own schema, empty at first.
  std::string fresh_url() {
    const std::string name = "test_" + std::to_string(++schemas_);
    history::open_database(url(), history::Access::write)->query("CREATE SCHEMA " + name);
    return url() + "&options=-csearch_path%3D" + name;
  }
  std::string url(const std::string& user = "postgres") const {
    return "postgresql:///postgres?host=" + folder_.path().string() + "&user=" + user;
  }

  /// Fast shutdown: what is connected is cut off.
  void stop() {
    if (server_ <= 0) return;
    kill(server_, SIGINT);
    waitpid(server_, nullptr, 0);
    server_ = -1;
  }
  /// Waits until it can be reached.
  void start_again() {
    server_ = spawn(command_);
    for (int attempt = 0; attempt < 1500 && !reachable(); ++attempt) {
      if (waitpid(server_, nullptr, WNOHANG) == server_) server_ = -1;
      if (server_ < 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  /// Cuts off everybody but who asks.
  void end_connections() {
    history::open_database(url(), history::Access::write)
        ->query(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> "
            "pg_backend_pid() AND application_name = 'ratchet'");
  }

  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer() { stop(); }

 private:
  PostgresServer() {
    why_not_ = start();
    reason() = why_not_;
  }
  static std::string& reason() {
    static std::string text;
    return text;
  }

  std::string start() {
    const std::filesystem::path programs = newest_programs();
    if (programs.empty()) return "no PostgreSQL server here (package postgresql)";
    try {  // also where this build lacks libpq
      history::open_database("postgresql://nobody@/x?host=" + folder_.path().string(),
                             history::Access::read);
    } catch (const Error& error) {
      if (std::string(error.what()).find("without PostgreSQL") != std::string::npos)
        return error.what();
    }
    if (geteuid() == 0) {
      const passwd* user = getpwnam("postgres");
      if (!user) return "no user \"postgres\" to run the server as";
      user_ = user->pw_uid;
      group_ = user->pw_gid;
      if (chown(folder_.path().c_str(), user_, group_) != 0) return "chown failed";
    }
    const std::string data = (folder_.path() / "data").string();
    const pid_t init = spawn({(programs / "initdb").string(), "-D", data, "-U", "postgres", "-A",
                              "trust", "-E", "UTF8", "--no-locale", "--no-sync"});
    int status = 0;
    waitpid(init, &status, 0);
    if (status != 0) return "initdb failed: " + log();
    demand_passwords(data);
    command_ = {(programs / "postgres").string(),
                "-D",
                data,
                "-k",
                folder_.path().string(),
                "-c",
                "listen_addresses=",
                "-c",
                "fsync=off"};
    start_again();
    if (!reachable()) return "the server did not start: " + log();
    history::open_database(url(), history::Access::write)
        ->query("CREATE ROLE guarded LOGIN PASSWORD 'right'");
    return "";
  }

  static std::filesystem::path newest_programs() {
    std::vector<std::filesystem::path> found;
    std::error_code none;
    for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
      if (std::filesystem::exists(version.path() / "bin" / "postgres"))
        found.push_back(version.path() / "bin");
    }
    return found.empty() ? std::filesystem::path() : *std::max_element(found.begin(), found.end());
  }

  /// The role "guarded" logs in with its password only.
  static void demand_passwords(const std::string& data) {
    const std::filesystem::path file = std::filesystem::path(data) / "pg_hba.conf";
    std::ofstream(file, std::ios::trunc)
        << "local all guarded scram-sha-256\nlocal all all trust\n";
  }

  bool reachable() const {
    try {
      history::open_database(url(), history::Access::read);
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  pid_t spawn(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
    arguments.push_back(nullptr);
    const std::string out = (folder_.path() / "log").string();
    const pid_t child = fork();
    if (child != 0) return child;
    if (user_ != 0 && (setgroups(0, nullptr) != 0 || setgid(group_) != 0 || setuid(user_) != 0))
      _exit(126);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    if (chdir("/") != 0) _exit(126);
    const int file = open(out.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  std::string log() const {
    std::ifstream stream(folder_.path() / "log");
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

  ScratchFolder folder_;
  std::string why_not_;
  uid_t user_ = 0;
  gid_t group_ = 0;
  pid_t server_ = -1;
  std::vector<std::string> command_;
  int schemas_ = 0;
};

}  // namespace ratchet
