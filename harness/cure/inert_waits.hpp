#pragma once
// What an instruction that waits for nothing costs in modelled clocks: whatever is inserted moves the code behind it. A cure is not
// blamed for what an inert s_waitcnt at a random place does, too.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct InertWait {
  std::string subject, change; // "code object/kernel"; as option mutant takes it
  std::string problem;         // one that its mutants are judged on
  std::string code;            // digest of the code object
  double clocks = 0,
         clocks_with = 0; // modelled: the kernel's launches, all workgroups, warm, the same addresses

  double moved() const; // part of the clocks, whatever its sign
  bool is_of(const InertWait& other) const {
    return subject == other.subject && change == other.change && problem == other.problem &&
           code == other.code;
  }
};

// `count` of all places of the kernels' code, each as likely, and a problem for each; drawn by their names and a fixed seed, so
// that a smaller count's come first in a larger one's. Sorted by subject.
std::vector<InertWait> drawn_inert_waits(size_t count);
// In as many processes as there are cores. `known` of the same code are not measured again; `done` is told of each that is new.
// Throws InvalidInput where there is no embedded device.
std::vector<InertWait> measured_inert_waits(size_t count, const std::vector<InertWait>& known,
                                            const std::function<void(const InertWait&)>& done);

// The 95th percentile of what they move: the smallest part that at least 95 of 100 do not exceed. 0 of none.
double moved_by_inert_waits(const std::vector<InertWait>& waits);
// What a cured kernel may take more than the unmutated one, as a part: 0.01, or that percentile if it is larger.
double time_limit(const std::vector<InertWait>& waits);
// Those of data/cures/inert.jsonl.
std::vector<InertWait> kept_inert_waits();
// "95 of 100 inert waits move at most 0.12 % of the modelled clocks: a cure may cost 1.00 %"
std::string text_of(const std::vector<InertWait>& waits);

std::string to_line(const InertWait& wait);              // JSON
InertWait inert_wait_from_line(const std::string& line); // throws InvalidInput

} // namespace fmha950::harness::cure
