#include "harness/foreign/kernel_metadata.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>
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

} // namespace

std::vector<ForeignKernel> kernels_of_metadata(const std::string& path, std::span<const std::byte> note) {
  const auto* const begin = reinterpret_cast<const uint8_t*>(note.data());
  const auto* const end = begin + note.size();
  Depth depth;
  std::string wrong = "is no MessagePack";
  if (json::sax_parse(begin, end, &depth, json::input_format_t::msgpack)) try {
      std::vector<ForeignKernel> kernels;
      const json metadata = json::from_msgpack(begin, end);
      for (const json& kernel : metadata.at("amdhsa.kernels")) kernels.push_back(kernel_of(kernel));
      return kernels;
    } catch (const json::exception& error) {
      wrong = error.what();
    }
  throw InvalidInput("file", path, "must have sound metadata (amdhsa.kernels): " + wrong);
}

} // namespace fmha950::harness
