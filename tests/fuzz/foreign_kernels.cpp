// The harness's own reader of code objects' metadata.
#include "harness/foreign/code_object_file.hpp"
#include "interface/error.hpp"
#include "tests/fuzz/target.hpp"

namespace fmha950::fuzz {
namespace {

void foreign_kernels(Bytes input) {
  try {
    harness::CodeObjectFile file{"FILE", {}, harness::kernels_of("FILE", std::as_bytes(input))};
    for (const harness::ForeignKernel& kernel : file.kernels) {
      for (const harness::KernelParameter& parameter : kernel.parameters)
        ensure(uint64_t{parameter.offset} + parameter.size <= kernel.kernarg_bytes,
               "parameters lie in the segment");
      ensure(describe(file, kernel).size() <= 1000 + 100 * input.size(),
             "a description is no longer than its file allows");
    }
  } catch (const InvalidInput&) {
  }
}

const Registration registration("foreign_kernels", foreign_kernels);

} // namespace
} // namespace fmha950::fuzz
