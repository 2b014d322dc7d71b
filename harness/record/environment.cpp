#include "harness/record/environment.hpp"

#include "harness/record/digest.hpp"
#include "interface/hip.hpp"
#include "interface/implementation.hpp"
#include "interface/installation.hpp"

#include <fstream>

namespace fmha950::harness {

namespace {

std::string host_cpu() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown";
}

struct SourceCommit {
  std::string name = "unknown";
  int64_t seconds = 0;
  SourceCommit() { std::ifstream(source_commit_file()) >> name >> seconds; }
};

// Those that the binary came with, whatever stands in for one of them.
const std::string& digest_of_kernels() {
  static const std::string digest = [] {
    Digest all;
    for (const std::string_view variant : hip::code_object_variants()) {
      if (is_external(variant)) continue; // of the user
      all.add(std::string(variant));
      add_code(all, variant, hip::code_object(variant));
    }
    return all.text();
  }();
  return digest;
}

} // namespace

Environment environment(bool with_device) {
  Environment result;
  result.version = FMHA950_VERSION;
  static const SourceCommit built; // of when this process began, should a build replace it
  result.commit = built.name;
  result.committed = built.seconds;
  result.kernels = digest_of_kernels();
  result.build = build_id("");
  result.compiler = "clang " __clang_version__;
  result.host_cpu = host_cpu();
  if (with_device) {
    const hip::Runtime& runtime = hip::runtime();
    result.device = runtime.device;
    result.library = runtime.library;
    result.embedded = runtime.embedded;
    result.build += '+' + build_id(result.library);
  }
  return result;
}

} // namespace fmha950::harness
