#include "emulator/static_check/pointer_bases.hpp"

#include "emulator/machine/wave.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/instruction_functions.hpp"
#include "emulator/static_check/propagate.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace fmha950::static_check {
namespace {

namespace code_of = machine::code;
using File = isa::RegisterRange::File;
using observe::MemoryOperation;

constexpr int no_saddr = 0x7F; // of FLAT (ISA guide, section "FLAT, Scratch and Global": SADDR is off)

// What a register may hold of pointers.
struct Base {
  uint64_t arguments = 0; // high words of one of these, alone or with offsets
  bool unknown = false;   // of others
  // Or the address of the arguments itself, and nothing else.
  enum Segment : uint8_t { none, low, high } segment = none;

  bool empty() const { return *this == Base(); }
  bool operator==(const Base&) const = default;
};
constexpr Base anything{.unknown = true};

Base either(Base a, Base b) {
  if (a.segment != b.segment) return anything;
  return {a.arguments | b.arguments, a.unknown || b.unknown, a.segment};
}
Base sum(Base a, Base b) {
  if (a.empty()) return b.segment == Base::none ? b : anything;
  if (b.empty()) return a.segment == Base::none ? a : anything;
  return anything;
}
Base blurred(Base base) { return base.empty() ? base : anything; }

// Of VGPRs, in some lanes; those that are missing hold no pointer.
using Bases = std::map<int, Base>;
Base of(const Bases& bases, int r) {
  const auto found = bases.find(r);
  return found == bases.end() ? Base() : found->second;
}
bool add(Bases& bases, const Bases& other) {
  bool grew = false;
  for (const auto& [r, base] : other) {
    Base& own = bases[r];
    const Base both = either(own, base);
    grew |= !(both == own);
    own = both;
  }
  return grew;
}
// What both say of lanes that are in both.
Bases common(const Bases& a, const Bases& b) {
  Bases both;
  for (const auto& [r, base] : a) {
    const Base other = of(b, r);
    both[r] = base.unknown    ? other
              : other.unknown ? base
                              : Base{.arguments = base.arguments & other.arguments};
  }
  return both;
}

class Pointers {
 public:
  explicit Pointers(const Code& code) {
    in_mask_[code_of::exec];
    if (!code.arguments_register()) {
      scalar_.fill(anything);
      return;
    }
    for (int r = 0; r < code.user_registers(); ++r) scalar_[static_cast<size_t>(r)] = anything;
    const auto first = static_cast<size_t>(*code.arguments_register());
    scalar_[first] = {.segment = Base::low};
    scalar_[first + 1] = {.segment = Base::high};
  }

  bool empty() const { return false; }
  bool join(const Pointers& other) {
    bool grew = add(in_any_, other.in_any_);
    for (size_t r = 0; r < scalar_.size(); ++r) {
      const Base both = either(scalar_[r], other.scalar_[r]);
      grew |= !(both == scalar_[r]);
      scalar_[r] = both;
    }
    grew |=
        std::erase_if(in_mask_, [&](const auto& each) { return !other.in_mask_.contains(each.first); }) != 0;
    for (auto& [mask, bases] : in_mask_) grew |= add(bases, other.in_mask_.at(mask));
    return grew;
  }

  void execute(const Code& code, size_t index) {
    const isa::Instruction& in = code.instruction(index);
    const isa::Uses& uses = code.info(index).uses;
    const Masks masks = masks_written(in);
    write(in, code.info(index));
    if (isa::moves_by_m0(isa::scalar_of(in)))
      std::erase_if(in_mask_, [](const auto& each) { return each.first != code_of::exec; });
    for (const isa::RegisterRange& range : uses.writes())
      for (int r = range.first - 1; range.file == File::scalar && r < range.first + range.count; ++r)
        if (r == code_of::exec)
          in_mask_[r] = in_any_;
        else
          in_mask_.erase(r);
    for (const auto& [r, bases] : masks) in_mask_[r] = bases;
  }

  uint64_t arguments_of(const isa::Instruction& in) const {
    const isa::Segment segment = isa::memory_of(in).segment;
    const bool by_vector = in.encoding == isa::Encoding::flat && in.saddr == no_saddr;
    if (in.encoding == isa::Encoding::flat && segment != isa::Segment::global) return 0;
    const Base high = by_vector ? of(active(), in.vaddr + 1) : scalar(in.saddr + 1);
    return high.unknown ? 0 : high.arguments;
  }

