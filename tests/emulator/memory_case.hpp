#pragma once
// What tests of memory instructions share: a wave on every vector width, device memory with random bytes, and
// lanes filled from functions.

#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"
#include <random>

namespace fmha950::test {

// Runs body(), once per vector width of this host.
template <class Body> void on_every_simd(Body body) {
  for (const std::string& simd : host_simds()) {
    std::string error;
    REQUIRE(isa::select_simd(simd, error));
    INFO(simd);
    body();
  }
}

inline machine::Options scheduled(std::string_view text) {
  machine::Options options;
  std::string error;
  REQUIRE(machine::parse_schedule(text, options.schedule, error));
  return options;
}

// Device memory for the time of a test, filled with reproducible bytes.
class DeviceBytes {
 public:
  explicit DeviceBytes(size_t bytes, uint32_t seed = 1) : size_(bytes) {
    data_ = static_cast<uint8_t*>(machine::AddressSpace::device().allocate(bytes));
    REQUIRE(data_);
    std::mt19937 random(seed);
    for (size_t i = 0; i < bytes; ++i) data_[i] = static_cast<uint8_t>(random());
  }
  ~DeviceBytes() { machine::AddressSpace::device().release(data_); }
  DeviceBytes(const DeviceBytes&) = delete;
  uint8_t* data() { return data_; }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_); }
  uint32_t dword(uint64_t at) const {
    uint32_t value;
    std::memcpy(&value, data_ + at, 4);
    return value;
  }
  std::vector<uint8_t> copy() const { return {data_, data_ + size_}; }

 private:
  uint8_t* data_;
  size_t size_;
};

inline void fill_lds(OneWave& w, uint32_t seed = 2) {
  std::mt19937 random(seed);
  for (uint8_t& byte : w.lds()) byte = static_cast<uint8_t>(random());
}
// vgprs [first, first + count) get reproducible values.
inline void fill_vgprs(OneWave& w, int first, int count, uint32_t seed = 3) {
  std::mt19937 random(seed);
  for (int v = first; v < first + count; ++v)
    for (int l = 0; l < 64; ++l) w.lane(v, l) = static_cast<uint32_t>(random());
}
template <class Value> void set_lanes(OneWave& w, int vgpr, Value value) {
  for (int l = 0; l < 64; ++l) w.lane(vgpr, l) = static_cast<uint32_t>(value(l));
}
template <class Value> void set_lanes64(OneWave& w, int vgpr, Value value) {
  for (int l = 0; l < 64; ++l) w.set_lane64(vgpr, l, value(l));
}

// How a mnemonic's suffix maps memory bytes to registers: the scalar model of loads and stores.
struct MemoryShape {
  int bytes;              // in memory
  bool is_signed = false; // sub-dword
  int half = -1;          // d16: 0 low, 1 high; the other half becomes 0
  int registers() const { return bytes < 4 ? 1 : bytes / 4; }

  uint32_t loaded(const uint8_t* from, int reg) const { // `from`: the access's bytes
    uint32_t value = 0;
    if (bytes >= 4) {
      std::memcpy(&value, from + 4 * reg, 4);
      return value;
    }
    std::memcpy(&value, from, static_cast<size_t>(bytes));
    if (is_signed && value >> (8 * bytes - 1) & 1) value |= ~0u << (8 * bytes);
    if (half >= 0) value &= 0xFFFF;
    return half == 1 ? value << 16 : value;
  }
  void store(const uint32_t* registers_in, uint8_t* to) const {
    const uint32_t first = half == 1 ? registers_in[0] >> 16 : registers_in[0];
    if (bytes < 4)
      std::memcpy(to, &first, static_cast<size_t>(bytes));
    else
      std::memcpy(to, registers_in, static_cast<size_t>(bytes));
  }
};

// Loads and stores of global, flat, scratch and buffer memory by the end of their names.
struct LoadOrStore {
  const char* suffix;
  MemoryShape shape;
};
inline constexpr LoadOrStore loads[] = {{"ubyte", {1}},
                                        {"sbyte", {1, true}},
                                        {"ushort", {2}},
                                        {"sshort", {2, true}},
                                        {"dword", {4}},
                                        {"dwordx2", {8}},
                                        {"dwordx3", {12}},
                                        {"dwordx4", {16}},
                                        {"ubyte_d16", {1, false, 0}},
                                        {"ubyte_d16_hi", {1, false, 1}},
                                        {"sbyte_d16", {1, true, 0}},
                                        {"sbyte_d16_hi", {1, true, 1}},
                                        {"short_d16", {2, false, 0}},
                                        {"short_d16_hi", {2, false, 1}}};
inline constexpr LoadOrStore stores[] = {{"byte", {1}},     {"byte_d16_hi", {1, false, 1}},
                                         {"short", {2}},    {"short_d16_hi", {2, false, 1}},
                                         {"dword", {4}},    {"dwordx2", {8}},
                                         {"dwordx3", {12}}, {"dwordx4", {16}}};

inline std::string registers(int first, int count) { // "v8" or "v[8:11]"
  const std::string begin = std::to_string(first);
  return count == 1 ? "v" + begin : "v[" + begin + ":" + std::to_string(first + count - 1) + "]";
}

} // namespace fmha950::test
