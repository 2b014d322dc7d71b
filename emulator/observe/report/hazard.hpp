#pragma once
// A hazard: something the kernel does that the silicon does not order, protect or define
// (DESIGN.md section 5).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fmha950::loader {
struct Kernel;
}

namespace fmha950::observe {

enum class HazardClass : uint8_t {
  register_in_flight, // read or overwritten while a load into it is in flight
  lds_order,          // conflicting LDS accesses that no wait and barrier order
  memory_order,       // likewise device memory, between waves or workgroups
  visibility,         // a load that a cache may give an old value
  uninitialised,      // a value nobody wrote reaches an address, a branch or bytes the host reads
  out_of_bounds,      // outside every allocation: a red zone, or memory that was freed
  misaligned,
  wait_states,        // too few instructions between two that the hardware does not interlock
  barrier_divergence, // a wave ends or loops while others wait for it
  runaway,            // the instruction budget is used up
  errata,             // what public trackers say of gfx950 beyond its documents (docs/hardware/errata.md)
  fault,              // the launch stopped for another reason
};
constexpr int hazard_classes = 12;
const char* name_of(HazardClass); // "register_in_flight"

enum class Severity : uint8_t {
  error,   // the result can be wrong on hardware
  warning, // the documents forbid it, but production code does it, or a report of it is open or disputed
  note,    // worth a look: several waves store the same bytes, something is not checked any more
};
const char* name_of(Severity); // "error"

// Which classes are looked for, one bit each, and whether only errors are.
constexpr uint32_t all_checks = (1u << hazard_classes) - 1, errors_only = 1u << 31;
constexpr bool includes(uint32_t checks, HazardClass type) { return checks >> static_cast<int>(type) & 1; }
// "all", "none", or names separated by commas. One of these may be "errors": no warnings and notes. "errors"
// alone stands for all classes. False, and `error` says what would be right.
bool parse_checks(std::string_view text, uint32_t& checks, std::string& error);

// One side of a hazard: an instruction of a wave.
struct Party {
  uint64_t address = 0;   // of the instruction; 0: no such party (the host, or nobody wrote the value)
  uint64_t workgroup = 0; // linear id
  int wave = -1;
  int lane = -1; // -1: all, or none in particular
  // Of an instruction that a change has put before the one at `address` (isa::Instruction::inserted), which is a barrier: waits
  // and s_nops touch nothing. 0: the one at `address`.
  uint16_t inserted = 0;
};

struct Hazard {
  HazardClass type = HazardClass::register_in_flight;
  Severity severity = Severity::error;
  const loader::Kernel* kernel = nullptr;
  Party earlier, later; // in program order, or in the order the device happened to run them
  std::string what;     // "v[4:7] is read while global_load_dwordx4 is in flight"
  std::string missing;  // what would be right: "s_waitcnt vmcnt(4)", "a barrier", "s_nop 3"; "" unknown
  std::string usually;  // what causes it most often; "" nothing to say
  // Of conflicting accesses of two waves: by how many operations of the earlier one's queue the later wave is ahead of it, the
  // later operation included; negative where it has not got there. Waves of the same code are so far apart in it.
  std::optional<int64_t> ahead;
  uint64_t begin = 0, end = 0; // byte range [begin, end) in LDS or device memory; 0, 0: none
};

// Where checks put what they find. One location pair is kept once, with a count.
class HazardSink {
 public:
  virtual ~HazardSink() = default;
  virtual void report(Hazard hazard) = 0; // from any host thread
};

} // namespace fmha950::observe
