// Which bytes of a vector result depend on which bytes of its sources: halves of 16-bit operations, elements
// of packed ones, parts that conversions select or replace. Rows say what they read, what they write, and how the one
// follows from the other (program/valu_facts.hpp).

#include "emulator/observe/initialised/initialised_rules.hpp"
#include "emulator/program/row.hpp"

namespace fmha950::observe {

void ByteDependence::depend(unsigned result_bytes, int source, unsigned source_bytes) {
  for (int b = 0; b < results; ++b)
    if (result_bytes >> b & 1) from[b][source] |= static_cast<uint8_t>(source_bytes);
  written |= static_cast<uint8_t>(result_bytes);
}

namespace {

using isa::ValuFacts;
using isa::ValuFlow;

constexpr unsigned word = isa::one_word, all = isa::all_bytes;
constexpr unsigned half(unsigned high) { return high ? isa::high_half : isa::low_half; }
constexpr unsigned single(unsigned byte) { return 1u << byte; }

struct Controls { // op_sel
  unsigned op_sel, op_sel_hi;
  bool bit(int i) const { return op_sel >> i & 1; }
  bool hi(int i) const { return op_sel_hi >> i & 1; }
  unsigned part() const { return op_sel & 3; }       // byte of the first source
  unsigned place() const { return op_sel >> 2 & 3; } // byte of the result
};

// Bytes of a source, where op_sel has put them.
unsigned read_of(const ValuFacts& facts, int source, Controls c) {
  return facts.reads[source] == isa::low_half ? half(c.bit(source)) : facts.reads[source];
}
unsigned written_of(const ValuFacts& facts, Controls c) {
  return facts.writes == isa::low_half   ? half(c.bit(3))
         : facts.writes == isa::one_byte ? single(c.place())
                                         : facts.writes;
}
void depend_on_others(ByteDependence& d, unsigned result) { // than the first source
  for (int s = 1; s < 3; ++s) d.depend(result, s, word);
}

// --- two or more elements in a register or pair (ISA guide, VOP3P) ---

void packed_halves(const isa::Instruction& in, const ValuFacts& facts, Controls c, ByteDependence& d) {
  for (int s = 0; s < 3; ++s) {
    const bool plain = !in.has_modifiers() || (facts.accumulates && s == 2);
    d.depend(half(0), s, half(plain ? 0 : c.bit(s)));
    d.depend(half(1), s, half(plain ? 1 : c.hi(s)));
  }
}
void packed_words(Controls c, ByteDependence& d) {
  for (int s = 0; s < 3; ++s) {
    d.depend(word, s, word << 4 * c.bit(s));
    d.depend(word << 4, s, word << 4 * c.hi(s));
  }
}
void word_from_each(Controls c, ByteDependence& d) {
  for (int e = 0; e < 2; ++e)
    for (int b = 0; b < 4; ++b) d.depend(single(4 * e + b), e, single(4 * c.bit(e) + b));
}
void mixed(const ValuFacts& facts, Controls c, ByteDependence& d) {
  for (int s = 0; s < 3; ++s) d.depend(facts.writes, s, c.hi(s) ? half(c.bit(s)) : word);
}

// --- conversions from and to fp8, bf8 and fp4 (mfma_gfx950.md section 4) ---

void code_from_each(Controls c, ByteDependence& d) {
  const unsigned low = single(c.place() & 2), high = low << 1;
  d.depend(low, 0, word), d.depend(high, 1, word), d.depend(low | high, 2, word);
}
void codes_of_halves(Controls c, ByteDependence& d) {
  const unsigned low = single(c.place() & 2), high = low << 1;
  d.depend(low, 0, half(0)), d.depend(high, 0, half(1)), depend_on_others(d, low | high);
}
void widened_each(const ValuFacts& facts, Controls c, ByteDependence& d) {
  for (unsigned e = 0; e < 2; ++e)
    d.depend(facts.writes == all ? word << 4 * e : half(e), 0, single(2 * (c.part() & 1) + e));
  depend_on_others(d, facts.writes);
}

// --- the others ---

void half_from_each(const ValuFacts& facts, Controls c, ByteDependence& d) {
  for (int s = 0; s < 2; ++s) d.depend(half(s), s, read_of(facts, s, c));
}
void low_word_of_low_words(bool modified, ByteDependence& d) {
  for (int s = 0; s < 3; ++s) {
    d.depend(word, s, modified ? all : word);
    d.depend(word << 4, s, all);
  }
}
void together(const ValuFacts& facts, const InitialisedInfo& info, Controls c, ByteDependence& d) {
  const unsigned result = written_of(facts, c);
  for (int s = 0; s < ByteDependence::sources; ++s) {
    const bool mask = s == 3 || info.source[s].kind == ValueSource::Kind::lane_mask;
    d.depend(result, s, mask ? all : read_of(facts, s, c));
  }
  // 16-bit results of VOP1, VOP2 and legacy VOP3 instructions clear the upper half (isa/operand.hpp).
  if (facts.writes == isa::low_half && !facts.keeps_rest && !c.bit(3)) d.written |= half(1);
}

} // namespace

ByteDependence byte_dependence_of(const isa::Instruction& in, const InitialisedInfo& info) {
  const ValuFacts& facts = isa::valu_of(in);
  const Controls c{in.op_sel, in.op_sel_hi};
  const bool modified = in.clamp || in.omod;
  ByteDependence d;
  switch (facts.flow) {
  case ValuFlow::compare: // one bit: described as byte 0
    for (int s = 0; s < 2; ++s) d.depend(1, s, read_of(facts, s, c));
    break;
  case ValuFlow::copy:
    if (modified) {
      together(facts, info, c, d);
      break;
    }
    for (unsigned b = 0; b < 4u * info.results; ++b) d.depend(single(b), 0, single(b));
    break;
  case ValuFlow::packed_halves: packed_halves(in, facts, c, d); break;
  case ValuFlow::packed_words: packed_words(c, d); break;
  case ValuFlow::word_from_each: word_from_each(c, d); break;
  case ValuFlow::half_from_each: half_from_each(facts, c, d); break;
  case ValuFlow::code_from_each: code_from_each(c, d); break;
  case ValuFlow::codes_of_halves: codes_of_halves(c, d); break;
  case ValuFlow::narrowed:
    d.depend(written_of(facts, c), 0, read_of(facts, 0, c)), depend_on_others(d, written_of(facts, c));
    break;
  case ValuFlow::widened:
    d.depend(written_of(facts, c), 0, single(c.part())), depend_on_others(d, written_of(facts, c));
    break;
  case ValuFlow::widened_each: widened_each(facts, c, d); break;
  case ValuFlow::mixed: mixed(facts, c, d); break;
  case ValuFlow::low_word_of_low_words: low_word_of_low_words(modified, d); break;
  case ValuFlow::byte_in_word: // which byte is not known here
  case ValuFlow::together: together(facts, info, c, d); break;
  case ValuFlow::unsaid:
  case ValuFlow::nothing:
  case ValuFlow::select:
  case ValuFlow::swap:
  case ValuFlow::swap_rows_16:
  case ValuFlow::swap_rows_32:
  case ValuFlow::read_first_lane:
  case ValuFlow::read_lane:
  case ValuFlow::write_lane: break; // initialised_rules.cpp has a kind for each: it does not ask here
  }
  return d;
}

} // namespace fmha950::observe