  // Whether it loads the arguments themselves.
  bool loads_arguments(const isa::Instruction& in) const {
    return in.encoding == isa::Encoding::smem && isa::memory_of(in).kind == isa::MemoryKind::load &&
           scalar(in.saddr).segment == Base::low && scalar(in.saddr + 1).segment == Base::high &&
           in.src[0].kind == isa::Source::Kind::none && in.offset >= 0;
  }

 private:
  using Masks = std::map<int, Bases>; // by the first SGPR of a mask of lanes: what these lanes have at most
  using Known = std::optional<Bases>;

  const Bases& active() const { return in_mask_.at(code_of::exec); }
  Base scalar(int r) const {
    return static_cast<size_t>(r) < scalar_.size() ? scalar_[static_cast<size_t>(r)] : anything;
  }

  // Lanes that are in the one or the other mask, as the table says (mask_table_of).
  static Known combined(unsigned table, const Known& a, const Known& b) {
    const bool in_a = a && (table & 0b0011) == 0, in_b = b && (table & 0b0101) == 0;
    if (in_a && in_b) return common(*a, *b);
    if (in_a || in_b) return in_a ? a : b;
    if (!a || !b || (table & 1)) return std::nullopt;
    Known both = a;
    add(*both, *b);
    return both;
  }
  // A comparison has no lane that EXEC has not.
  Masks masks_written(const isa::Instruction& in) const {
    Masks masks;
    if (isa::valu_of(in).flow == isa::ValuFlow::compare) masks[in.sdst] = active();
    const auto table = mask_table_of(in);
    if (!table) return masks;
    const auto of_source = [&](int number) -> Known {
      const auto found = in_mask_.find(in.src[number].index);
      if (in.src[number].kind != isa::Source::Kind::sgpr || found == in_mask_.end()) return std::nullopt;
      return found->second;
    };
    const bool saves = isa::scalar_of(in) == isa::ScalarRole::saves_exec;
    const Known result = combined(*table, of_source(0),
                                  saves                                ? active()
                                  : in.encoding == isa::Encoding::sop2 ? of_source(1)
                                                                       : std::nullopt);
    if (saves) masks[in.dst] = active();
    if (result) masks[saves ? code_of::exec : in.dst] = *result;
    return masks;
  }

  void write(const isa::Instruction& in, const observe::InstructionInfo& info) {
    if (isa::moves_by_m0(isa::scalar_of(in))) return scalar_.fill(anything);
    if (info.operation.kind == MemoryOperation::Kind::load && in.encoding == isa::Encoding::smem)
      return load_scalars(in, info.uses);
    if (const auto use = pointer_use_of(in);
        use && in.extension == isa::Extension::none && !in.has_modifiers() && carry(in, info.uses, *use))
      return;
    Base read;
    for (const isa::RegisterRange& range : info.uses.reads())
      for (int r = range.first; r < range.first + range.count; ++r) read = either(read, part(range.file, r));
    if (info.operation.is_memory()) read = anything;
    // What goes across lanes writes those that EXEC masks out as well. A part of a register may stay as it was.
    const bool all_lanes =
        info.in_flight.all_lanes || isa::matrix_of(in) || isa::valu_of(in).flow == isa::ValuFlow::write_lane;
    for (const isa::RegisterRange& range : info.uses.writes())
      for (int r = range.first; r < range.first + range.count; ++r) {
        const Base base = either(read, part(range.file, r));
        set(range.file, r, base);
        if (range.file == File::vector && all_lanes) in_any_[r] = base;
      }
  }

  // EXEC and SCC say where and whether, they are no part of a value.
  Base part(File file, int r) const {
    const bool is_condition = r == code_of::exec || r == code_of::exec + 1 || r == code_of::scc;
    return file == File::vector ? blurred(of(in_any_, r)) : is_condition ? Base() : blurred(scalar(r));
  }
  Base source(const isa::Source& source, int word, bool across) const {
    switch (source.kind) {
    case isa::Source::Kind::sgpr: return scalar(source.index + word);
    case isa::Source::Kind::vgpr: return of(across ? in_any_ : active(), source.index + word);
    case isa::Source::Kind::special: return anything;
    default: return {};
    }
  }
  void set(File file, int r, Base base) {
    if (file == File::scalar) {
      if (static_cast<size_t>(r) < scalar_.size()) scalar_[static_cast<size_t>(r)] = base;
      return;
    }
    const auto may_be = [&](Bases& bases) { bases[r] = either(of(bases, r), base); };
    may_be(in_any_);
    for (auto& [mask, bases] : in_mask_)
      if (mask == code_of::exec)
        bases[r] = base;
      else
        may_be(bases);
  }

