// The drop-in library beside a program's own libraries: what it needs of the system, and what others may bind to. A program
// that has an LLVM or a fmt of its own, of another version, must not meet ours.
#include "tests/support/catch.hpp"

#include <algorithm>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

class SharedLibrary {
 public:
  explicit SharedLibrary(const char* path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    REQUIRE(bytes_.size() > sizeof(Elf64_Ehdr));
  }

  std::vector<std::string> needed() const {
    std::vector<std::string> names;
    for_each<Elf64_Dyn>(SHT_DYNAMIC, [&](const Elf64_Dyn& entry, const char* strings) {
      if (entry.d_tag == DT_NEEDED) names.emplace_back(strings + entry.d_un.d_val);
    });
    return names;
  }

  // What it defines for others.
  std::vector<std::string> exported() const {
    std::vector<std::string> names;
    for_each<Elf64_Sym>(SHT_DYNSYM, [&](const Elf64_Sym& symbol, const char* strings) {
      if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL)
        names.emplace_back(strings + symbol.st_name);
    });
    return names;
  }

 private:
  template <class Entry, class Visit> void for_each(uint32_t type, Visit visit) const {
    const auto* header = at<Elf64_Ehdr>(0);
    const auto* sections = at<Elf64_Shdr>(header->e_shoff);
    for (size_t i = 0; i < header->e_shnum; ++i)
      if (sections[i].sh_type == type)
        for (size_t entry = 0; entry < sections[i].sh_size / sizeof(Entry); ++entry)
          visit(at<Entry>(sections[i].sh_offset)[entry], at<char>(sections[sections[i].sh_link].sh_offset));
  }
  template <class T> const T* at(size_t offset) const {
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }

  std::vector<char> bytes_;
};

std::vector<std::string> without(std::vector<std::string> names,
                                 const std::vector<std::string>& known_beginnings) {
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::any_of(known_beginnings,
                               [&](const std::string& beginning) { return name.starts_with(beginning); });
  });
  return names;
}

} // namespace

TEST_CASE("library: it needs nothing but the C and C++ runtimes") {
  const std::vector<std::string> runtimes = {"libc.so", "libm.so", "libstdc++.so", "libgcc_s.so",
                                             "ld-linux-x86-64.so"};
  const std::vector<std::string> needed = SharedLibrary(HIP_LIBRARY).needed();
  CHECK(std::ranges::any_of(needed, [](const std::string& name) { return name.starts_with("libc.so"); }));
  CHECK(without(needed, runtimes) == std::vector<std::string>{});
  // The question tells what is no runtime: this program needs the library.
  const std::vector<std::string> of_this = without(SharedLibrary("/proc/self/exe").needed(), runtimes);
  CHECK(std::ranges::find(of_this, "libamdhip64.so") != of_this.end());
}

TEST_CASE("library: others find only HIP's names and its own in it") {
  const std::vector<std::string> ours = {"hip", "__hip", "fmha950", "_Z24hipExtModuleLaunchKernel"};
  const std::vector<std::string> exported = SharedLibrary(HIP_LIBRARY).exported();
  CHECK(exported.size() > 500);
  CHECK(without(exported, ours) == std::vector<std::string>{});
  CHECK_FALSE(without(exported, {"__hip", "fmha950"}).empty());
}
