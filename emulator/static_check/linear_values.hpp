#pragma once
// Registers as linear forms of numbers that are not known, and what is known to be smaller than what: by a minimum or a
// shift to the right, and in the lanes of a mask by the comparison that made it. It takes sums, differences and products
// that are compared as signed numbers to be exact (Premise::exact_sums).

#include "emulator/static_check/code.hpp"
#include "emulator/static_check/instruction_functions.hpp"
#include "emulator/static_check/known_results.hpp"
#include "emulator/static_check/lane_set.hpp"
#include "emulator/static_check/linear_form.hpp"

#include <vector>

namespace fmha950::static_check {

class LinearValues {
 public:
  static LinearValues at_entry(const Code& code, const KnownResults& results);

  bool join(const LinearValues& other);
  bool empty() const { return false; }
  void execute(size_t index);

  // What follows if the scalar comparison there, which is not executed yet, has this outcome.
  Inequalities if_compared(size_t index, bool outcome) const;
  // What holds of numbers, and in the lanes that execute.
  const Inequalities& known() const { return known_; }
  const Inequalities& in_lanes() const;
  // Whether the instruction makes some of its numbers anew: then what was said of them is of others.
  static bool has_number_of(const LinearForm& form, size_t index);

 private:
  using File = isa::RegisterRange::File;
  using Form = std::optional<LinearForm>;
  using Masks = std::map<int, Inequalities>; // by the first SGPR: what holds in these lanes, if in any
  using LaneSets = std::map<int, LaneSet>;   // likewise: which lanes these are
  LinearValues(const Code& code, const KnownResults& results) : code_(&code), results_(&results) {}

  Form form(File file, int r) const;
  Form operand(const isa::Source& source) const;
  Form result_of(size_t index, Inequalities& with) const;
  Inequalities compared(const isa::Instruction& in, const Predicate& predicate, bool outcome) const;
  Masks masks_written(const isa::Instruction& in) const;
  LaneSets lane_sets_written(const isa::Instruction& in);
  std::optional<LaneSet> lanes_of(const isa::Source& source);
  std::optional<LaneSet> lanes_of(int mask);
  void forget_numbers_of(size_t index);

  const Code* code_;
  const KnownResults* results_;
  std::map<std::pair<File, int>, LinearForm> forms_;
  Inequalities known_;
  Masks in_mask_;
  LaneSets lanes_; // their atoms are masks that are not known, each path's own
};

// Before any instruction.
class LinearValuesBefore {
 public:
  explicit LinearValuesBefore(const Code& code);
  LinearValues of(size_t index) const;

 private:
  const Code& code_;
  KnownResults results_;
  std::vector<std::optional<LinearValues>> at_block_;
};

} // namespace fmha950::static_check
