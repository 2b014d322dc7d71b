#include "harness/record/environment.hpp"

#include "harness/record/digest.hpp"
#include "interface/hip.hpp"
#include "interface/installation.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <link.h>
#include <string_view>

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

// Of a loaded file, by its notes (elf(5), NT_GNU_BUILD_ID); "" names the program itself. "none": it has no build id.
std::string build_id(const std::string& file) {
  struct Search {
    std::filesystem::path file;
    std::string id = "none";
    static std::filesystem::path canonical(const std::string& name) {
      std::error_code unreadable;
      return name.empty() ? std::filesystem::path() : std::filesystem::weakly_canonical(name, unreadable);
    }
  } search{Search::canonical(file)};
  const auto look = [](dl_phdr_info* info, size_t, void* data) {
    Search& search = *static_cast<Search*>(data);
    if (Search::canonical(info->dlpi_name) != search.file) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr) & segment = info->dlpi_phdr[i];
      if (segment.p_type != PT_NOTE) continue;
      const auto* const begin = reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr);
      const auto aligned = [](size_t bytes) { return (bytes + 3) / 4 * 4; };
      for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= segment.p_memsz;) {
        const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(begin + at);
        const char* const owner = begin + at + sizeof note;
        const auto* const id = reinterpret_cast<const unsigned char*>(owner + aligned(note.n_namesz));
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::string_view(owner, 3) == "GNU") {
          search.id.clear();
          for (size_t j = 0; j < std::min<size_t>(note.n_descsz, 8); ++j)
            search.id += fmt::format("{:02x}", id[j]);
          return 1;
        }
        at += sizeof note + aligned(note.n_namesz) + aligned(note.n_descsz);
      }
    }
    return 1;
  };
  dl_iterate_phdr(look, &search);
  return search.id;
}

// Those that the binary came with, whatever stands in for one of them.
const std::string& digest_of_kernels() {
  static const std::string digest = [] {
    Digest all;
    for (const std::string_view variant : hip::code_object_variants()) {
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
