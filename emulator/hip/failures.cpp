#include "emulator/hip/failures.hpp"

#include "emulator/hip/call_site.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <unordered_set>

namespace fmha950::hip {

FMHA950_HIP_API const char* hipGetErrorName(hipError_t error);

namespace {

std::atomic<bool> is_quiet = false;

// Whether nobody has said this before, by its first line.
bool is_new(const std::string& text) {
  static auto& mutex = *new std::mutex;
  static auto& said = *new std::unordered_set<std::string>;
  constexpr size_t most = 1000; // of a program that goes on failing in ever new ways
  const std::lock_guard lock(mutex);
  return said.size() < most && said.insert(text.substr(0, text.find('\n'))).second;
}

} // namespace

void be_quiet(bool quiet) { is_quiet = quiet; }

void say(const std::string& text) {
  is_new(text);
  std::fprintf(stderr, "%s\n", text.c_str());
}

void say_failure(hipError_t code, const std::string& detail) {
  if (is_quiet || code == hipSuccess || code == hipErrorNotReady || !is_new(detail)) return;
  const CallSite site = call_site();
  std::fprintf(stderr, "fmha950: %s from %s: %s: %s\n", site.call.c_str(), site.caller.c_str(),
               hipGetErrorName(code), detail.substr(0, detail.find('\n')).c_str());
}

void say_note(const std::string& text) {
  if (!is_quiet && is_new(text)) std::fprintf(stderr, "fmha950: note: %s\n", text.c_str());
}

} // namespace fmha950::hip
