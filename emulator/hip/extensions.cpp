#include "emulator/hip/extensions.hpp"

#include "emulator/assembly/written_kernel.hpp"
#include "emulator/hip/hazards.hpp"
#include "emulator/hip/launch.hpp"
#include "emulator/hip/modules.hpp"
#include "emulator/hip/paths.hpp"
#include "emulator/hip/runtime.hpp"
#include "emulator/hip/timings.hpp"
#include "emulator/hip/work_queue.hpp"
#include "emulator/isa/coverage.hpp"
#include "emulator/loader/bundle.hpp"
#include "emulator/observe/mutation/mutation.hpp"
#include "emulator/rates/rates.hpp"
#include "emulator/static_check/changed_code.hpp"
#include "emulator/static_check/launch_code.hpp"
#include "emulator/static_check/proof.hpp"
#include "emulator/static_check/protections.hpp"
#include "emulator/static_check/report.hpp"
#include "emulator/static_check/ways_between.hpp"
#include "emulator/timing/loop_report.hpp"

#include <charconv>
#include <sstream>

namespace fmha950::hip {
namespace {

assembly::Notes parse_notes(const char* text) {
  assembly::Notes notes;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    uint64_t offset = 0;
    constexpr std::string_view prefix = "0x";
    const size_t tab = std::min(line.find('\t'), line.size());
    const auto [end, error] = std::from_chars(line.data() + prefix.size(), line.data() + tab, offset, 16);
    if (!line.starts_with(prefix) || error != std::errc() || end != line.data() + tab || tab == line.size())
      throw CallError(hipErrorInvalidValue,
                      fmt::format("notes = '{}': each line must be 0xOFFSET, a tab and a text", line));
    notes.emplace(offset, line.substr(tab + 1));
  }
  return notes;
}

} // namespace

FMHA950_HIP_API const char* fmha950LastFault() { return Runtime::get().fault_text(); }
FMHA950_HIP_API const char* fmha950LastErrorDetail() { return last_error_detail(); }

FMHA950_HIP_API hipError_t fmha950ClearFault() {
  return call(AfterFault::ignore, [] {
    if (!Runtime::get().has_faulted()) return;
    wait_for_all(); // it is being dropped
    Runtime::get().clear_fault();
  });
}

FMHA950_HIP_API hipError_t fmha950RestrictNextLaunch(const uint32_t* workgroups, size_t count) {
  return call([&] {
    require(workgroups && count > 0, hipErrorInvalidValue,
            "workgroups is null or count is 0: name at least one");
    next_launch_wishes().only.emplace(workgroups, workgroups + count);
  });
}

FMHA950_HIP_API hipError_t fmha950WorkOfNextLaunch(const uint32_t* work, size_t count) {
  return call([&] {
    require(work && count > 0, hipErrorInvalidValue,
            "work is null or count is 0: name that of each workgroup");
    next_launch_wishes().work.emplace(work, work + count);
  });
}

FMHA950_HIP_API hipError_t fmha950SetOption(const char* name, const char* value) {
  return call([&] {
    require(name && value, hipErrorInvalidValue, "name or value is null");
    wait_for_all();
    Runtime::get().set_option(name, value);
  });
}

FMHA950_HIP_API hipError_t fmha950LoopCost(const void* file, size_t bytes, unsigned waves_per_simd,
                                           const char** text) {
  return call(AfterFault::ignore, [&] {
    require(file && text, hipErrorInvalidValue, "file or text is null");
    if (waves_per_simd < 1 || waves_per_simd > timing::max_waves_per_simd)
      throw CallError(hipErrorInvalidValue, fmt::format("waves per SIMD = {}: must be 1 to {}",
                                                        waves_per_simd, timing::max_waves_per_simd));
    thread_local std::string report;
    const loader::CodeObject code(loader::select_code_object(static_cast<const std::byte*>(file), bytes));
    report = timing::loop_report(code, static_cast<int>(waves_per_simd));
    *text = report.c_str();
  });
}

FMHA950_HIP_API hipError_t fmha950Check(const void* file, size_t bytes, const char* kernel, const char* form,
                                        const char** text, unsigned* errors) {
  return call(AfterFault::ignore, [&] {
    require(file && kernel && form && text && errors, hipErrorInvalidValue,
            "file, kernel, form, text or errors is null");
    const std::string_view wanted = form;
    require(wanted == "text" || wanted == "json", hipErrorInvalidValue, "form must be text or json");
    thread_local static_check::Report report;
    const loader::CodeObject code(loader::select_code_object(static_cast<const std::byte*>(file), bytes));
    report = static_check::report(code, kernel,
                                  wanted == "json" ? static_check::Form::json : static_check::Form::text);
    *text = report.text.c_str();
    *errors = static_cast<unsigned>(report.errors);
  });
}

