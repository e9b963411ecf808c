// The module that is linked with MPI: a Job and its communicators.
//
// Every wait is a loop of tests instead of MPI's blocking wait: a waiting rank yields its CPU, and
// after a timeout names the unresponsive rank. MPI 3.1; written for Open MPI 4.
#include <mpi.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kernels/support/ranks/job.h"
#include "nccl_communicator.h"

namespace ratchet::ranks {
namespace {

enum Tag { kLength = 1, kMessage, kAsk, kAlive, kData };
/// MPI counts in int.
constexpr std::size_t kLargestMessage = std::size_t{1} << 30;
/// Timeout of the answers to "are you alive".
constexpr double kGrace_s = 3;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void sleep_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

template <class Begin>
void for_pieces(void* data, std::size_t bytes, const Begin& begin) {
  auto* at = static_cast<std::byte*>(data);
  for (std::size_t done = 0; done < bytes; done += kLargestMessage)
    begin(at + done, static_cast<int>(std::min(kLargestMessage, bytes - done)));
}

class MpiJob;

/// A wait for other ranks. After a timeout, rank 0 asks all ranks whether they wait, too: a rank
/// that does not answer hangs.
class Patience {
 public:
  Patience(MpiJob& job, std::uint32_t members) : job_(job), members_(members) {}
  /// Called in every iteration of the wait; checks the clock occasionally.
  void turn();

 private:
  MpiJob& job_;
  std::uint32_t members_;
  double begin_s_ = now_s();
  unsigned turns_ = 0;
};

class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(MpiJob& job, MPI_Comm ranks) : job_(job), ranks_(ranks) {
    MPI_Comm_rank(ranks_, &rank_);
    MPI_Comm_size(ranks_, &size_);
  }
  std::uint32_t rank() const override { return static_cast<std::uint32_t>(rank_); }
  std::uint32_t size() const override { return static_cast<std::uint32_t>(size_); }

  void barrier() override {
    MPI_Ibarrier(ranks_, &begun());
    finish();
  }
  void broadcast(void* data, std::size_t bytes, std::uint32_t from) override {
    for_pieces(data, bytes, [&](void* piece, int count) {
      MPI_Ibcast(piece, count, MPI_BYTE, static_cast<int>(from), ranks_, &begun());
    });
    finish();
  }
  void all_reduce(std::uint64_t* values, std::size_t count, Fold fold) override {
    for_pieces(values, count * sizeof *values, [&](void* piece, int bytes) {
      MPI_Iallreduce(MPI_IN_PLACE, piece, bytes / static_cast<int>(sizeof *values), MPI_UINT64_T,
                     fold == Fold::sum ? MPI_SUM : MPI_MAX, ranks_, &begun());
    });
    finish();
  }
  void start_send(const void* data, std::size_t bytes, std::uint32_t to) override {
    for_pieces(const_cast<void*>(data), bytes, [&](void* piece, int count) {
      MPI_Isend(piece, count, MPI_BYTE, static_cast<int>(to), kData, ranks_, &begun());
    });
  }
  void start_receive(void* data, std::size_t bytes, std::uint32_t from) override {
    for_pieces(data, bytes, [&](void* piece, int count) {
      MPI_Irecv(piece, count, MPI_BYTE, static_cast<int>(from), kData, ranks_, &begun());
    });
  }
  void progress() override {
    if (!requests_.empty()) all_done();
  }
  void finish() override {
    const double begin_s = now_s();
    Patience patience(job_, size());
    while (!all_done()) patience.turn();
    requests_.clear();
    seconds_ += now_s() - begin_s;
  }
  DeviceCommunicator& device() override;
  double seconds() const override { return seconds_; }

 private:
  bool all_done() {
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  }
  MPI_Request& begun() { return requests_.emplace_back(MPI_REQUEST_NULL); }
  MpiJob& job_;
  MPI_Comm ranks_;
  int rank_ = 0, size_ = 0;
  std::vector<MPI_Request> requests_;
  double seconds_ = 0;
  std::unique_ptr<DeviceCommunicator> device_;
};

class MpiJob final : public Job {
 public:
  explicit MpiJob(const Joining& joining)
      : limit_s_(joining.limit_s), stream_is_idle_(joining.stream_is_idle) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_dup(MPI_COMM_WORLD, &control_);
    learn_hosts();
    refuse_other_builds(joining.build);
  }

