#pragma once
// How a run of one case ended (DESIGN.md section 9).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fmha950 {

enum class OutcomeKind : uint8_t {
  passed,
  inaccurate,
  hazard,
  unsupported,
  invalid_input,
  device_error,
  timed_out,
  not_run
};

std::string_view to_string(OutcomeKind kind);
OutcomeKind outcome_from_string(std::string_view text); // throws InvalidInput
int exit_code(OutcomeKind kind);                        // 0 passed or unsupported, else distinct per kind

// A time exists only with `passed`; every other kind but `passed` carries a reason.
class Outcome {
 public:
  static Outcome passed(std::optional<double> milliseconds = {});
  static Outcome failed(OutcomeKind kind, std::string reason); // throws std::logic_error for kind == passed

  OutcomeKind kind() const { return kind_; }
  const std::string& reason() const { return reason_; }
  std::optional<double> milliseconds() const { return milliseconds_; }
  bool is_failure() const { return kind_ != OutcomeKind::passed && kind_ != OutcomeKind::unsupported; }

 private:
  OutcomeKind kind_ = OutcomeKind::not_run;
  std::string reason_;
  std::optional<double> milliseconds_;
};

} // namespace fmha950