FMHA950_HIP_API const char* fmha950Hazards(const char* format) {
  thread_local std::string text;
  wait_for_all();
  const auto written = format ? hazards_as(format) : std::nullopt;
  if (!written) return nullptr;
  text = *written;
  return text.c_str();
}

FMHA950_HIP_API const char* fmha950TimingReport(const char* form, size_t launch) {
  thread_local std::string text;
  wait_for_all();
  auto report = form ? report_timing(form, launch) : std::nullopt;
  if (!report) return nullptr;
  text = std::move(*report);
  return text.c_str();
}

FMHA950_HIP_API const char* fmha950Timings() {
  thread_local std::string lines;
  wait_for_all();
  lines = take_timings();
  return lines.c_str();
}

FMHA950_HIP_API const char* fmha950Paths() {
  thread_local std::string lines;
  wait_for_all();
  lines = take_paths();
  return lines.c_str();
}

FMHA950_HIP_API hipError_t fmha950ClearHazards() {
  return call(AfterFault::ignore, [] {
    wait_for_all();
    clear_hazards();
  });
}

FMHA950_HIP_API const char* fmha950Coverage() {
  static const std::string& text = *new std::string(isa::coverage());
  return text.c_str();
}

FMHA950_HIP_API hipError_t fmha950FileCoverage(const void* file, size_t bytes, const char** text) {
  return call(AfterFault::ignore, [&] {
    require(file && text, hipErrorInvalidValue, "file or text is null");
    thread_local std::string report;
    const loader::CodeObject code(loader::select_code_object(static_cast<const std::byte*>(file), bytes));
    report = isa::text_of(isa::coverage_of(code));
    *text = report.c_str();
  });
}

FMHA950_HIP_API hipError_t fmha950Mutants(hipFunction_t function, const char** text) {
  return call([&] {
    require(text, hipErrorInvalidValue, "text is null");
    thread_local std::string lines;
    lines = static_check::list_mutants(*require_kernel(function));
    *text = lines.c_str();
  });
}

FMHA950_HIP_API hipError_t fmha950CheckChanges(hipFunction_t function, const char* changes,
                                               const char** text) {
  return call([&] {
    require(changes && text, hipErrorInvalidValue, "changes or text is null");
    thread_local std::string lines;
    try {
      lines = static_check::list_hazards(*require_kernel(function), changes);
    } catch (const observe::NoSuchMutant& error) {
      throw CallError(hipErrorInvalidValue, error.what());
    }
    *text = lines.c_str();
  });
}

FMHA950_HIP_API hipError_t fmha950Protections(hipFunction_t function, const char* changes,
                                              const uint64_t* only, const char** text) {
  return call([&] {
    require(changes && text, hipErrorInvalidValue, "changes or text is null");
    thread_local std::string lines;
    try {
      lines = static_check::list_protections(*require_kernel(function), changes,
                                             only ? std::optional(*only) : std::nullopt);
    } catch (const observe::NoSuchMutant& error) {
      throw CallError(hipErrorInvalidValue, error.what());
    }
    *text = lines.c_str();
  });
}

FMHA950_HIP_API hipError_t fmha950Ways(hipFunction_t function, const char* earlier, const char* later,
                                       const char** text) {
  return call([&] {
    require(earlier && later && text, hipErrorInvalidValue, "earlier, later or text is null");
    thread_local std::string lines;
    try {
      lines = static_check::list_ways(*require_kernel(function), earlier, later);
    } catch (const static_check::NotInCode& error) {
      throw CallError(hipErrorNotSupported, error.what());
    } catch (const std::invalid_argument& error) {
      throw CallError(hipErrorInvalidValue, error.what());
    }
    *text = lines.c_str();
  });
}

FMHA950_HIP_API hipError_t fmha950Assembly(hipFunction_t function, const char* changes, const char* notes,
                                           const char** text) {
  return call([&] {
    require(changes && notes && text, hipErrorInvalidValue, "changes, notes or text is null");
    thread_local std::string file;
    try {
      file = assembly::written_kernel(*require_kernel(function), changes, parse_notes(notes));
    } catch (const observe::NoSuchMutant& error) {
      throw CallError(hipErrorInvalidValue, error.what());
    } catch (const assembly::NotWritable& error) {
      throw CallError(hipErrorNotSupported, error.what());
    }
    *text = file.c_str();
  });
}

} // namespace fmha950::hip
