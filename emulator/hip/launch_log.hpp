#pragma once
// Option launches: what a program launched, for `fmha950 external capture` (docs/your_kernel.md). FOLDER/launches.jsonl
// gets a line of JSON for each launch when it has ended, and one for each function of the host that a stream called; each
// code object is saved beside it once.
//
//   {"kernel":"attention","process":1234,"number":0,"object":"0123456789abcdef.co","grid":[4,8,1],"block":[256,1,1],"lds":0,"replay":false,
//    "arguments":[{"at":0,"bytes":8,"kind":"global_buffer","hex":"00f0..."}, ...],
//    "pointers":[{"at":0,"allocation":2,"size":65536,"offset":0,"head":"00...","before":"89ab...","after":"89ab...",
//                 "zero":false,"addresses":0}, ...]}
//   {"callback":true}
//   {"faulted":"attention"}
//
// Lines come as launches end, which those of several streams do in any order. `number`: the place of the call among those of the
// process. `faulted`: a kernel whose launch did not end.
// `replay`: by a graph. `allocation`: a number for each allocation, in the order in which launches were given them. Words of
// the arguments that are no address of live memory stand in no entry of `pointers`. Of the allocation, before the launch:
// `head`, its first bytes, `zero`, whether all were 0, `addresses`, how many words were an address of live memory; and
// digests of all of it before and behind.

#include "emulator/hip/launch.hpp"

#include <memory>
#include <span>
#include <string>

namespace fmha950::hip {

// "" ends it. Returns "" or what would be right.
std::string log_launches_to(const std::string& folder);

// A module that was loaded: the object of its kernels.
void log_object(const loader::CodeObject& object, std::span<const std::byte> elf);

// A function of the host that a stream calls: what it does stands in no log.
void log_callback();

// Of the next call that launches something.
uint64_t next_launch_number();

// A launch while it runs: made before it, and told of its end. `number`: of its call.
class LoggedLaunch {
 public:
  LoggedLaunch(const loader::Kernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments,
               bool replay, uint64_t number);
  ~LoggedLaunch();
  void ended();

 private:
  struct State;
  std::unique_ptr<State> state_; // null: nobody wants to know
};

} // namespace fmha950::hip
