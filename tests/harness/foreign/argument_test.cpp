// The notation of arguments.
#include "harness/foreign/argument.hpp"
#include "interface/error.hpp"
#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;
using Kind = Argument::Kind;

namespace {

std::string refusal(const std::string& text) {
  try {
    parse_argument("argument 1 (n)", text);
    return "";
  } catch (const InvalidInput& error) {
    return error.what();
  }
}

} // namespace

TEST_CASE("arguments: buffers") {
  const Argument in = parse_argument("a", "in:dir/x=1.npy");
  CHECK(in.kind == Kind::in);
  CHECK(in.source.file == "dir/x=1.npy");
  CHECK_FALSE(in.is_output());

  const Argument inout = parse_argument("a", "inout:w.safetensors#layer.0=y.npy");
  CHECK(inout.kind == Kind::inout);
  CHECK(inout.source.file == "w.safetensors");
  CHECK(inout.source.tensor == "layer.0");
  CHECK(inout.saved.file == "y.npy");
  CHECK(inout.is_output());

  const Argument out = parse_argument("a", "out:bfloat16[16,64]=y.safetensors#o");
  CHECK(out.kind == Kind::out);
  CHECK(out.element == Element::bfloat16);
  CHECK(out.shape == std::vector<int64_t>{16, 64});
  CHECK(out.saved.tensor == "o");

  const Argument zero = parse_argument("a", "zero:i32[]");
  CHECK(zero.kind == Kind::zero);
  CHECK(zero.element == Element::int32);
  CHECK(zero.shape.empty());
  CHECK(parse_argument("a", "null").kind == Kind::null);
}

TEST_CASE("arguments: scalars") {
  for (const char* number : {"42", "-1", "0x7f", "0.5", "1e-3", "inf", "-nan"}) {
    const Argument argument = parse_argument("a", number);
    CHECK(argument.kind == Kind::scalar);
    CHECK(argument.number == number);
    CHECK_FALSE(argument.element);
  }
  CHECK(parse_argument("a", "float16:0.5").element == Element::float16);
  CHECK(parse_argument("a", "u64:18446744073709551615").element == Element::uint64);
  CHECK(parse_argument("a", "i8:-128").element == Element::int8);
}

TEST_CASE("arguments: structs") {
  const Argument argument = parse_argument("a", "struct:i32,ptr,pad4,f32=1,out:f32[2,3],0.5");
  REQUIRE(argument.kind == Kind::structure);
  CHECK(argument.fields.size() == 4);
  CHECK(argument.fields[2].padding == 4);
  REQUIRE(argument.values.size() == 3);
  CHECK(argument.values[1].shape == std::vector<int64_t>{2, 3});
  CHECK(argument.values[2].element == Element::float32);
  CHECK(parse_argument("a", "struct:pad8=").values.empty());
}

TEST_CASE("arguments: what is wrong is named with its value and what would be right") {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "must be in:FILE"},
      {"x", "must be in:FILE"},
      {"4 2", "must be in:FILE"},
      {"file:x.npy", "must be in:FILE"},
      {"in:x.txt", "must name a file that ends in .npy or .safetensors"},
      {"in:x.npy#t", "a .npy file has only one"},
      {"in:x.safetensors#", "must name a tensor behind #"},
      {"inout:x.npy=", "must name a file"},
      {"out:float32", "must be TYPE[EXTENTS]"},
      {"out:float32[0]", "whole extents from 1"},
      {"out:float32[4,]", "whole extents from 1"},
      {"out:float32[-4]", "whole extents from 1"},
      {"out:float32[4]x", "must be TYPE[EXTENTS]"},
      {"out:float31[4]", "must be a type: bool, int8"},
      {"zero:f32[99999999999,99999999999]", "whole extents from 1"},
      {"int8:128", "must be an integer from -128 to 127 (int8)"},
      {"u32:-1", "must be an integer from 0 to 4294967295 (uint32)"},
      {"int32:0.5", "must be an integer"},
      {"float16:1e6", "is beyond the range of float16"},
      {"float32:", "must be a number"},
      {"float32:1x", "must be a number"},
      {"struct:i32", "must be struct:TYPES=VALUES"},
      {"struct:i32,f32=1", "has 1 values, must have 2"},
      {"struct:i32=1,2", "has 2 values, must have 1"},
      {"struct:i32=null", "must be a number: its field is int32"},
      {"struct:ptr=4", "must be a buffer (in:, out:, zero:, inout:) or null"},
      {"struct:padx=", "must be pad and a number of bytes"},
      {"struct:i8=300", "must be an integer from -128 to 127"},
      {"struct:ptr=struct:i32=1", "must be no struct of its own"},
  };
  for (const auto& [text, expected] : wrong) {
    INFO(text);
    CHECK_THAT(refusal(text), Catch::Contains(expected));
    CHECK_THAT(refusal(text), Catch::StartsWith("argument 1 (n)"));
  }
}
