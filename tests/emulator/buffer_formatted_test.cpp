// Buffer loads and stores with a data format, against buffer_format_rules.hpp. Every value of 8 and 16-bit components.
#include "tests/emulator/buffer_format_rules.hpp"
#include "tests/emulator/scheduled_wave.hpp"

#include <cmath>
#include <fmt/format.h>

using namespace fmha950;
using namespace fmha950::test;

namespace {

constexpr int wave_lanes = 64;

struct Form {
  std::string name; // behind buffer_load_ and its like
  int channels;
  enum { words, halves, high } packing;
  int registers() const { return packing == halves ? (channels + 1) / 2 : channels; }
};
const std::vector<Form> forms = {{"format_x", 1, Form::words},        {"format_xy", 2, Form::words},
                                 {"format_xyz", 3, Form::words},      {"format_xyzw", 4, Form::words},
                                 {"format_d16_x", 1, Form::halves},   {"format_d16_xy", 2, Form::halves},
                                 {"format_d16_xyz", 3, Form::halves}, {"format_d16_xyzw", 4, Form::halves},
                                 {"format_d16_hi_x", 1, Form::high}};

std::vector<uint32_t> packed(const Form& form, Number number, const std::vector<uint32_t>& channels) {
  std::vector<uint32_t> registers(static_cast<size_t>(form.registers()));
  for (size_t c = 0; c < channels.size(); ++c)
    if (form.packing == Form::words)
      registers[c] = channels[c];
    else
      registers[c / 2] |= to_16(number, channels[c]) << (form.packing == Form::high || c % 2 ? 16 : 0);
  return registers;
}

void set_descriptor(OneWave& w, uint64_t base, uint32_t num_records, const Format& format, Number number,
                    const Selects& selects) {
  w.wave().set_sgpr64(8, base);
  w.sgpr(10) = num_records;
  w.sgpr(11) = selects[0] | selects[1] << 3 | selects[2] << 6 | selects[3] << 9 |
               static_cast<uint32_t>(number) << 12 | format.code << 15;
}
std::string typed(const Format& format, Number number) {
  return fmt::format(" format:[BUF_DATA_FORMAT_{},BUF_NUM_FORMAT_{}]", format.name, number_names[number]);
}
std::string text_of(bool load, bool in_instruction, const Form& form, const Format& format, Number number) {
  return fmt::format("{}buffer_{}_{} {}, v0, s[8:11], 0{} offen", in_instruction ? "t" : "",
                     load ? "load" : "store", form.name, registers(8, form.registers()),
                     in_instruction ? typed(format, number) : "");
}
const Format bound = formats[3];

// Values at which a store's rule changes, for a component of so many bits.
std::vector<uint32_t> interesting(Number number, int bits) {
  std::vector<uint32_t> values;
  const uint32_t codes = 1u << bits;
  for (uint32_t code = 0; code < codes; ++code) {
    const uint32_t loaded = load_rule(number, bits, code);
    values.push_back(loaded);
    if (is_integer(number)) {
      values.insert(values.end(), {loaded + codes, loaded ^ 0x80000000, ~loaded});
      continue;
    }
    values.insert(values.end(), {loaded + 1, loaded - 1}); // its neighbours
    const double most = number == unorm ? codes - 1 : number == snorm ? codes / 2 - 1 : 1;
    if (number != floating) // between two codes
      for (double way : {0.5, -0.5})
        values.push_back(
            bits_of(static_cast<float>((static_cast<double>(float_of(loaded)) * most + way) / most)));
  }
  for (float x :
       {1e30f, -1e30f, INFINITY, -INFINITY, NAN, -NAN, 65504.f, 65519.f, 65520.f, 65536.f, 1e-40f, -0.f, 2.f})
    values.push_back(bits_of(x));
  while (values.size() % wave_lanes) values.push_back(0);
  return values;
}

} // namespace

