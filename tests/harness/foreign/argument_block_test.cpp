// Arguments as bytes of the kernel argument segment.
#include "harness/foreign/argument_block.hpp"
#include "harness/foreign/foreign_run.hpp"
#include "interface/error.hpp"
#include "tests/support/catch.hpp"

#include <cstring>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

KernelParameter by_value(const char* name, uint32_t offset, uint32_t size, const char* type = "") {
  return {name, type, "by_value", "", offset, size};
}
KernelParameter pointer(const char* name, uint32_t offset) {
  return {name, "", "global_buffer", "", offset, 8};
}

ForeignKernel kernel_with(std::vector<KernelParameter> parameters, uint32_t bytes) {
  ForeignKernel kernel;
  kernel.name = "k";
  kernel.parameters = std::move(parameters);
  kernel.kernarg_bytes = bytes;
  kernel.silent = kernel.parameters.empty();
  return kernel;
}

ArgumentBlock laid_out(const ForeignKernel& kernel, const std::vector<std::string>& texts) {
  std::vector<Argument> arguments;
  for (const std::string& text : texts) arguments.push_back(parse_argument("a", text));
  return lay_out(kernel, arguments);
}

template <class T> T at(const ArgumentBlock& block, size_t offset) {
  T value{};
  REQUIRE(offset + sizeof value <= block.bytes.size());
  std::memcpy(&value, block.bytes.data() + offset, sizeof value);
  return value;
}

} // namespace

TEST_CASE("argument block: types follow from the metadata, then from the number and the size") {
  const ForeignKernel kernel =
      kernel_with({pointer("x", 0), by_value("n", 8, 4), by_value("a", 12, 4), by_value("b", 16, 4, "float"),
                   by_value("c", 24, 8), by_value("h", 32, 2)},
                  40);
  const ArgumentBlock block = laid_out(kernel, {"zero:f32[3]", "-7", "0.5", "3", "0.25", "1.0"});
  REQUIRE(block.buffers.size() == 1);
  CHECK(block.buffers[0].before.bytes == std::vector<std::byte>(12));
  CHECK(block.buffers[0].address_at == 0);
  CHECK(at<int32_t>(block, 8) == -7);
  CHECK(at<float>(block, 12) == 0.5f);
  CHECK(at<float>(block, 16) == 3.0f);
  CHECK(at<double>(block, 24) == 0.25);
  CHECK(at<uint16_t>(block, 32) == 0x3C00);
}

TEST_CASE("argument block: a struct has C's layout") {
  const ForeignKernel kernel = kernel_with({by_value("s", 8, 32)}, 40);
  const ArgumentBlock block = laid_out(kernel, {"struct:i8,i32,ptr,pad4,f32,f64=1,2,out:u8[5],0.5,0.25"});
  CHECK(at<int8_t>(block, 8) == 1);
  CHECK(at<int32_t>(block, 12) == 2);
  CHECK(at<float>(block, 28) == 0.5f);
  CHECK(at<double>(block, 32) == 0.25);
  REQUIRE(block.buffers.size() == 1);
  CHECK(block.buffers[0].address_at == 16);
  CHECK(block.buffers[0].poisoned);
  CHECK(block.buffers[0].before.bytes == std::vector<std::byte>(5, poison_byte));
}

TEST_CASE("argument block: without metadata arguments follow one another, aligned") {
  const ForeignKernel kernel = kernel_with({}, 64);
  const ArgumentBlock block =
      laid_out(kernel, {"7", "zero:f32[1]", "0.5", "u8:3", "i64:-1", "struct:i8,i32=1,2"});
  CHECK(block.bytes.size() == 64);
  CHECK(at<int32_t>(block, 0) == 7);
  CHECK(block.buffers[0].address_at == 8);
  CHECK(at<float>(block, 16) == 0.5f);
  CHECK(at<uint8_t>(block, 20) == 3);
  CHECK(at<int64_t>(block, 24) == -1);
  CHECK(at<int8_t>(block, 32) == 1);
  CHECK(at<int32_t>(block, 36) == 2);
  CHECK_THROWS_WITH(laid_out(kernel_with({}, 8), {"1", "2", "3"}),
                    Catch::Contains("must fit the argument segment"));
}

