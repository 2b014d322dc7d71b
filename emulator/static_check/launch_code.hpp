#pragma once
// The code that launches of a kernel execute, as far as the code says it: the kernel's own, then that of each function to which
// a call leads whose target is known, in the order in which calls are found.

#include "emulator/static_check/code.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fmha950::static_check {

struct CodePart {
  std::string function; // its symbol; "" the kernel's own code
  uint64_t entry = 0;   // what offsets count from
  Code code;
};

// An instruction that goes to another function, and what it goes to.
struct CodeCall {
  size_t part = 0, index = 0;
  std::optional<size_t> callee; // part; none: the code does not say which
  bool comes_back = true;       // else it is the function's last act, whose return is the called function's
};

class LaunchCode {
 public:
  // `changed`: functions with changes in force; null: none. Throws LoadError when the kernel's entry is no code.
  explicit LaunchCode(const loader::Kernel& kernel, const isa::Program::Copies* changed = nullptr);

  const std::vector<CodePart>& parts() const { return parts_; }
  const std::vector<CodeCall>& calls() const { return calls_; }
  // Part and instruction. Throws NotInCode for a function that no known call leads to, and names the calls that may;
  // std::invalid_argument for an offset at which no instruction begins.
  std::pair<size_t, size_t> find(const std::string& function, uint64_t offset) const;
  std::string place(size_t part, size_t index) const; // "0x10", "function+0x10"
  // Of its innermost loop; in a called function, inside those that its calls are in.
  int loop_depth(size_t part, size_t index) const;

 private:
  void follow_calls(const isa::Program::Copies* changed, size_t part);
  size_t called(const isa::Program::Copies* changed, uint64_t address);

  const loader::Kernel& kernel_;
  std::vector<CodePart> parts_;
  std::vector<CodeCall> calls_;
  std::vector<int> call_depths_; // by part
};

class NotInCode : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

} // namespace fmha950::static_check
