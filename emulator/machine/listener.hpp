#pragma once
// What the machine tells whoever follows a launch: hazard checks and what else observes. Listeners see the
// state and never change it. Nobody listens by default, and then nothing of this is called.

#include "emulator/machine/memory_queue.hpp"

#include <memory>

namespace fmha950::machine {

class Fault;
struct Wave;
struct Workgroup;

// Follows the workgroups that one host thread runs, one after the other.
class WorkgroupListener {
 public:
  virtual ~WorkgroupListener() = default;
  virtual void started(Workgroup&) {}                    // registers and LDS as the kernel finds them
  virtual void before(Wave&, const isa::Instruction&) {} // every instruction, state still untouched
  virtual void issued(Wave&, const Access&, Queue) {}    // a memory operation: its lanes and addresses
  virtual void barrier_released(Workgroup&) {}           // every wave has arrived or ended
  virtual void stopped(const Wave&, const Fault&) {}     // a Fault ends the workgroup at this wave
};

class Listener { // follows one launch
 public:
  virtual ~Listener() = default;
  virtual std::unique_ptr<WorkgroupListener> join() = 0; // called once by each host thread of the launch
};

} // namespace fmha950::machine
