#pragma once
// A case in a process of its own, so that what ends this process ends no run: a crash, a time-out or too much
// memory becomes the outcome of one record.
//
// The process is forked, so the one that forks has a single thread and has launched nothing: threads do not
// come along. A GPU's runtime does not survive a fork; the embedded device does.

#include "harness/record/record.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <variant>

namespace fmha950::harness {

inline constexpr double seconds_to_prepare = 600; // tensors, before the case says what it needs

struct CaseLimits {
  double seconds = 0; // for each record; 0: as the case itself allows (CaseSender::allow)
  double bytes = 0;   // resident
};

// The child's end.
class CaseSender {
 public:
  explicit CaseSender(int descriptor) : descriptor_(descriptor) {}
  void send(const Record& record) const;
  void allow(double seconds) const; // for each record from here on, unless CaseLimits says otherwise
  void end() const;                 // nothing is missing

 private:
  void write_frame(char kind, const std::string& bytes) const;
  int descriptor_;
};

class CaseProcess {
 public:
  struct Done {};
  struct Interrupted {}; // by a signal to this process (interruption.hpp)
  using Event = std::variant<Record, Outcome, Done, Interrupted>;

  // `work` runs in the child. Throws std::runtime_error if there is no process to be had.
  CaseProcess(const CaseLimits& limits, const std::function<void(const CaseSender&)>& work);
  ~CaseProcess(); // kills the child
  CaseProcess(const CaseProcess&) = delete;

  // Waits for the child's next record. An Outcome says why there is none: not_run, or timed_out.
  // What the child writes to stderr goes there meanwhile; `before_text` is called before it does.
  Event next(const std::function<void()>& before_text = {});

 private:
  void count_time();
  std::optional<Event> take_frame();
  std::optional<Outcome> beyond_limits();
  void read_records();
  void pass_on_text(const std::function<void()>& before_text);
  Outcome death();
  int wait_for_end();
  void kill_child();
  std::string last_words() const;

  using Clock = std::chrono::steady_clock;
  CaseLimits limits_;
  double allowed_;
  double waited_ = 0; // seconds since the last record, without those for which this process was stopped
  Clock::time_point last_look_ = Clock::now();
  pid_t child_ = -1;
  int records_ = -1, text_ = -1; // what the child writes
  bool all_ = false, closed_ = false;
  std::string frames_, line_, last_line_;
};

// A record on its way from the process that made it to the one that reports it: all of it, in the bytes of this
// build. Never a file format: files have JSON lines (record.hpp).
std::string pack(const Record& record);
Record unpack(std::string_view bytes); // of the same build; throws std::runtime_error for fewer bytes

} // namespace fmha950::harness
