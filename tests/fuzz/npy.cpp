// The reader of .npy files: what it accepts is written and read again as the same tensor. The first byte
// chooses the type that is asked for.
#include "interface/npy.hpp"
#include "interface/error.hpp"
#include "tests/fuzz/memory_file.hpp"

#include <algorithm>

namespace fmha950::fuzz {
namespace {

void npy(Bytes input) {
  if (input.empty()) return;
  using enum ElementType;
  const ElementType type = Choices(input).one_of({bf16, fp16, fp8, e8m0, fp32, int32});
  const MemoryFile file(input.subspan(1));
  try {
    const Tensor tensor = read_npy(file.path(), type);
    ensure(tensor.bytes() <= input.size(), "a tensor is no larger than its file");
    const MemoryFile copy({});
    write_npy(copy.path(), tensor);
    const Tensor again = read_npy(copy.path(), type);
    ensure(again.shape() == tensor.shape() && std::ranges::equal(again.as<uint8_t>(), tensor.as<uint8_t>()),
           "what is written is read as the same tensor");
  } catch (const InvalidInput&) {
  }
}

const Registration registration("npy", npy);

} // namespace
} // namespace fmha950::fuzz
