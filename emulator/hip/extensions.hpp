#pragma once
// What the embedded device offers beyond HIP. Programs find these by dlsym in the HIP library; a real runtime
// has none of them. See docs/device.md.

#include "emulator/hip/hip_abi.hpp"

// Text of the fault that stopped the device, "" when it is healthy: kernel, workgroup, wave, instruction,
// address, source line. Valid for the life of the process.
FMHA950_HIP_API const char* fmha950LastFault();

// Why the calling thread's last failed call failed: field, value, and what would be right. Valid until its
// next failed call.
FMHA950_HIP_API const char* fmha950LastErrorDetail();

// Lets calls through again after a fault. Memory, modules and streams stay (hipDeviceReset frees the
// program's memory).
FMHA950_HIP_API hipError_t fmha950ClearFault();

// The calling thread's next launch executes only these workgroups (linear ids, x fastest), whether it
// succeeds or not.
FMHA950_HIP_API hipError_t fmha950RestrictNextLaunch(const uint32_t* workgroups, size_t count);

// How much work each workgroup of the calling thread's next launch has, in any unit: what decides its time, as the cycle
// model takes it (option timing). `count`: the workgroups of the grid.
FMHA950_HIP_API hipError_t fmha950WorkOfNextLaunch(const uint32_t* work, size_t count);

// schedule, threads, mfma, simd, check, report, suppress, mutant, doubt, budget, break, trace, timing, paths or quiet, with the
// values of the environment variables.
FMHA950_HIP_API hipError_t fmha950SetOption(const char* name, const char* value);

// What an iteration of each loop of a gfx950 code object costs, modelled from its instructions and the units'
// rates (emulator/timing). `text` is valid until the calling thread's next call.
FMHA950_HIP_API hipError_t fmha950LoopCost(const void* file, size_t bytes, unsigned waves_per_simd,
                                           const char** text);

// What the code of a gfx950 code object's kernels shows without running (emulator/static_check): hazards, what is not known,
// superfluous waits. `kernel`: "" or the name of one; `form`: "text" or "json"; `errors`: how many there are. `text` is
// valid until the calling thread's next call.
FMHA950_HIP_API hipError_t fmha950Check(const void* file, size_t bytes, const char* kernel, const char* form,
                                        const char** text, unsigned* errors);

// Table of the gfx950 opcodes the device executes; its last line is "N of M opcodes (P %)".
FMHA950_HIP_API const char* fmha950Coverage();

// Likewise of the opcodes in a gfx950 code object: which are exact, approximate (and why) or missing. `text` is valid until
// the calling thread's next call.
FMHA950_HIP_API hipError_t fmha950FileCoverage(const void* file, size_t bytes, const char** text);

// The kernel with these changes ("": none) as a file for LLVM's assembler (emulator/assembly/written_kernel.hpp). `notes`:
// comments, a line each: the offset in the unchanged kernel, a tab, the text. What cannot be written faithfully is refused
// with hipErrorNotSupported. `text` is valid until the calling thread's next call.
FMHA950_HIP_API hipError_t fmha950Assembly(hipFunction_t function, const char* changes, const char* notes,
                                           const char** text);

// What the hazard checks (option check) have found since the last fmha950ClearHazards: "text", "json" (one
// line for each finding, docs/hazards.md), "places" (one for each pair of code locations) or "sarif". "" when nothing was
// found, null for an unknown format. "clamped": buffer instructions with lanes out of their descriptor's range, counted, which
// is no hazard. Valid until the calling thread's next call of it.
FMHA950_HIP_API const char* fmha950Hazards(const char* format);
FMHA950_HIP_API hipError_t fmha950ClearHazards();

// The ISA mutants of a kernel, one per line, fields separated by tabs: id (a value of option mutant), source line,
// instruction, the offsets before and after it on paths through the code (observe/mutation/mutation.hpp), and what the code
// alone proves: "proved" (equivalent), "refuted" or "undecided", and why (static_check/proof.hpp). `text` is valid until
// the calling thread's next call.
FMHA950_HIP_API hipError_t fmha950Mutants(hipFunction_t function, const char** text);

// What the check without running says of the kernel with these changes (values of option mutant; "" none): a line for each
// hazard and for what is not known (static_check/changed_code.hpp). `text` is valid until the calling thread's next call.
FMHA950_HIP_API hipError_t fmha950CheckChanges(hipFunction_t function, const char* changes,
                                               const char** text);

// The waits, barriers and s_nops of the kernel with these changes ("" none), and which of them could go or be weaker besides, by
// a proof on all paths (static_check/protections.hpp): a line for each. `only`: null, or the offset of one from the kernel's
// entry. `text` is valid until the calling thread's next call.
FMHA950_HIP_API hipError_t fmha950Protections(hipFunction_t function, const char* changes,
                                              const uint64_t* only, const char** text);

// The ways through a kernel's code from one instruction to another, "0xOFFSET" from its entry or "FUNCTION+0xOFFSET" of a function
// that it calls: a line for each instruction that may follow the first (static_check/ways_between.hpp). hipErrorNotSupported for
// a function to which no call leads whose target the code says. `text` is valid until the calling thread's next call.
FMHA950_HIP_API hipError_t fmha950Ways(hipFunction_t function, const char* earlier, const char* later,
                                       const char** text);

// With option paths = 1: on which ways waves went while memory operations were in flight, in the launches since the last
// call. A line for each, fields separated by tabs: kernel, the branch's offset and that of the instruction after it
// (0x10-0x40), the operation's offset; the kernel alone if there was none. Valid until the calling thread's next call.
FMHA950_HIP_API const char* fmha950Paths();

// A host program reads or has written device memory in place, without a copy: both wait for all streams; the first reports
// bytes that nobody wrote, if check `uninitialised` is on, and the second makes all of them written. `bytes` = 0: wait only.
FMHA950_HIP_API hipError_t fmha950HostRead(const void* pointer, size_t bytes);
// Likewise of `count` pieces of `bytes` each, as rows of a matrix: one reading, of which at most one finding speaks.
FMHA950_HIP_API hipError_t fmha950HostReadPieces(const void* const* pointers, size_t count, size_t bytes);
FMHA950_HIP_API hipError_t fmha950HostWrote(const void* pointer, size_t bytes);
// Likewise of `count` pieces of `bytes` each.
FMHA950_HIP_API hipError_t fmha950HostWrotePieces(const void* const* pointers, size_t count, size_t bytes);

// What the cycle model says of the launches since the last call (option timing): a line of JSON for each
// (docs/timing.md). Valid until the calling thread's next call of it.
FMHA950_HIP_API const char* fmha950Timings();

// A launch since the last fmha950Timings, if option timing holds `timeline`: its first modelled run as
// "perfetto" (a trace for ui.perfetto.dev) or "source" (clocks by source line). Null for an unknown form and
// past the last launch. Valid until the calling thread's next call of it.
FMHA950_HIP_API const char* fmha950TimingReport(const char* form, size_t launch);
