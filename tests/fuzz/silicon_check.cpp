// The reader of what silicon-check has measured (`device --calibration --measured FILE`), and what is printed of it.
#include "harness/silicon/silicon_check.hpp"
#include "emulator/timing/assumed.hpp"
#include "harness/silicon/energy.hpp"
#include "interface/error.hpp"
#include "tests/fuzz/memory_file.hpp"

#include <algorithm>
#include <cstdlib>

namespace fmha950::fuzz {
namespace {

std::string printed(const harness::SiliconCheck& check) {
  char* bytes = nullptr;
  size_t size = 0;
  std::FILE* stream = open_memstream(&bytes, &size);
  ensure(stream != nullptr, "there is memory");
  harness::print_answers(check, stream);
  harness::print_energy(check, stream);
  std::fclose(stream);
  std::string text(bytes, size);
  std::free(bytes);
  return text;
}

void silicon_check(Bytes input) {
  const MemoryFile file(input);
  harness::SiliconCheck check;
  try {
    check = harness::read_silicon_check(file.path());
  } catch (const InvalidInput&) {
    return;
  }
  for (const std::string& word : harness::words_of(check))
    ensure(timing::assumed(word).has_value(), "an answer is a word that the model knows");
  for (const harness::MeasuredQuestion& question : check.questions)
    ensure(question.runs.empty() || harness::clocks_of_step(question) > 0.0,
           "what was measured takes clocks");
  for (const harness::MeasuredWindow& window : check.windows)
    ensure(window.needed() < static_cast<int>(window.is_right.size()), "a window ends in a right result");
  ensure(!printed(check).empty(), "what is accepted is printed");
}

const Registration registration("silicon_check", silicon_check);

} // namespace
} // namespace fmha950::fuzz
