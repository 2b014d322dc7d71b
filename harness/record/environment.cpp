#include "harness/record/environment.hpp"

#include "interface/hip.hpp"

#include <fstream>

namespace fmha950::harness {

namespace {

std::string host_cpu() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

} // namespace

Environment environment(bool with_device) {
  Environment result;
  result.version = FMHA950_VERSION;
  result.compiler = "clang " __clang_version__;
  result.host_cpu = host_cpu();
  if (with_device) {
    const hip::Runtime& runtime = hip::runtime();
    result.device = runtime.device;
    result.library = runtime.library;
    result.embedded = runtime.embedded;
  }
  return result;
}

} // namespace fmha950::harness
