// The second source of the wait-state rules: clang's hazard recogniser. What it emits is silent; each s_nop
// that it inserted is needed, or for a reason named here.

#include "emulator/loader/code_object.hpp"
#include "interface/hip.hpp"
#include "tests/observe/instruction_stream.hpp"

#include "tests/support/catch.hpp"
#include <map>
#include <string>

namespace {

using namespace fmha950;

bool is_vector_memory(const isa::Instruction& in) {
  using isa::Encoding;
  return in.encoding == Encoding::flat || in.encoding == Encoding::mubuf || in.encoding == Encoding::mtbuf;
}
bool is_nop(const isa::Instruction& in) { return timing::assembler_mnemonic_of(in) == "s_nop"; }

// Why clang puts an s_nop before `next` where no rule asks for one.
std::string reason_of(const isa::Instruction& previous, const isa::Instruction& next, uint32_t accum_offset) {
  const std::string mnemonic = timing::assembler_mnemonic_of(next);
  const isa::Uses uses = isa::uses_of(next, accum_offset);
  // H21: the code may run with XNACK on, the device does not.
  if ((is_vector_memory(previous) && is_vector_memory(next)) ||
      (previous.encoding == isa::Encoding::smem && next.encoding == isa::Encoding::smem))
    return "soft clause";
  // H6: 0 states in the ISA guide.
  for (const char* mask : {"v_cndmask", "v_addc_co", "v_subb_co", "v_subbrev_co"})
    if (mnemonic.starts_with(mask)) return "carry-in or mask";
  // LLVM's bit for "op_sel of the result" is VOP3P's for a source's high half, which is set by default.
  if (previous.encoding == isa::Encoding::vop3p) return "packed operation";
  // The guide's tables let VALU writes wait for an MFMA's, not loads.
  if (is_vector_memory(next) && !uses.writes().empty()) return "load over an MFMA's result";
  return "";
}

// LLVM #218363 is open: clang 22 does not pad between two kinds of MFMA on one accumulator, and that is a warning.
std::vector<observe::Hazard> without_warnings(std::vector<observe::Hazard> hazards, int& warnings) {
  warnings += static_cast<int>(std::erase_if(hazards, [](const observe::Hazard& hazard) {
    return hazard.severity == observe::Severity::warning &&
           hazard.what.find("two kinds of MFMA on one accumulator") != std::string::npos;
  }));
  return hazards;
}

} // namespace

TEST_CASE("wait states: clang's output is silent, and without one of its s_nops it is not") {
  const loader::CodeObject object(hip::code_object("wait_states_kernels"));
  int needed = 0, warnings = 0, without_nop = 0;
  std::map<std::string, int> others;
  for (const loader::Kernel& kernel : object.kernels()) {
    INFO(kernel.name);
    const auto function = object.function_at(kernel.entry);
    REQUIRE(function);
    const auto& all =
        object.program().decode(function->begin, function->end, kernel.accum_offset).instructions;
    size_t size = all.size();
    while (size > 0 && timing::assembler_mnemonic_of(all[size - 1]) != "s_endpgm")
      --size; // padding behind it
    const std::span<const isa::Instruction> code(all.data(), size);
    const auto hazards = without_warnings(test::walk(code, kernel.accum_offset), warnings);
    INFO((hazards.empty() ? "" : hazards[0].what));
    CHECK(hazards.empty());
    for (size_t i = 1; i + 1 < size; ++i) {
      if (!is_nop(code[i])) continue;
      if (!without_warnings(test::walk(code, kernel.accum_offset, i), without_nop).empty()) {
        ++needed;
        continue;
      }
      size_t next = i, previous = i;
      while (is_nop(code[next])) ++next;
      while (is_nop(code[previous])) --previous;
      const std::string reason = reason_of(code[previous], code[next], kernel.accum_offset);
      INFO(isa::disassemble(code[previous]) << " | " << isa::disassemble(code[next]));
      CHECK(!reason.empty());
      ++others[reason];
    }
  }
  INFO(object.kernels().size());
  CHECK(object.kernels().size() > 50);
  CHECK(needed > 90);
  CHECK(warnings > 0);
  CHECK(others["soft clause"] > 0); // the exceptions above are not there for nothing
  CHECK(others["carry-in or mask"] > 0);
  CHECK(others["packed operation"] > 0);
  CHECK(others["load over an MFMA's result"] > 0);
}