TEST_CASE("argument block: what does not fit is refused by the argument's name") {
  const ForeignKernel kernel = kernel_with({pointer("x", 0), by_value("n", 8, 4), by_value("s", 12, 12)}, 24);
  const auto refuses = [&](const std::vector<std::string>& texts, const char* expected) {
    CHECK_THROWS_WITH(laid_out(kernel, texts), Catch::Contains(expected));
  };
  refuses({"null", "1"}, "arguments = 2: must be 3");
  refuses({"1", "1", "struct:i32,i32,i32=1,2,3"}, "argument 0 (x) = 1: must be a buffer");
  refuses({"null", "null", "struct:i32,i32,i32=1,2,3"}, "argument 1 (n) = null: has 8 bytes, must have 4");
  refuses({"null", "i64:1", "struct:i32,i32,i32=1,2,3"}, "argument 1 (n) = i64:1: has 8 bytes, must have 4");
  refuses({"null", "5000000000", "struct:i32,i32,i32=1,2,3"},
          "argument 1 (n) = 5000000000: must be an integer");
  refuses({"null", "1", "struct:i32,i32=1,2"}, "has 8 bytes, must have 12");
  refuses({"null", "1", "7"}, "argument 2 (s) = 7: must have 12 bytes");
  refuses({"in:missing.npy", "1", "7"}, "missing.npy");
}

TEST_CASE("launch shape: dimensions and limits") {
  CHECK(parse_dimensions("--grid", "4").x == 4);
  CHECK(parse_dimensions("--grid", "4,3,2").z == 2);
  for (const char* text : {"", "0", "4,", "4,0,1", "1,2,3,4", "x", "-1"})
    CHECK_THROWS_WITH(parse_dimensions("--grid", text), Catch::Contains("must be X, X,Y or X,Y,Z"));
  ForeignKernel kernel = kernel_with({}, 0);
  kernel.max_block = 64;
  kernel.static_lds = 1024;
  CHECK_NOTHROW(require_fits({{}, {64, 1, 1}, 162816}, kernel));
  CHECK_THROWS_WITH(require_fits({{}, {64, 1, 1}, 162817}, kernel),
                    Catch::Contains("--lds = 162817: must be at most 162816"));
  CHECK_THROWS_WITH(require_fits({{}, {65536, 65536, 1}}, kernel),
                    Catch::Contains("must have at most 64 work-items"));
  kernel.required_block = {{32, 2, 1}};
  CHECK_THROWS_WITH(require_fits({{}, {64, 1, 1}}, kernel), Catch::Contains("must be 32,2,1"));
}

TEST_CASE("argument block: a number of another kind than the metadata's type is refused") {
  const ForeignKernel kernel = kernel_with({by_value("n", 0, 4, "int"), by_value("a", 4, 4, "float")}, 8);
  CHECK(at<uint32_t>(laid_out(kernel, {"u32:5", "f32:1"}), 0) == 5);
  CHECK_THROWS_WITH(laid_out(kernel, {"f32:5", "1"}), Catch::Contains("is float32, must be int"));
  CHECK_THROWS_WITH(laid_out(kernel, {"5", "i32:1"}), Catch::Contains("is int32, must be float"));
  const ForeignKernel halves =
      kernel_with({by_value("h", 0, 2, "half"), by_value("x", 2, 2, "unknown_t")}, 4);
  CHECK_THROWS_WITH(laid_out(halves, {"bf16:1", "i16:1"}), Catch::Contains("is bfloat16, must be half"));
  CHECK(at<uint16_t>(laid_out(halves, {"f16:1", "bf16:1"}), 2) == 0x3F80); // whose type says nothing
}
