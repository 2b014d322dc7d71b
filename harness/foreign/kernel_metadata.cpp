// The metadata of foreign kernels: read, and told to people.
#include "harness/foreign/code_object_file.hpp"
#include "interface/error.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace fmha950::harness {

namespace {

using nlohmann::json;

// Stops at nesting that no metadata has, before the parser's recursion fills the stack.
class Depth : public nlohmann::json_sax<json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(size_t) override { return ++depth_ <= 16; }
  bool start_array(size_t) override { return ++depth_ <= 16; }
  bool end_object() override { return depth_-- > 0; }
  bool end_array() override { return depth_-- > 0; }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  int depth_ = 0;
};

std::string text_at(const json& map, const char* key) { return map.value(key, std::string()); }
uint32_t number_at(const json& map, const char* key, uint32_t otherwise) { return map.value(key, otherwise); }

KernelParameter parameter_of(const json& map) {
  KernelParameter parameter;
  parameter.name = text_at(map, ".name");
  // clang's name for a pointer that it passes in another address space.
  if (constexpr std::string_view coerced = ".coerce"; parameter.name.ends_with(coerced))
    parameter.name.resize(parameter.name.size() - coerced.size());
  parameter.type = text_at(map, ".type_name");
  parameter.kind = map.at(".value_kind").get<std::string>();
  parameter.access = text_at(map, ".actual_access");
  if (parameter.access.empty()) parameter.access = text_at(map, ".access");
  if (parameter.access.empty() && map.value(".is_const", false)) parameter.access = "read_only";
  parameter.offset = map.at(".offset");
  parameter.size = map.at(".size");
  return parameter;
}

ForeignKernel kernel_of(const json& map) {
  ForeignKernel kernel;
  kernel.name = map.at(".name").get<std::string>();
  kernel.kernarg_bytes = map.at(".kernarg_segment_size");
  kernel.static_lds = number_at(map, ".group_segment_fixed_size", 0);
  kernel.vgprs = number_at(map, ".vgpr_count", 0);
  kernel.max_block = number_at(map, ".max_flat_workgroup_size", 1024);
  if (const auto size = map.find(".reqd_workgroup_size"); size != map.end())
    kernel.required_block = size->get<std::array<uint32_t, 3>>();
  const auto arguments = map.find(".args");
  kernel.silent = arguments == map.end() || arguments->empty();
  if (!kernel.silent)
    for (const json& each : *arguments) {
      KernelParameter parameter = parameter_of(each);
      if (parameter.kind.starts_with("hidden_")) continue;
      if (uint64_t{parameter.offset} + parameter.size > kernel.kernarg_bytes)
        ++kernel.beyond_segment;
      else
        kernel.parameters.push_back(std::move(parameter));
    }
  std::ranges::sort(kernel.parameters, {}, &KernelParameter::offset);
  return kernel;
}

// "amdgcn-amd-amdhsa--gfx950:sramecc+": of metadata from version 4 on. The device would refuse it too, when it is loaded.
void require_target(const std::string& path, std::string_view triple) {
  if (triple.empty()) return;
  const std::string_view processor = triple.substr(std::min(triple.rfind('-') + 1, triple.size()));
  if (processor.substr(0, processor.find(':')) != target.processor)
    throw InvalidInput("file", path, fmt::format("must be for {}, not for {}", target.processor, triple));
}

} // namespace

std::vector<ForeignKernel> kernels_of_metadata(const std::string& path, std::span<const std::byte> note) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(note.data());
  const auto* const end = begin + note.size();
  Depth depth;
  std::string wrong = "is no MessagePack";
  if (json::sax_parse(begin, end, &depth, json::input_format_t::msgpack)) try {
      std::vector<ForeignKernel> kernels;
      const json metadata = json::from_msgpack(begin, end);
      require_target(path, text_at(metadata, "amdhsa.target"));
      for (const json& kernel : metadata.at("amdhsa.kernels")) kernels.push_back(kernel_of(kernel));
      return kernels;
    } catch (const json::exception& error) {
      wrong = error.what();
    }
  throw InvalidInput("file", path, "must have sound metadata (amdhsa.kernels): " + wrong);
}

namespace {

// Something of the right form; files and extents are the user's to fill in.
std::string example(const KernelParameter& parameter, size_t index) {
  const std::string name = parameter.name.empty() ? fmt::format("argument{}", index) : parameter.name;
  if (parameter.is_buffer()) {
    if (parameter.access == "read_only") return fmt::format("in:{}.npy", name);
    if (parameter.access == "write_only") return fmt::format("'out:float32[1024]={}.npy'", name);
    return fmt::format("inout:{}.npy", name);
  }
  if (parameter.size <= 8) return parameter.type == "float" || parameter.type == "double" ? "1.0" : "1";
  const size_t words = parameter.size / 4;
  const std::vector<std::string> types(words, "i32"), values(words, "0");
  const size_t rest = parameter.size % 4;
  return fmt::format("struct:{}{}={}", fmt::join(types, ","), rest ? fmt::format(",pad{}", rest) : "",
                     fmt::join(values, ","));
}

std::string line_of(const KernelParameter& parameter, size_t index) {
  std::string text = fmt::format("  {:>3} {:<16} {:>4} bytes at {:<4}", index, parameter.kind, parameter.size,
                                 parameter.offset);
  for (const std::string& more : {parameter.type, parameter.name, parameter.access})
    if (!more.empty()) text += " " + more;
  return text + "\n";
}

} // namespace

std::string describe(const CodeObjectFile& file, const ForeignKernel& kernel) {
  std::string text =
      fmt::format("kernel {}: block of at most {} work-items, {} VGPRs, {} bytes of static LDS, {} bytes of "
                  "arguments\n",
                  kernel.name, kernel.max_block, kernel.vgprs, kernel.static_lds, kernel.kernarg_bytes);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) text += line_of(kernel.parameters[i], i);
  if (kernel.beyond_segment)
    text += fmt::format(
        "  note: {} more arguments of the metadata lie past the argument segment's end and are left out\n",
        kernel.beyond_segment);
  if (kernel.silent && kernel.kernarg_bytes)
    text += "  note: the metadata names no arguments; they are placed one after the other, each aligned to "
            "its size\n";
  const std::string block = kernel.required_block ? fmt::format("{}", fmt::join(*kernel.required_block, ","))
                                                  : fmt::format("{},1,1", std::min(kernel.max_block, 256u));
  text += fmt::format("./fmha950 device run {} --kernel {} --grid 1,1,1 --block {}", file.path, kernel.name,
                      block);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) text += " --arg " + example(kernel.parameters[i], i);
  return text + "\n";
}

} // namespace fmha950::harness
