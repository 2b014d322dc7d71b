#pragma once
// The kernel of mutation_kernels.hip, run with changes.

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/observe/mutation/mutation.hpp"
#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sstream>

namespace fmha950 {

struct Listed {
  std::string id, source, text, before, after;
  std::string change() const { return id.substr(id.rfind(':') + 1); }
};

class Guarded {
 public:
  Guarded() : object_(hip::code_object("machine_mutation_kernels")), kernel(*object_.find_kernel("guarded")) {
    auto& space = machine::AddressSpace::device();
    out_ = static_cast<uint32_t*>(space.allocate(words * 4));
    kernarg_ = space.allocate(64);
    std::memcpy(kernarg_, &out_, sizeof out_);
    std::istringstream lines(observe::list_mutants(kernel));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      Listed& entry = listed.emplace_back();
      std::getline(fields, entry.id, '\t');
      std::getline(fields, entry.source, '\t');
      std::getline(fields, entry.text, '\t');
      std::getline(fields, entry.before, '\t');
      std::getline(fields, entry.after, '\t');
    }
  }
  ~Guarded() {
    machine::AddressSpace::device().release(out_);
    machine::AddressSpace::device().release(kernarg_);
  }
  std::vector<uint32_t> run(const std::string& mutant, const char* schedule = "lazy,starve:0") {
    for (size_t i = 0; i < words; ++i) out_[i] = static_cast<uint32_t>(1000 + i);
    machine::Launch launch;
    std::string error;
    REQUIRE(machine::parse_schedule(schedule, launch.options.schedule, error));
    launch.kernel = &kernel;
    launch.kernarg = reinterpret_cast<uint64_t>(kernarg_);
    launch.block[0] = 128;
    if (!mutant.empty()) launch.code = observe::mutant_code(kernel, mutant);
    machine::run(launch);
    return {out_, out_ + words};
  }
  // The mutant with this change whose instruction has this text.
  std::string id(const std::string& change, const std::string& text) const {
    for (const Listed& entry : listed)
      if (entry.change() == change && entry.text.find(text) != entry.text.npos) return entry.id;
    FAIL("no mutant " << change << " of " << text);
    return {};
  }
  static constexpr size_t words = 1024;

 private:
  loader::CodeObject object_;
  uint32_t* out_;
  void* kernarg_;

 public:
  const loader::Kernel& kernel;
  std::vector<Listed> listed;
};

inline size_t count(const Guarded& g, const std::string& change) {
  return static_cast<size_t>(
      std::count_if(g.listed.begin(), g.listed.end(), [&](const Listed& e) { return e.change() == change; }));
}

// Sections of 128 words of the output that differ from the unmutated kernel's.
inline std::vector<size_t> changed(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  std::vector<size_t> sections;
  for (size_t s = 0; s < a.size() / 128; ++s)
    if (!std::equal(a.begin() + s * 128, a.begin() + (s + 1) * 128, b.begin() + s * 128))
      sections.push_back(s);
  return sections;
}

} // namespace fmha950
