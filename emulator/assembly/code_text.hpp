#pragma once
// The instructions of a changed kernel as lines of assembly: labels for where branches go, comments for what was changed and
// for source lines.

#include "emulator/assembly/referred_data.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace fmha950::assembly {

using Notes = std::multimap<uint64_t, std::string>; // comments, by offset in the unchanged kernel

class CodeText {
 public:
  CodeText(const loader::Kernel& kernel, const isa::Program::Block& original,
           const isa::Program::Block& changed);

  // "", or which instruction means something else in another code object, and why.
  const std::string& not_written() const { return not_written_; }
  size_t size() const { return instructions_.size(); }
  std::string instruction(size_t index) const; // a branch with its distance in place of a label
  std::span<const std::byte> bytes(size_t index) const;
  std::vector<std::byte> all_bytes() const;               // before lld has filled in distances
  void write_raw(size_t index) { is_raw_[index] = true; } // as .long
  bool is_raw(size_t index) const { return is_raw_[index]; }
  std::string text(const Notes& notes) const;
  std::string data() const { return data_.text(); } // to which the code refers

 private:
  void find_distances();
  std::string refer(size_t getpc);
  void point(size_t branch, const isa::Instruction& target);
  uint64_t offset_of(const isa::Instruction& in) const { return in.address - kernel_.entry; }
  std::string line(size_t index) const;

  const loader::Kernel& kernel_;
  const isa::Program::Block& original_;
  std::vector<isa::Instruction> instructions_; // branches with the distances that they have here
  std::vector<bool> is_raw_;
  ReferredData data_;
  std::map<size_t, std::string> distances_; // by instruction: its constant, for lld to fill in
  std::map<size_t, uint64_t> labels_;       // by branch: where its target lies, from the entry
  std::string not_written_;
};

} // namespace fmha950::assembly
