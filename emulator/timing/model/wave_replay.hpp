#pragma once
// One wave that goes through its record: when its next instruction may issue, and why not earlier. All that
// an instruction waits for but a barrier and a free pipe is known when the one before it has issued.

#include "emulator/timing/model/instruction_fetch.hpp"
#include "emulator/timing/model/result.hpp"
#include "emulator/timing/model/wave_feed.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace fmha950::timing {

class WaveReplay {
 public:
  enum class State : uint8_t { ready, at_barrier, ended }; // ready: from ready_at() on

  // `feed`: null for a wave that was recorded.
  WaveReplay(const std::vector<Op>& ops, const WaveRecord& record, uint64_t dispatched,
             InstructionFetch& fetch, std::vector<OpTime>& times, bool timeline, WaveFeed* feed = nullptr);

  State state() const { return state_; }
  uint64_t ready_at() const { return ready_; } // at_barrier: the clock of its arrival; ended: of its end
  const Op& head() const { return *head_; }
  Pipe pipe() const { return pipe_; } // of the head
  uint32_t head_number() const { return head_number_; }
  int priority() const { return priority_; }
  const MemoryAccess* access(); // of the head's next memory operation; null: it has none left
  std::span<const uint64_t> lines_of(const MemoryAccess& access) const {
    return {record_.lines.data() + access.first_line, access.lines};
  }

  // The head issues at `clock`: execute(), which tells whether it starts memory operations, these, issue(). They take effect
  // and are done at the clocks given.
  bool execute();
  void started_memory(const MemoryAccess& access, uint64_t effect, uint64_t done);
  void issue(uint64_t clock);
  void leave_barrier(uint64_t clock);

  std::vector<WaveSpan> take_spans() { return std::move(spans_); } // of a timeline

 private:
  struct Pending { // counts on lgkmcnt
    uint64_t done;
    int units;
  };

  // On the instruction at step_, come to at `clock`, as soon as nothing but a barrier or a pipe can hold it.
  void settle(uint64_t clock);
  uint32_t following() const {
    return step_ + 1 < record_.ops.size() ? record_.ops[step_ + 1] : WaveFeed::none;
  }
  // Executes the head; whether it may have memory operations.
  bool pass() {
    if (feed_ && feed_->hold_back(*head_)) {
      next_ = head_number_ + 1;
      return false;
    }
    next_ = feed_ ? feed_->execute() : following();
    return true;
  }
  void end();
  bool go_on(); // to the instruction that follows; false: none does
  void forget_accesses();
  void account(uint64_t clocks, Spent why);
  [[gnu::cold]] void keep_span(uint64_t clocks, Spent why);
  void wait_for(uint64_t clock, Spent why);
  void wait_for_registers();
  void wait_for_last();
  bool still_busy(uint64_t groups);
  void wait_for_range(RegisterSlots range, RegisterSlots chain);
  void wait_for_counters();
  void wait_for_vm(size_t left);
  void wait_for_lgkm(int left);
  void write_registers(uint64_t clock);
  [[gnu::noinline]] void write_slowly(uint64_t clock); // what more than the next instruction may wait for

  // What a SIMD asks of all its waves at each of its turns comes first: one line of the host's cache.
  uint64_t ready_ = 0;
  const Op* head_ = nullptr;
  State state_ = State::ready;
  Pipe pipe_ = Pipe::internal;
  int priority_ = 0;
  // Groups of registers (RegisterSlots::groups) that are waited for, if at all, and those of them that an MFMA writes.
  uint64_t busy_ = 0, of_mfma_ = 0;
  // A result that is there after two instructions' time, as nearly all of the VALU are, and takes no other's place that is
  // waited for: only the instruction that follows can come too early for it.
  uint64_t last_groups_ = 0, last_readable_ = 0; // groups 0: none is on its way
  const Op* last_ = nullptr;

  const std::vector<Op>& ops_;
  const WaveRecord& record_;
  InstructionFetch& fetch_;
  InstructionFetch::Buffer buffer_;
  std::vector<OpTime>& times_;
  bool asked_; // where its clocks went: not of a wave that is executed
  bool timeline_;
  WaveFeed* feed_;
  size_t step_ = 0, next_access_ = 0; // in the record; of a wave that is executed, accesses are the head's
  uint32_t head_number_, next_ = WaveFeed::none;

  class Readable { // when a register can be read, and whether an MFMA writes it
   public:
    Readable() = default;
    Readable(uint64_t clock, bool of_mfma) : bits_(clock << 1 | uint64_t{of_mfma}) {}
    uint64_t clock() const { return bits_ >> 1; }
    bool of_mfma() const { return bits_ & 1; }
    bool operator==(const Readable&) const = default;

   private:
    uint64_t bits_ = 0;
  };
  struct Chain { // the result of an MFMA that begins at a register
    uint64_t chainable = 0;
    Readable readable;  // a register that has another has been written since
    uint16_t count = 0; // registers
  };
  std::array<Readable, RegisterSlots::registers> readable_{};
  std::array<Chain, RegisterSlots::registers> chains_{};
  std::array<uint64_t, 64>
      free_from_{};          // of a group in busy_, by its bit: from then on none of it is waited for
  std::vector<uint64_t> vm_; // when each operation is done, ascending
  std::vector<Pending> lgkm_;
  uint64_t last_ds_ = 0;
  std::vector<WaveSpan> spans_;
};

} // namespace fmha950::timing
