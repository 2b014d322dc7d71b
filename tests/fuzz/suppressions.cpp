// The reader of suppression files: accepted, or refused with the line and the reason.
#include "emulator/observe/report/suppressions.hpp"
#include "tests/fuzz/target.hpp"

namespace fmha950::fuzz {
namespace {

void suppressions(Bytes input) {
  observe::Suppressions read;
  std::string error;
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  const bool accepted = observe::Suppressions::parse(text, read, error);
  ensure(accepted == error.empty(), "a refusal has a reason, and only a refusal");
  read.match(observe::HazardClass{}, "folder/kernel.hip:12");
}

const Registration registration("suppressions", suppressions);

} // namespace
} // namespace fmha950::fuzz