TEST_CASE("formatted loads: every value of an 8 and 16-bit component, as 32 and as 16 bits") {
  on_every_simd([] {
    DeviceBytes memory(65536 * 2);
    for (const int bits : {8, 16})
      for (const Number number : all_numbers) {
        const Format& format = formats[bits == 8 ? 0 : 1];
        if (!exists(format, number)) continue;
        const uint32_t bytes = static_cast<uint32_t>(bits) / 8;
        for (uint32_t code = 0; code < 1u << bits; ++code)
          std::memcpy(memory.data() + code * bytes, &code, bytes);
        for (const Form& form : {forms[0], forms[4]}) {
          INFO(format.name << " " << number_names[number] << " " << form.name);
          OneWave w;
          set_descriptor(w, memory.address(), 1u << 20, bound, unsigned_integer, identity);
          const Code code(text_of(true, true, form, format, number));
          uint32_t wrong = 0;
          for (uint32_t first = 0; first < 1u << bits; first += wave_lanes) {
            set_lanes(w, 0, [&](int l) { return (first + static_cast<uint32_t>(l)) * bytes; });
            w.run(code);
            for (uint32_t l = 0; l < wave_lanes; ++l) {
              const uint32_t want = load_rule(number, bits, first + l);
              wrong += w.lane(8, static_cast<int>(l)) !=
                       (form.packing == Form::words ? want : to_16(number, want));
            }
          }
          CHECK(wrong == 0);
        }
      }
  });
}

TEST_CASE("formatted stores: every value of an 8 and 16-bit component and those between") {
  on_every_simd([] {
    DeviceBytes memory(wave_lanes * 2);
    for (const int bits : {8, 16})
      for (const Number number : all_numbers) {
        const Format& format = formats[bits == 8 ? 0 : 1];
        if (!exists(format, number)) continue;
        INFO(format.name << " " << number_names[number]);
        const std::vector<uint32_t> values = interesting(number, bits);
        const uint32_t bytes = static_cast<uint32_t>(bits) / 8;
        OneWave w;
        set_descriptor(w, memory.address(), 1u << 20, bound, unsigned_integer, identity);
        set_lanes(w, 0, [&](int l) { return static_cast<uint32_t>(l) * bytes; });
        const Code code(text_of(false, true, forms[0], format, number));
        uint32_t wrong = 0;
        for (size_t first = 0; first < values.size(); first += wave_lanes) {
          for (size_t l = 0; l < wave_lanes; ++l) w.lane(8, static_cast<int>(l)) = values[first + l];
          w.run(code);
          for (size_t l = 0; l < wave_lanes; ++l) {
            uint32_t got = 0;
            std::memcpy(&got, memory.data() + l * bytes, bytes);
            const uint32_t want = store_rule(number, bits, values[first + l]);
            if (got != want && wrong++ == 0)
              UNSCOPED_INFO(fmt::format("{:#x}: {:#x}, not {:#x}", values[first + l], got, want));
          }
        }
        CHECK(wrong == 0);
      }
  });
}

TEST_CASE("formatted stores of 16-bit registers: every half and integer") {
  on_every_simd([] {
    DeviceBytes memory(wave_lanes * 2);
    for (const Number number : all_numbers)
      for (const Format& format : {formats[0], formats[1]}) {
        if (!exists(format, number)) continue;
        INFO(format.name << " " << number_names[number]);
        const auto bytes = static_cast<uint32_t>(bytes_of(format));
        OneWave w;
        set_descriptor(w, memory.address(), 1u << 20, bound, unsigned_integer, identity);
        set_lanes(w, 0, [&](int l) { return static_cast<uint32_t>(l) * bytes; });
        const Code code(text_of(false, true, forms[4], format, number));
        uint32_t wrong = 0;
        for (uint32_t first = 0; first < 1u << 16; first += wave_lanes) {
          set_lanes(w, 8, [&](int l) { return 0xABCD0000 | (first + static_cast<uint32_t>(l)); });
          w.run(code);
          for (uint32_t l = 0; l < wave_lanes; ++l) {
            uint32_t got = 0;
            std::memcpy(&got, memory.data() + l * bytes, bytes);
            wrong += got != store_rule(number, format.bits[0], from_16(number, first + l));
          }
        }
        CHECK(wrong == 0);
      }
  });
}

