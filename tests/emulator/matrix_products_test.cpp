// Which matrix instructions add to sums that a loop carries.
#include "emulator/isa/coverage.hpp"
#include "emulator/loader/code_object.hpp"
#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include <map>

using namespace fmha950;

namespace {

using Types = std::set<std::string>;

std::map<std::string, isa::MatrixProducts> products_of(const char* object) {
  std::map<std::string, isa::MatrixProducts> all;
  for (isa::MatrixProducts& each : isa::matrix_products_of(loader::CodeObject(hip::code_object(object))))
    all.emplace(each.kernel, each);
  return all;
}

} // namespace

TEST_CASE("matrix products: what a loop carries is told from what begins anew in each round") {
  const auto products = products_of("matrix_products");
  CHECK(products.size() == 5);
  CHECK(products.at("like_attention").types == Types{"bf16", "fp8"});
  CHECK(products.at("like_attention").carried == Types{"fp8"});
  CHECK(products.at("like_gemm").carried == Types{"fp16"});
  CHECK(products.at("exchanged").carried == Types{"bf16", "fp8"});
  CHECK(products.at("all_anew").types == Types{"bf16"});
  CHECK(products.at("all_anew").carried.empty());
  CHECK(products.at("without_a_loop").types == Types{"fp16"});
  CHECK(products.at("without_a_loop").carried.empty());
}

TEST_CASE("matrix products: coverage of a file names them for each kernel") {
  const std::string text =
      isa::text_of(isa::coverage_of(loader::CodeObject(hip::code_object("matrix_products"))));
  CHECK(text.find("adds up        1  fp8, of bf16 fp8 in kernel like_attention\n") != text.npos);
  CHECK(text.find("adds up        0  nothing, of bf16 in kernel all_anew\n") != text.npos);
}
