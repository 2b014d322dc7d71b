// Tensors of any type in .npy and .safetensors files.
#include "harness/foreign/array.hpp"
#include "harness/foreign/outputs.hpp"
#include "interface/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cmath>
#include <cstring>
#include <fstream>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

template <class T> Array array_of(Element element, const std::vector<T>& values) {
  Array array{
      element, {static_cast<int64_t>(values.size())}, std::vector<std::byte>(values.size() * sizeof(T))};
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

std::string safetensors(const std::string& header, const std::string& data = "") {
  const uint64_t length = header.size();
  std::string text(8, '\0');
  std::memcpy(text.data(), &length, sizeof length);
  return text + header + data;
}

} // namespace

TEST_CASE("arrays: every type comes back from both kinds of file") {
  const TemporaryFolder folder;
  for (int i = 0; i <= static_cast<int>(Element::float64); ++i) {
    const auto element = static_cast<Element>(i);
    Array array{element, {2, 3}, std::vector<std::byte>(6 * facts_of(element).bytes)};
    for (size_t byte = 0; byte < array.bytes.size(); ++byte)
      array.bytes[byte] = static_cast<std::byte>(byte + 1);
    const std::string npy = folder.path() / "a.npy", safe = folder.path() / "a.safetensors";
    write_arrays({{{npy, "x"}, &array}, {{safe, "x"}, &array}, {{safe, "y"}, &array}});
    INFO(array.type());
    CHECK(read_array({npy, ""}).bytes == array.bytes);
    CHECK(read_array({npy, ""}).shape == array.shape);
    const Array safely = read_array({safe, "y"});
    CHECK(safely.element == element);
    CHECK(safely.shape == array.shape);
    CHECK(safely.bytes == array.bytes);
  }
}

TEST_CASE("arrays: two outputs do not share a .npy file, nor a tensor") {
  const TemporaryFolder folder;
  const Array array = array_of<float>(Element::float32, {1, 2});
  const std::string npy = folder.path() / "a.npy", safe = folder.path() / "a.safetensors";
  CHECK_THROWS_WITH(write_arrays({{{npy, "x"}, &array}, {{npy, "y"}, &array}}),
                    Catch::Contains("must take one output, not 2"));
  CHECK_THROWS_WITH(write_arrays({{{safe, "x"}, &array}, {{safe, "x"}, &array}}),
                    Catch::Contains("must be written once"));
}

TEST_CASE("arrays: malformed .safetensors files are refused with their reason") {
  const TemporaryFolder folder;
  const std::string path = folder.path() / "a.safetensors";
  const std::string good = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  const std::string data(8, 'a');
  const std::pair<std::string, const char*> wrong[] = {
      {"abc", "must begin with the length of its header"},
      {safetensors(good, data).substr(0, 20), "must begin with the length of its header"},
      {safetensors("[1]"), "must be a JSON object"},
      {safetensors("{"), "must be a JSON object"},
      {safetensors(std::string(100000, '[')), "must be a JSON object"},
      {safetensors("{}"), "one of: none"},
      {safetensors(R"({"x":1})"), "must have dtype, shape and data_offsets"},
      {safetensors(R"({"x":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", data),
       "must have dtype, shape"},
      {safetensors(R"({"x":{"dtype":"F4","shape":[2],"data_offsets":[0,8]}})", data), "must have a dtype"},
      {safetensors(good, "short"), "must have data_offsets inside the file"},
      {safetensors(R"({"x":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", data),
       "as many bytes as its shape"},
  };
  for (const auto& [bytes, expected] : wrong) {
    std::ofstream(path, std::ios::binary) << bytes;
    INFO(bytes.substr(0, 100));
    CHECK_THROWS_WITH(read_array({path, ""}), Catch::Contains(expected));
  }
  std::ofstream(path, std::ios::binary) << safetensors(good, data);
  CHECK(read_array({path, ""}).bytes.size() == 8);
  CHECK_THROWS_WITH(read_array({path, "y"}), Catch::Contains("tensor y") && Catch::Contains("one of: x"));
  CHECK_THROWS_AS(read_array({folder.path() / "missing.npy", ""}), InvalidInput);
}

TEST_CASE("outputs: relative L2, bits and summary") {
  const Array a = array_of<float>(Element::float32, {3, 4, 0}),
              b = array_of<float>(Element::float32, {3, 4, 0.5f});
  CHECK(relative_l2("e", a, a) == 0);
  CHECK(relative_l2("e", b, a) == Approx(0.1));
  CHECK_THROWS_WITH(relative_l2("e", a, array_of<float>(Element::float32, {1})),
                    Catch::Contains("must have the output's 3 elements"));
  const Array with_nan = array_of<float>(Element::float32, {3, NAN, 0});
  CHECK(std::isinf(relative_l2("e", with_nan, a)));
  CHECK(relative_l2("e", with_nan, with_nan) == 0);
  CHECK(relative_l2("e", array_of<uint16_t>(Element::bfloat16, {0x3F80}),
                    array_of<uint16_t>(Element::uint16, {0x3F80})) == 0);
  CHECK(compare_bits(a, a).count == 0);
  CHECK(compare_bits(a, b).count == 1);
  CHECK(compare_bits(a, b).first == 2);
  CHECK(summary(a, true) == "min 0, max 4, rms 2.88675; 0 NaN, 0 Inf; 3 4 0");
  const Array untouched = array_of<uint32_t>(Element::float32, {~0u, 0});
  CHECK_THAT(summary(untouched, true), Catch::Contains("1 NaN, 0 Inf, 1 still poison"));
}