  std::uint32_t rank() const override { return static_cast<std::uint32_t>(rank_); }
  std::uint32_t size() const override { return static_cast<std::uint32_t>(size_); }
  const std::string& host(std::uint32_t rank) const override { return hosts_.at(rank); }
  std::uint32_t local_rank() const override {
    std::uint32_t before = 0;
    for (std::uint32_t other = 0; other < rank(); ++other)
      before += hosts_[other] == hosts_[rank()];
    return before;
  }
  double limit_s() const { return limit_s_; }
  auto stream_is_idle() const { return stream_is_idle_; }

  Communicator& first(std::uint32_t ranks) override {
    auto& slot = firsts_[ranks];
    if (!slot) slot = std::make_unique<MpiCommunicator>(*this, made_of_first(ranks));
    return *slot;
  }

  void tell(std::uint32_t rank, const Bytes& message) override {
    const std::uint64_t bytes = message.size();
    std::vector<MPI_Request> sent;
    const auto send = [&](const void* data, int count, Tag tag) {
      MPI_Isend(data, count, MPI_BYTE, static_cast<int>(rank), tag, control_,
                &sent.emplace_back(MPI_REQUEST_NULL));
    };
    send(&bytes, sizeof bytes, kLength);
    for_pieces(const_cast<std::byte*>(message.data()), bytes,
               [&](void* piece, int count) { send(piece, count, kMessage); });
    wait_for(rank, [&] {
      int done = 0;
      MPI_Testall(static_cast<int>(sent.size()), sent.data(), &done, MPI_STATUSES_IGNORE);
      return done != 0;
    });
  }

  Bytes hear(std::uint32_t rank) override {
    wait_for(rank, [&] { return there_is(kLength, static_cast<int>(rank)).has_value(); });
    const auto receive = [&](void* data, int count, Tag tag) {
      MPI_Recv(data, count, MPI_BYTE, static_cast<int>(rank), tag, control_, MPI_STATUS_IGNORE);
    };
    std::uint64_t bytes = 0;
    receive(&bytes, sizeof bytes, kLength);
    Bytes message(bytes);
    for_pieces(message.data(), bytes,
               [&](void* piece, int count) { receive(piece, count, kMessage); });
    return message;
  }

