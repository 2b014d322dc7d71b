// Arrays in registers, indexed by what only the running program knows: clang's code for gfx950 at three levels against the
// host's result.
#include "emulator/isa/mnemonic.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/memory/address_space.hpp"
#include "interface/hip.hpp"
#include "tests/emulator/differential/arrays.hpp"
#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"
#include <cstring>

using namespace fmha950;

namespace {

constexpr uint32_t lanes = 64;

struct Arguments {
  const void *a, *b;
  void* result;
  uint32_t read, write, rounds;
};

template <class T> class Arrays {
 public:
  Arrays() : memory_(machine::AddressSpace::device().allocate(4096)) {
    for (uint32_t i = 0; i < lanes; ++i) {
      a()[i] = static_cast<T>(i * 3 + 1);
      b()[i] = static_cast<T>(i % 4 + 2);
    }
  }
  ~Arrays() { machine::AddressSpace::device().release(memory_); }
  T* a() { return static_cast<T*>(memory_); }
  T* b() { return a() + lanes; }
  T* result() { return b() + lanes; }

  void run(const loader::Kernel& kernel, uint32_t read, uint32_t write, uint32_t rounds) {
    const Arguments arguments{a(), b(), result(), read, write, rounds};
    void* const kernarg = result() + lanes;
    std::memcpy(kernarg, &arguments, sizeof arguments);
    std::memset(result(), 0xA5, lanes * sizeof(T));
    machine::Launch launch;
    launch.kernel = &kernel;
    launch.kernarg = reinterpret_cast<uint64_t>(kernarg);
    launch.block[0] = lanes;
    machine::run(launch);
  }

 private:
  void* memory_;
};

bool indexes_registers(const loader::CodeObject& object, const loader::Kernel& kernel) {
  const auto function = object.function_at(kernel.entry);
  const auto& block = object.program().decode(function->begin, function->end, kernel.accum_offset);
  return std::ranges::any_of(block.instructions, [](const isa::Instruction& in) {
    return isa::mnemonic_of(in) == "s_set_gpr_idx_on";
  });
}

} // namespace

TEST_CASE("arrays in registers with a variable index agree with the host's at -O1, -O2 and -O3") {
  int indexed = 0;
  for (const char* level : {"O1", "O2", "O3"})
    for (const std::string& simd : test::host_simds()) {
      std::string error;
      REQUIRE(isa::select_simd(simd, error));
      const loader::CodeObject object(hip::code_object(std::string("indexed_arrays_") + level));
      const auto compare = [&]<class T, int size>(const std::string& name) {
        Arrays<T> arrays;
        for (const bool divergent : {false, true}) {
          const loader::Kernel* kernel = object.find_kernel((divergent ? "divergent_" : "uniform_") + name);
          REQUIRE(kernel);
          indexed += indexes_registers(object, *kernel);
          for (uint32_t rounds : {0u, 1u, 7u, 20u})
            for (uint32_t start = 0; start < 2 * size; ++start) {
              INFO(name << " " << level << " " << simd << " divergent " << divergent << " start " << start);
              arrays.run(*kernel, start, start / 2 + 1, rounds);
              for (uint32_t i = 0; i < lanes; ++i) {
                const uint32_t read = start + (divergent ? i % 5 : 0),
                               write = start / 2 + 1 + (divergent ? i % 3 : 0);
                const T expected =
                    differential::walk<T, size>(arrays.a()[i], arrays.b()[i], read, write, rounds);
                REQUIRE(std::memcmp(&arrays.result()[i], &expected, sizeof expected) == 0);
              }
            }
        }
      };
#define COMPARE(name, T, size) compare.operator()<T, size>(#name);
      FMHA950_INDEXED_ARRAYS(COMPARE)
#undef COMPARE
    }
  CHECK(indexed > 0); // else it tests nothing
}
