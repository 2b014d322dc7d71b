#include "emulator/hostcall/services.hpp"

#include "emulator/hostcall/host_function.hpp"
#include "emulator/machine/wave.hpp"

#include <bit>
#include <fmt/format.h>

namespace fmha950::hostcall {
namespace {

enum Service : uint32_t { function_call = 1, print = 2, device_memory = 3 };

} // namespace

Services::Services(Output output, DeviceMemory memory) : memory_(std::move(memory)) {
  output_.refuse = std::move(output.refuse);
  output_.print = [this, print = std::move(output.print)](bool to_stderr, const std::string& text) {
    if (to_stderr) last_words_[lanes_] = text;
    print(to_stderr, text);
  };
}

void Services::serve() {
  const std::lock_guard lock(mutex_);
  packets_.answer_ready([&](uint32_t service, uint64_t lanes, uint64_t (*words)[8]) {
    lanes_ = lanes;
    for (uint64_t left = lanes; left; left &= left - 1) answer(service, words[std::countr_zero(left)]);
  });
}

void Services::answer(uint32_t service, uint64_t* words) {
  switch (service) {
  case function_call: return call_host_function(words);
  case print: return messages_.take(words, output_);
  case device_memory: return manage_memory(words);
  default: machine::raise_fault(fmt::format("hostcall: there is no service {}", service));
  }
}

void Services::manage_memory(uint64_t* words) {
  if (words[0] == 0) {
    words[0] = memory_.allocate(words[1]);
  } else if (!memory_.release(words[0])) {
    machine::raise_fault(
        fmt::format("free of {:#x} in a kernel, where malloc has allocated nothing", words[0]));
  }
}

std::string Services::last_words(const machine::Wave& wave) {
  const std::lock_guard lock(mutex_);
  const auto found = last_words_.find(wave.exec());
  if (found == last_words_.end()) return "";
  const std::string& text = found->second;
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

} // namespace fmha950::hostcall
