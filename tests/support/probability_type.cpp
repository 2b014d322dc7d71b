#include "tests/support/probability_type.hpp"
#include "operators/append_prefill/append_prefill.hpp"
#include "operators/sparse_prefill/sparse_prefill.hpp"

#include "harness/device/device_case.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/hip.hpp"
#include "interface/names.hpp"
#include "tests/support/code_object.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <regex>
#include <stdexcept>

namespace fmha950::test {
namespace {

using Registers = std::set<std::string>; // "v12", "a3"

Registers registers_of(const std::string& operand) {
  static const std::regex form("([va])(?:([0-9]+)|\\[([0-9]+):([0-9]+)\\])");
  std::smatch match;
  if (!std::regex_match(operand, match, form)) return {};
  const int first = std::stoi(match[2].matched ? match[2] : match[3]);
  const int last = std::stoi(match[2].matched ? match[2] : match[4]);
  Registers registers;
  for (int r = first; r <= last; ++r) registers.insert(match[1].str() + std::to_string(r));
  return registers;
}

// "v_mfma_f32_... v[0:15], v[16:19], v[20:23], 0 cbsz:1": the mnemonic, the operands, what follows them.
struct Parts {
  std::string mnemonic, modifiers;
  std::vector<std::string> operands;
};

Parts parts_of(const std::string& text) {
  Parts parts;
  const size_t space = text.find(' ');
  parts.mnemonic = text.substr(0, space);
  if (space == text.npos) return parts;
  std::string rest = text.substr(space + 1);
  while (!rest.empty()) {
    const size_t comma = rest.find(", ");
    const std::string operand = rest.substr(0, comma);
    const size_t blank = operand.find(' ');
    parts.operands.push_back(operand.substr(0, blank));
    if (comma == rest.npos && blank != operand.npos) parts.modifiers = operand.substr(blank + 1);
    rest = comma == rest.npos ? "" : rest.substr(comma + 2);
  }
  return parts;
}

bool writes_first_operand(const std::string& mnemonic) {
  return mnemonic.starts_with("v_") || mnemonic.starts_with("ds_read") ||
         mnemonic.find("_load_") != mnemonic.npos;
}

bool contains_any(const Registers& all, const Registers& some) {
  return std::ranges::any_of(some, [&](const std::string& r) { return all.contains(r); });
}

// Formats of f8f6f4's operands: 0, which is not printed, is FP8 E4M3 (LLVM AMDGPU, cbsz and blgp).
std::string formats(const std::string& modifiers) {
  std::string found;
  static const std::regex form("(?:cbsz|blgp):[0-9]+");
  for (std::sregex_iterator match(modifiers.begin(), modifiers.end(), form), end; match != end; ++match)
    found += " " + match->str();
  return found;
}

ElementType type_of(const std::string& product) {
  if (product.ends_with("_bf16")) return ElementType::bf16;
  if (product.ends_with("_f16")) return ElementType::fp16;
  if (product.ends_with("_fp8_fp8") || product.ends_with("_f8f6f4")) return ElementType::fp8;
  // A is E2M1, B is E4M3. Of the two V is the one of 4 bits: no kernel here makes elements of E2M1.
  if (product.ends_with("_f8f6f4 cbsz:4")) return ElementType::fp8;
  throw std::invalid_argument("no type that a P has: " + product);
}

// The kernel that planning asks the code object for: another stands in, which has none of that name.
std::string kernel_of_plan(const Implementation& implementation, const Problem& problem,
                           const Tensors& tensors, const std::string& variant) {
  const std::set<std::string> kernels = kernels_of(variant);
  const auto other = hip::code_object("calibration_micro");
  const hip::CodeObjectOverride stands_in(variant, {other.begin(), other.end()});
  try {
    const harness::CaseRun run(implementation, problem, tensors);
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    for (const std::string& kernel : kernels)
      if (std::regex_search(text, std::regex("\\b" + kernel + "\\b"))) return kernel;
    throw;
  }
  return "";
}

} // namespace

std::set<std::string> value_products(const MachineCode& loop) {
  Registers written, fresh; // somewhere in the loop; in this round, from nothing that they held
  for (const Instruction& instruction : loop)
    if (const Parts parts = parts_of(instruction.text);
        writes_first_operand(parts.mnemonic) && !parts.operands.empty())
      written.merge(registers_of(parts.operands[0]));
  std::set<std::string> products;
  for (const Instruction& instruction : loop) {
    const Parts parts = parts_of(instruction.text);
    if (!writes_first_operand(parts.mnemonic) || parts.operands.empty()) continue;
    const Registers to = registers_of(parts.operands[0]);
    Registers from;
    for (size_t i = 1; i < parts.operands.size(); ++i) from.merge(registers_of(parts.operands[i]));
    if (parts.mnemonic.starts_with("v_mfma")) {
      from = registers_of(parts.operands.at(3));
      if (contains_any(written, from) && !contains_any(fresh, from)) {
        products.insert(parts.mnemonic + formats(parts.modifiers));
        continue;
      }
    } else if (contains_any(to, from) && !contains_any(fresh, to)) {
      continue; // rescaled
    }
    fresh.insert(to.begin(), to.end());
  }
  return products;
}

std::set<ElementType> types_of_p(const MachineCode& loop) {
  std::set<ElementType> types;
  for (const std::string& product : value_products(loop)) types.insert(type_of(product));
  return types;
}

namespace {

bool multiplies_values(const MachineCode& code) { return !types_of_p(main_loop(code)).empty(); }

// Of all that a plan's code object holds: a kernel without a loop over tiles is the first of several launches.
void check_types(const PlannedCase& of, std::string_view variant, ElementType declared, bool sparse) {
  for (const auto& [kernel, code] : disassemble(code_object_file(variant))) {
    if (!multiplies_values(code)) continue;
    CAPTURE(of.implementation, of.case_string, variant, kernel);
    const std::set<ElementType> types = types_of_p(main_loop(code));
    const bool narrow = types.contains(ElementType::fp8);
    CHECK(name_of(narrow ? ElementType::fp8 : *types.begin()) == name_of(declared));
    // Rows of sparse_prefill keep some columns in bf16.
    if (types.size() > 1) CHECK((narrow && types.size() == 2 && sparse));
  }
}

} // namespace

void check_probability_types(const std::vector<PlannedCase>& cases,
                             const std::vector<std::string>& prefixes) {
  std::set<std::string> to_load;
  for (const std::string_view variant : hip::code_object_variants())
    for (const std::string& prefix : prefixes)
      if (variant.starts_with(prefix))
        for (const auto& [kernel, code] : disassemble(code_object_file(variant)))
          if (multiplies_values(code)) to_load.insert(std::string(variant));
  std::set<std::string> loaded;
  for (const PlannedCase& of : cases) {
    const Implementation& implementation = find_implementation(of.implementation);
    const Problem problem = parse_case(of.case_string);
    const Tensors tensors = workload::make_tensors(problem);
    const ElementType declared =
        harness::CaseRun(implementation, problem, tensors).plan().probability_rounding().type;
    bool any = false;
    for (const std::string& variant : to_load) {
      if (kernel_of_plan(implementation, problem, tensors, variant).empty()) continue;
      any = true;
      loaded.insert(variant);
      check_types(of, variant, declared, problem.op == sparse_prefill);
    }
    CAPTURE(of.implementation, of.case_string);
    CHECK(any);
  }
  CHECK(loaded == to_load);
}

} // namespace fmha950::test
