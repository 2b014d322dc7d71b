#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/program/memory_facts.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace fmha950::isa;

namespace {

constexpr Row without[] = {{"ds_nop", nullptr}};
static_assert(!all_memory(without));
constexpr bool compiles(const MemoryFacts& facts) {
  return all_memory({memory_row("ds_nop", nullptr, facts)});
}
static_assert(compiles({.kind = MemoryKind::no_data}));
static_assert(compiles({.kind = MemoryKind::load, .segment = Segment::lds, .bytes = 4}));
static_assert(!compiles({.kind = MemoryKind::load, .segment = Segment::lds}));
static_assert(!compiles({.kind = MemoryKind::store, .bytes = 4}));
static_assert(!compiles({.kind = MemoryKind::atomic, .segment = Segment::lds}));
static_assert(!compiles({.kind = MemoryKind::lane_exchange, .bytes = 4}));
static_assert(!compiles({.kind = MemoryKind::clock}));

struct Name { // what it says
  std::string text;

  bool has(const char* part) const { return text.find(part) != text.npos; }
  bool starts(const char* part) const { return text.starts_with(part); }
  bool any(const std::vector<const char*>& parts) const {
    return std::ranges::any_of(parts, [&](const char* part) { return has(part); });
  }

  bool is_memory() const {
    if (starts("s_"))
      return any({"s_load", "s_store", "s_buffer", "s_scratch", "s_atomic", "s_mem", "s_dcache", "s_atc"});
    return starts("ds_") || starts("buffer_") || starts("tbuffer_") || starts("global_") ||
           starts("scratch_") || starts("flat_");
  }
  MemoryKind kind() const {
    if (starts("s_mem")) return MemoryKind::clock;
    if (any({"permute", "swizzle"})) return MemoryKind::lane_exchange;
    if (any({"_atomic", "append", "consume"})) return MemoryKind::atomic;
    if (any({"_load", "ds_read"})) return MemoryKind::load;
    if (any({"_store", "ds_write"})) return MemoryKind::store;
    if (starts("ds_") && !has("nop")) return MemoryKind::atomic;
    return MemoryKind::no_data;
  }
  bool is_formatted() const { return has("buffer_load_format") || has("buffer_store_format"); }
  int bytes() const {
    static const std::vector<std::pair<const char*, int>> types = {
        {"dwordx16", 64}, {"dwordx8", 32}, {"dwordx4", 16}, {"dwordx3", 12}, {"dwordx2", 8}, {"dword", 4},
        {"byte", 1},      {"short", 2},    {"b128", 16},    {"b96", 12},     {"b64", 8},     {"b32", 4},
        {"b16", 2},       {"b8", 1},       {"u16", 2},      {"i16", 2},      {"u8", 1},      {"i8", 1}};
    if (starts("s_mem")) return 8;
    if (is_formatted()) // of registers
      return (has("_d16") ? 2 : 4) * static_cast<int>(text.size() - text.rfind('_') - 1);
    if (kind() == MemoryKind::atomic) return has("_x2") || text.ends_with("64") ? 8 : 4;
    for (const auto& [name, bytes] : types)
      if (has(name)) return bytes;
    return 0;
  }
  Segment segment() const {
    if (any({"permute", "swizzle", "nop", "s_mem", "s_dcache", "s_atc"})) return Segment::none;
    if (any({"addtid", "append", "consume"})) return Segment::lds_by_m0;
    if (starts("ds_")) return Segment::lds;
    if (has("buffer_")) return Segment::buffer;
    if (has("scratch_")) return Segment::scratch;
    return starts("flat_") ? Segment::flat : Segment::global;
  }
};

} // namespace

TEST_CASE("rows of memory instructions say what their names say") {
  int memory_rows = 0;
  for (const Family& family : families())
    for (size_t i = 0; i < family.rows.count; ++i) {
      const Row& row = family.rows.first[i];
      const Name name{row.mnemonic};
      const MemoryFacts& facts = row.memory;
      INFO(row.mnemonic);
      REQUIRE(name.is_memory() == (facts.kind != MemoryKind::none));
      if (!name.is_memory()) continue;
      ++memory_rows;
      CHECK(facts.kind == name.kind());
      CHECK(facts.segment == name.segment());
      CHECK(facts.bytes == name.bytes());
      const bool two = name.any({"read2", "write2", "wrxchg2"});
      CHECK(facts.elements == (two ? 2 : 1));
      CHECK(facts.element_stride == (two ? name.bytes() * (name.has("st64") ? 64 : 1) : 0));
      CHECK(facts.to_lds == name.has("_lds_"));
      CHECK(facts.once == name.any({"append", "consume"}));
      CHECK(facts.sign_extended == name.any({"_sbyte", "_sshort", "read_i8", "read_i16"}));
      CHECK(facts.formatted == name.is_formatted());
      CHECK(facts.d16 == (name.has("_d16") && !name.is_formatted()));
      CHECK(facts.high_half == (name.has("_d16_hi") && !name.is_formatted()));
      CHECK(facts.two_operands == name.any({"cmpswap", "cmpst", "mskor", "wrap"}));
      CHECK(facts.swaps == (name.any({"swap", "wrxchg"}) && !name.has("cmpswap")));
      const size_t transposed = name.text.find("_tr_b");
      CHECK(facts.transposed_bits ==
            (transposed == name.text.npos ? 0 : std::stoi(name.text.substr(transposed + 5))));
      CHECK((facts.exchange == LaneExchange::bpermute) == name.has("bpermute"));
      CHECK((facts.exchange == LaneExchange::permute) == name.starts("ds_permute"));
      CHECK((facts.exchange == LaneExchange::swizzle) == name.has("swizzle"));
    }
  CHECK(memory_rows == 442);
}