  void load_scalars(const isa::Instruction& in, const isa::Uses& uses) {
    const bool of_arguments = loads_arguments(in);
    for (const isa::RegisterRange& range : uses.writes())
      for (int i = 0; i < range.count; ++i) {
        const int at = in.offset + 4 * i;
        const bool high_word = of_arguments && range.first == in.dst && at % 8 == 4 && at < 8 * 64;
        set(range.file, range.first + i, high_word ? Base{.arguments = uint64_t{1} << at / 8} : anything);
      }
  }

  // Whether the table says all about it.
  bool carry(const isa::Instruction& in, const isa::Uses& uses, const PointerUse& use) {
    const auto destination = std::ranges::find_if(uses.writes(), [&](const isa::RegisterRange& range) {
      return range.first == in.dst && range.count == (use.wide ? 2 : 1);
    });
    if (destination == uses.writes().end()) return false;
    const isa::RegisterRange into = *destination;
    std::array<Base, 2> result;
    for (int word = 0; word < into.count; ++word) result[static_cast<size_t>(word)] = carried(in, use, word);
    for (const isa::RegisterRange& range : uses.writes())
      for (int i = 0; i < range.count; ++i) {
        const bool is_result = range.file == into.file && range.first == into.first;
        set(range.file, range.first + i, is_result ? result[static_cast<size_t>(i)] : Base());
      }
    return true;
  }
  Base carried(const isa::Instruction& in, const PointerUse& use, int word) const {
    const bool shifted =
        use.shifts_first && (in.src[1].kind != isa::Source::Kind::constant || in.src[1].value != 0);
    std::optional<Base> result;
    for (int number = 0; number < 3; ++number) {
      if (!(use.sources >> number & 1)) continue;
      const bool is_offset = shifted && number == 0;
      const Base next = is_offset ? Base() : source(in.src[number], word, isa::valu_of(in).is_lane_read());
      result = !result ? next : use.selects ? either(*result, next) : sum(*result, next);
    }
    return result.value_or(Base());
  }

  std::array<Base, 256> scalar_{};
  Bases in_any_;  // in any lane
  Masks in_mask_; // EXEC among them
};

// A load or a store past the caches or an atomic in device memory, or what is not known to be none: by it others may learn what
// the kernel has done, or it what others have.
bool may_pass_flag(const Code& code, size_t index) {
  const observe::InstructionInfo& info = code.info(index);
  const isa::Instruction& in = code.instruction(index);
  if (in.encoding == isa::Encoding::ds) return false;
  const bool is_plain = info.operation.kind == MemoryOperation::Kind::load ||
                        info.operation.kind == MemoryOperation::Kind::store;
  return info.in_flight.flat || info.role == observe::InstructionInfo::Role::cache ||
         code.steps()[index].leaves != Leaves::no || info.operation.kind == MemoryOperation::Kind::atomic ||
         (is_plain && (in.sc0 || in.sc1));
}

} // namespace

PointerBases::PointerBases(const Code& code, Premise premise)
    : arguments_(code.size()), loads_arguments_(code.size()) {
  propagate(code, 0, Pointers(code), true, [&](Pointers& pointers, size_t index) {
    const isa::Instruction& in = code.instruction(index);
    loads_arguments_[index] = pointers.loads_arguments(in);
    if (code.info(index).operation.is_memory() && in.encoding != isa::Encoding::ds)
      arguments_[index] = pointers.arguments_of(in);
    pointers.execute(code, index);
  });
  if (premise != Premise::arguments_apart) return;
  tells_apart_ = true;
  for (size_t i = 0; i < code.size(); ++i)
    tells_apart_ &= code.block_of(i) == Code::none || !may_pass_flag(code, i);
}

bool PointerBases::apart(size_t a, size_t b) const {
  if (loads_arguments_[a] || loads_arguments_[b]) return true;
  return tells_apart_ && arguments_[a] != 0 && arguments_[b] != 0 && (arguments_[a] & arguments_[b]) == 0;
}

} // namespace fmha950::static_check