TEST_CASE("formatted buffers: every instruction, data and number format, with random elements") {
  on_every_simd([] {
    std::mt19937 random(7);
    const auto pick = [&](uint32_t below) { return static_cast<uint32_t>(random()) % below; };
    for (const char* schedule : memory_orders)
      for (const Format& format : formats)
        for (const Number number : all_numbers)
          for (const Form& form : forms)
            for (const bool in_instruction : {false, true}) {
              if (!exists(format, number) || (in_instruction && form.packing == Form::high)) continue;
              const Selects selects =
                  in_instruction ? identity : Selects{7 - pick(4), pick(2), 4, 4 + pick(4)};
              INFO(schedule << " " << format.name << " " << number_names[number] << " " << form.name << " "
                            << in_instruction);
              DeviceBytes memory(2048, pick(1000));
              ScheduledWave w(schedule);
              set_descriptor(w, memory.address(), 1024, in_instruction ? bound : format,
                             in_instruction ? unsigned_integer : number,
                             in_instruction ? Selects{4, 4, 4, 4} : selects);
              set_lanes(w, 0, [](int l) { return l * 16; });
              w.run(text_of(true, in_instruction, form, format, number) + "\ns_waitcnt vmcnt(0)");
              for (int l = 0; l < wave_lanes; ++l) {
                Bytes bytes;
                std::memcpy(bytes.data(), memory.data() + l * 16, 16);
                std::vector<uint32_t> channels;
                for (int c = 0; c < form.channels; ++c)
                  channels.push_back(channel_of(format, number, selects, bytes, static_cast<size_t>(c)));
                const std::vector<uint32_t> want = packed(form, number, channels);
                for (int r = 0; r < form.registers(); ++r)
                  REQUIRE(w.lane(8 + r, l) == want[static_cast<size_t>(r)]);
              }
              // Back again, from values of every kind.
              std::vector<uint8_t> expected = memory.copy();
              fill_vgprs(w, 8, 4, pick(1000));
              for (int l = 0; l < wave_lanes; l += 2)
                for (int r = 0; r < 4; ++r)
                  w.lane(8 + r, l) = bits_of(static_cast<float>(static_cast<int>(pick(4000)) - 2000) / 999);
              for (int l = 0; l < wave_lanes; ++l) {
                std::vector<uint32_t> channels;
                for (int c = 0; c < form.channels; ++c) {
                  const uint32_t whole = w.lane(8 + (form.packing == Form::halves ? c / 2 : c), l);
                  const bool upper = form.packing == Form::high || (form.packing == Form::halves && c % 2);
                  channels.push_back(form.packing == Form::words
                                         ? whole
                                         : from_16(number, upper ? whole >> 16 : whole & 0xFFFF));
                }
                const Bytes bytes = element_of(format, number, selects, channels);
                std::memcpy(&expected[static_cast<size_t>(l) * 16], bytes.data(),
                            static_cast<size_t>(bytes_of(format)));
              }
              w.run(text_of(false, in_instruction, form, format, number) + "\ns_waitcnt vmcnt(0)");
              REQUIRE(memory.copy() == expected);
            }
  });
}

TEST_CASE(
    "formatted buffers: out of range all or nothing, 1 where 1 is selected, unbound, reserved formats") {
  on_every_simd([] {
    DeviceBytes memory(1024);
    const Format& format = formats[11]; // 16_16_16_16
    const std::vector<uint8_t> before = memory.copy();
    OneWave w;
    set_descriptor(w, memory.address(), 15, format, unorm, {4, 5, 6, 1});
    set_lanes(w, 0, [](int l) { return l; });
    fill_vgprs(w, 8, 4);
    w.run("buffer_load_format_xyzw v[8:11], v0, s[8:11], 0 offen");
    for (int l = 0; l < wave_lanes; ++l) {
      uint16_t x = 0;
      std::memcpy(&x, memory.data() + l, 2);
      CHECK(w.lane(8, l) == (l <= 7 ? load_rule(unorm, 16, x) : 0)); // l + 8 bytes <= 15
      CHECK(w.lane_f32(11, l) == 1);
    }
    w.run("buffer_store_format_xyzw v[8:11], v0, s[8:11], 0 offen offset:8");
    CHECK(memory.copy() == before);
    w.sgpr(11) = 0;
    fill_vgprs(w, 8, 4);
    w.run("buffer_store_format_xyzw v[8:11], v0, s[8:11], 0 offen\nbuffer_load_format_xyzw v[8:11], v0, "
          "s[8:11], 0 offen");
    CHECK(memory.copy() == before);
    for (int r = 8; r < 12; ++r) CHECK(w.lane(r, 3) == 0);
    fill_vgprs(w, 8, 1);
    w.run("tbuffer_load_format_x v8, v0, s[8:11], 0 format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT] offen");
    CHECK(w.lane(8, 3) == 0);
    w.sgpr(11) = 15 << 15;
    CHECK_THROWS_WITH(w.run("buffer_load_format_x v8, v0, s[8:11], 0 offen"), Catch::Contains("reserved"));
    w.sgpr(11) = 6 << 12 | 1 << 15;
    CHECK_THROWS_WITH(w.run("buffer_load_format_x v8, v0, s[8:11], 0 offen"), Catch::Contains("reserved"));
    w.sgpr(11) = 7 << 12 | 1 << 15;
    CHECK_THROWS_WITH(w.run("buffer_load_format_x v8, v0, s[8:11], 0 offen"), Catch::Contains("no float"));
  });
}
