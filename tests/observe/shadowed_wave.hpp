#pragma once
// A bare wave whose values are followed by the check for uninitialised ones: assembled text is executed and
// the check is told, as the hazard engine would.

#include "emulator/machine/listener.hpp"
#include "emulator/observe/initialised/initialised.hpp"
#include "tests/emulator/one_instruction.hpp"
#include "tests/observe/collected_hazards.hpp"

#include <mutex>

namespace fmha950::test {

class ShadowedWave : machine::WorkgroupListener {
 public:
  explicit ShadowedWave(machine::Options options = {}, uint32_t accum_offset = 256)
      : one(options, 512, accum_offset), check(device, hazards) {
    one.wave().listener = this;
    one.wave().sgpr[machine::code::m0] = 0;
    check.start(one.workgroup());
  }

  // Instructions with what the check derives from each, kept: the same can run many times.
  class Code {
   public:
    Code(std::string_view text, uint32_t accum_offset);
    struct Item {
      const isa::Instruction* instruction;
      isa::Uses uses;
      observe::InitialisedInfo info;
      observe::MemoryOperation operation;
    };
    std::vector<Item> items;

   private:
    test::Code decoded_;
  };

  // LDS, scratch and what was remembered of device memory are as a workgroup finds them; registers stay.
  void forget_memory() {
    const observe::RegisterValidity kept = registers();
    check.start(one.workgroup());
    registers() = kept;
  }

  void run(std::string_view text) { run(Code(text, one.wave().accum_offset)); }
  void run(const Code& code);

  observe::RegisterValidity& registers() { return check.registers(0); }
  // Every bit of v[first] .. is valid, or the given bytes of the given lanes are not.
  void set(int vgpr, uint64_t lanes_invalid, unsigned bytes = 0xF) {
    observe::ByteLanes invalid{};
    for (unsigned b = 0; b < 4; ++b)
      if (bytes >> b & 1) invalid[b] = lanes_invalid;
    registers().set_vgpr(vgpr, invalid, 0);
  }
  void set_all_valid(int vgprs = 64, int sgprs = 100) {
    for (int r = 0; r < vgprs; ++r) set(r, 0);
    for (int r = 0; r < sgprs; ++r) registers().set_sgpr(r, 0, 0);
    for (int code : {106, 107, 124, 253}) registers().set_sgpr(code, 0, 0);
  }
  // Bytes of one lane that are invalid, as bits.
  unsigned bytes(int vgpr, int lane) {
    unsigned result = 0;
    for (unsigned b = 0; b < 4; ++b) result |= (registers().vgpr(vgpr)[b] >> lane & 1) << b;
    return result;
  }
  uint64_t lanes(int vgpr) { return observe::any_byte(registers().vgpr(vgpr)); }

  OneWave one;
  observe::DeviceInitialised device;
  CollectedHazards hazards;
  observe::Initialised check;

 private:
  void issued(machine::Wave& wave, const machine::Access& access, machine::Queue queue) override {
    const observe::MemoryOperation operation = observe::as_accessed(current_->operation, access);
    check.memory({wave, access, operation, queue, 1}, current_->info);
  }
  const Code::Item* current_ = nullptr;
};

inline ShadowedWave::Code::Code(std::string_view text, uint32_t accum_offset) : decoded_(text, accum_offset) {
  for (const isa::Instruction& in : decoded_.instructions()) {
    const isa::Uses uses = isa::uses_of(in, accum_offset);
    items.push_back({&in, uses, observe::initialised_info_of(in, uses), observe::memory_operation_of(in)});
  }
}

inline void ShadowedWave::run(const Code& code) {
  machine::Wave& wave = one.wave();
  for (const Code::Item& item : code.items) {
    const isa::Instruction& in = *item.instruction;
    current_ = &item;
    wave.current = &in;
    wave.next = &in + 1;
    ++wave.executed;
    check.instruction(wave, in, item.uses, item.info);
    in.execute(wave, in);
  }
  wave.memory.drain(wave);
}

// Device memory that the check knows and nobody wrote.
struct Allocation {
  explicit Allocation(ShadowedWave& wave, uint64_t bytes = 8192)
      : pointer(machine::AddressSpace::device().allocate(bytes)), device(wave.device) {
    device.allocated(address(), address() + bytes);
  }
  ~Allocation() { machine::AddressSpace::device().release(pointer); }
  uint64_t address() const { return reinterpret_cast<uint64_t>(pointer); }
  void* pointer;
  observe::DeviceInitialised& device;
};

// v[r:r+1] = address + stride * lane, valid.
inline void point_to(ShadowedWave& w, int r, uint64_t address, uint64_t stride) {
  for (int lane = 0; lane < 64; ++lane)
    w.one.set_lane64(r, lane, address + stride * static_cast<uint64_t>(lane));
  w.set(r, 0), w.set(r + 1, 0);
}

} // namespace fmha950::test
