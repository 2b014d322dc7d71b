#pragma once
// A wave alone under any schedule, `timed` included.

#include "emulator/loader/code_object.hpp"
#include "interface/hip.hpp"
#include "tests/emulator/memory_case.hpp"
#include "tests/support/schedules.hpp"

namespace fmha950::test {

class ScheduledWave : public OneWave {
 public:
  explicit ScheduledWave(std::string_view schedule) : OneWave(scheduled(schedule)) {}
  void run(const std::string& text) {
    if (options().schedule.memory == machine::MemoryOrder::timed)
      run_timed(text);
    else
      OneWave::run(text);
  }

 private:
  // The cycle model knows only code of a kernel: the text is altered code of one, as a mutant's.
  void run_timed(const std::string& text) {
    static const loader::CodeObject object(hip::code_object("matrix_products"));
    loader::Kernel kernel = object.kernels().front();
    kernel.accum_offset = wave().accum_offset;
    const Code code(assemble(text + "\ns_endpgm"), kernel.accum_offset, &object.program());
    launch().kernel = &kernel;
    launch().code = &code.copies();
    const ScheduledPacer pacer(launch());
    const auto of_thread = launch().pacer->join();
    workgroup().pacer = of_thread.get();
    wave().state = machine::WaveState::running;
    wave().next = code.instructions().data();
    workgroup().run();
    workgroup().pacer = nullptr;
    launch().code = nullptr;
    launch().kernel = nullptr;
  }
};

} // namespace fmha950::test
