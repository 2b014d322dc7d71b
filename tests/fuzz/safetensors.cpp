// The reader of .safetensors files: what it accepts is written and read again as the same tensor.
#include "harness/foreign/array.hpp"
#include "interface/error.hpp"
#include "tests/fuzz/memory_file.hpp"

namespace fmha950::fuzz {
namespace {

void safetensors(Bytes input) {
  const MemoryFile file(input), copy({});
  try {
    const harness::Array array = harness::read_safetensors({file.path(), ""});
    ensure(array.bytes.size() <= input.size(), "a tensor is no larger than its file");
    harness::write_safetensors(copy.path(), {{{copy.path(), "x"}, &array}});
    const harness::Array again = harness::read_safetensors({copy.path(), "x"});
    ensure(again.element == array.element && again.shape == array.shape && again.bytes == array.bytes,
           "what is written is read as the same tensor");
  } catch (const InvalidInput&) {
  }
}

const Registration registration("safetensors", safetensors);

} // namespace
} // namespace fmha950::fuzz
