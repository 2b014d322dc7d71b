// The trap of LDS DMA: a size that the hardware does not have is no silence but an error of the compiler.
#include "tests/support/code_object.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"

using fmha950::test::output_of;

namespace {

// What the compiler says of a request for so many bytes, from a buffer or from an address; "" for nothing.
std::string complaints(int bytes, const std::string& source) {
  return output_of(COMPILE_KERNEL " -I" + fmha950::source_path("") + " -S -o /dev/null -DFMHA950_BYTES=" +
                   std::to_string(bytes) + " '-DFMHA950_SOURCE=" + source + "' " +
                   fmha950::source_path("tests/gfx950/lds_dma_request.hip") + " 2>&1");
}

const std::string forms[] = {"raw_buffer(address, bytes), 16 * lane_id()", "address + 16 * lane_id()"};

} // namespace

TEST_CASE("LDS DMA of the five sizes that exist compiles in both forms") {
  for (const std::string& form : forms)
    for (const int bytes : {1, 2, 4, 12, 16}) {
      CAPTURE(form, bytes);
      CHECK(complaints(bytes, form) == "");
    }
}

TEST_CASE("LDS DMA of any other size, 8 bytes above all, does not compile and says which sizes there are") {
  for (const std::string& form : forms)
    for (const int bytes : {8, 0, 3, 6, 20, 32, -4}) {
      CAPTURE(form, bytes);
      const std::string said = complaints(bytes, form);
      CHECK_THAT(said, Catch::Contains("error: static assertion failed"));
      CHECK_THAT(said, Catch::Contains("LDS DMA moves 1, 2, 4, 12 or 16 bytes per lane; no other size"));
    }
}
