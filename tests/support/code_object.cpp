#include "tests/support/code_object.hpp"

#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include <array>
#include <cstdio>
#include <memory>
#include <regex>

namespace fmha950::test {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  REQUIRE(pipe);
  std::string text;
  std::array<char, 4096> buffer;
  while (const size_t bytes = fread(buffer.data(), 1, buffer.size(), pipe.get()))
    text.append(buffer.data(), bytes);
  return text;
}

std::string code_object_file(std::string_view variant) {
  return CODE_OBJECTS "/" + std::string(variant) + ".co";
}

std::set<std::string> kernels_of(std::string_view variant) {
  const auto bytes = hip::code_object(variant);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view end{".kd\0", 4};
  std::set<std::string> kernels;
  for (size_t at = 0; (at = text.find(end, at)) != text.npos; ++at) {
    const size_t begin = text.rfind('\0', at) + 1;
    kernels.emplace(text.substr(begin, at - begin));
  }
  return kernels;
}

std::vector<KernelOfVariant> kernels_starting(std::string_view prefix) {
  std::vector<KernelOfVariant> all;
  for (const std::string_view variant : hip::code_object_variants())
    if (variant.starts_with(prefix))
      for (const std::string& kernel : kernels_of(variant)) all.push_back({std::string(variant), kernel});
  return all;
}

std::map<std::string, std::map<std::string, int>> kernel_metadata(const std::string& file) {
  const std::string notes = output_of(std::string(LLVM_READOBJ) + " --notes " + file);
  // A kernel's own keys stand four columns in, its arguments' further.
  const std::regex form("\n(  - |    )\\.([a-z_]+): +(\\S+)");
  std::map<std::string, std::map<std::string, int>> kernels;
  std::map<std::string, int> numbers;
  std::string name;
  const auto keep = [&] {
    if (!name.empty()) kernels[name] = numbers;
    numbers.clear();
    name.clear();
  };
  for (std::sregex_iterator match(notes.begin(), notes.end(), form), end; match != end; ++match) {
    if ((*match)[1] == "  - ") keep();
    const std::string value = (*match)[3];
    if ((*match)[2] == "name")
      name = value;
    else if (value.find_first_not_of("0123456789") == value.npos)
      numbers[(*match)[2]] = std::stoi(value);
  }
  keep();
  return kernels;
}

} // namespace fmha950::test
