#include "emulator/hip/call_site.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace fmha950::hip {
namespace {

struct Frame {
  const void* library = nullptr;
  std::string name; // "" where there is none
  std::string place;
};

// "run_model" of C++'s _Z9run_modeli.
std::string readable(const char* symbol) {
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr), std::free);
  const std::string name = demangled ? demangled.get() : symbol;
  return name.substr(0, name.find('('));
}

Frame frame_at(const void* return_address) {
  const char* const address = static_cast<const char*>(return_address) - 1; // inside the call
  Dl_info info{};
  if (!dladdr(address, &info)) return {nullptr, "", fmt::format("{}", return_address)};
  const std::string file = info.dli_fname ? std::filesystem::path(info.dli_fname).filename().string() : "?";
  return {info.dli_fbase, info.dli_sname ? readable(info.dli_sname) : "",
          fmt::format("{}+{:#x}", file, address - static_cast<const char*>(info.dli_fbase))};
}

} // namespace

// This library is compiled without tail calls (CMakeLists.txt), so that the exported function has its frame.
CallSite call_site() {
  constexpr int deepest = 32;
  void* addresses[deepest];
  const int count = backtrace(addresses, deepest);
  CallSite site{"a HIP call", "an unknown caller"};
  const void* const own = frame_at(__builtin_return_address(0)).library;
  bool called = false; // a sanitizer has a frame of its own before ours
  for (int i = 0; i < count; ++i) {
    const Frame frame = frame_at(addresses[i]);
    if (frame.library == own) {
      site.call = frame.name.empty() ? "a HIP call" : frame.name;
      called = true;
      continue;
    }
    if (!called) continue;
    site.caller = frame.name.empty() ? frame.place : frame.name;
    break;
  }
  return site;
}

} // namespace fmha950::hip