  /// Called by every rank that waits.
  void answer() {
    if (rank_ == 0 || !there_is(kAsk, 0)) return;
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, kAsk, control_, MPI_STATUS_IGNORE);
    MPI_Send(nullptr, 0, MPI_BYTE, 0, kAlive, control_);
  }
  /// On rank 0: the first of `members` ranks that does not answer, or `members`.
  std::uint32_t first_silent(std::uint32_t members) {
    std::vector<bool> alive(members);
    alive[0] = true;
    std::vector<MPI_Request> asked(members, MPI_REQUEST_NULL);  // never waited for: the job ends
    for (std::uint32_t rank = 1; rank < members; ++rank)
      MPI_Isend(nullptr, 0, MPI_BYTE, static_cast<int>(rank), kAsk, control_, &asked[rank]);
    for (const double end_s = now_s() + kGrace_s; now_s() < end_s; sleep_s(1e-3))
      while (const auto from = there_is(kAlive, MPI_ANY_SOURCE)) {
        MPI_Recv(nullptr, 0, MPI_BYTE, *from, kAlive, control_, MPI_STATUS_IGNORE);
        alive.at(static_cast<std::size_t>(*from)) = true;
      }
    std::uint32_t silent = 0;
    while (silent < members && alive[silent]) ++silent;
    return silent;
  }
  [[noreturn]] void abandon_silent(std::uint32_t rank) {
    abandon(name_of(rank) + " hangs: the others have waited " +
            std::to_string(static_cast<int>(limit_s_)) +
            " s for it; RATCHET_RANK_LIMIT_S sets the limit");
  }
  [[noreturn]] void abandon(const std::string& why) override {
    // One write, so that lines of several ranks do not mix.
    const std::string line = "ratchet: " + why + "\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
    MPI_Abort(MPI_COMM_WORLD, 2);
    _exit(2);
  }
  void leave() override {
    firsts_.clear();
    MPI_Finalize();
  }

 private:
  /// The sender of a message, if one has arrived.
  std::optional<int> there_is(Tag tag, int from) {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(from, tag, control_, &there, &status);
    return there ? std::optional(status.MPI_SOURCE) : std::nullopt;
  }

  /// Rank 0 waits until the timeout; the others wait for their next command without limit. Sleeps
  /// in between, at first briefly, for the answer to a run.
  template <class Done>
  void wait_for(std::uint32_t rank, const Done& done) {
    const double begin_s = now_s();
    for (double pause_s = 0; !done(); pause_s = std::min(1e-3, pause_s + 5e-6)) {
      if (rank_ == 0 && now_s() - begin_s > limit_s_) abandon_silent(rank);
      answer();
      if (pause_s < 50e-6)
        sched_yield();
      else
        sleep_s(pause_s);
    }
  }

  void learn_hosts() {
    char mine[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Get_processor_name(mine, &length);
    std::vector<char> all(static_cast<std::size_t>(size_) * sizeof mine);
    MPI_Allgather(mine, sizeof mine, MPI_CHAR, all.data(), sizeof mine, MPI_CHAR, MPI_COMM_WORLD);
    for (std::size_t rank = 0; rank < size(); ++rank)
      hosts_.emplace_back(all.data() + rank * sizeof mine);
  }

  void refuse_other_builds(std::uint64_t mine) {
    std::vector<std::uint64_t> builds(size());
    MPI_Allgather(&mine, 1, MPI_UINT64_T, builds.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    std::uint32_t other = 1;
    while (other < size() && builds[other] == builds[0]) ++other;
    if (other == size()) return;
    if (rank_ == 0)
      abandon(name_of(other) + " is another build of the program than rank 0 on " + host(0) +
              "; start the same file on every host");
    sleep_s(kGrace_s);  // lets rank 0 report it
    _exit(2);
  }

  MPI_Comm made_of_first(std::uint32_t ranks) {
    MPI_Group all, some;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    int range[1][3] = {{0, static_cast<int>(ranks) - 1, 1}};
    MPI_Group_range_incl(all, 1, range, &some);
    MPI_Comm made;
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &made);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    return made;
  }

  double limit_s_;
  bool (*stream_is_idle_)(CUstream_st*);
  int rank_ = 0, size_ = 0;
  MPI_Comm control_;
  std::vector<std::string> hosts_;
  std::map<std::uint32_t, std::unique_ptr<MpiCommunicator>> firsts_;
};

DeviceCommunicator& MpiCommunicator::device() {
  if (!device_)
    device_ = make_nccl_communicator(*this, job_.stream_is_idle(), [this] {
      const auto patience = std::make_shared<Patience>(job_, size());
      return [patience] { patience->turn(); };
    });
  return *device_;
}

void Patience::turn() {
  sched_yield();
  if (++turns_ % 1024 != 0) return;
  job_.answer();
  const double waited_s = now_s() - begin_s_;
  if (waited_s < job_.limit_s()) return;
  if (job_.rank() != 0) {  // rank 0 should have asked meanwhile
    if (waited_s > job_.limit_s() + 3 * kGrace_s) job_.abandon_silent(0);
    return;
  }
  const std::uint32_t silent = job_.first_silent(members_);
  if (silent < members_) job_.abandon_silent(silent);
  job_.abandon(
      "the ranks wait for each other, since they made different calls: a fault of the stage");
}

}  // namespace
}  // namespace ratchet::ranks

extern "C" ratchet::ranks::Job* ratchet_join_job(const ratchet::ranks::Joining& joining) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  return new ratchet::ranks::MpiJob(joining);
}
