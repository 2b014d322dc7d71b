#include "harness/record/record.hpp"

#include "interface/error.hpp"
#include "interface/hip.hpp"

namespace fmha950::harness {

void guarded(Record& record, const std::function<void()>& body) {
  const auto failed = [&](OutcomeKind kind, const std::exception& error) {
    record.accuracy.reset();
    record.outcome = Outcome::failed(kind, error.what());
  };
  try {
    body();
  } catch (const InvalidInput& error) {
    failed(OutcomeKind::invalid_input, error);
  } catch (const DeviceError& error) {
    failed(OutcomeKind::device_error, error);
    // A fault stops the device until it is cleared. On a GPU only a new process helps: the other cases report
    // its error.
    if (hip::api().ClearFault != nullptr) hip::api().ClearFault();
  } catch (const std::exception& error) {
    failed(OutcomeKind::not_run, error);
  }
}

} // namespace fmha950::harness
