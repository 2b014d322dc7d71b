#include "interface/outcome.hpp"

#include "interface/error.hpp"

#include <array>
#include <fmt/format.h>
#include <stdexcept>

namespace fmha950 {
namespace {

struct Row {
  OutcomeKind kind;
  std::string_view name;
  int exit_code;
};
constexpr std::array<Row, 8> rows = {{
    {OutcomeKind::passed, "passed", 0},
    {OutcomeKind::inaccurate, "inaccurate", 1},
    {OutcomeKind::hazard, "hazard", 2},
    {OutcomeKind::unsupported, "unsupported", 0},
    {OutcomeKind::invalid_input, "invalid_input", 3},
    {OutcomeKind::device_error, "device_error", 4},
    {OutcomeKind::timed_out, "timed_out", 5},
    {OutcomeKind::not_run, "not_run", 6},
}};

const Row& row_of(OutcomeKind kind) { return rows[static_cast<size_t>(kind)]; }

} // namespace

std::string_view to_string(OutcomeKind kind) { return row_of(kind).name; }

OutcomeKind outcome_from_string(std::string_view text) {
  std::string known;
  for (const Row& row : rows) {
    if (row.name == text) return row.kind;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw InvalidInput("outcome", std::string(text), "must be one of " + known);
}

int exit_code(OutcomeKind kind) { return row_of(kind).exit_code; }

Outcome Outcome::passed(std::optional<double> milliseconds) {
  Outcome outcome;
  outcome.kind_ = OutcomeKind::passed;
  outcome.milliseconds_ = milliseconds;
  return outcome;
}

Outcome Outcome::failed(OutcomeKind kind, std::string reason) {
  if (kind == OutcomeKind::passed) throw std::logic_error("an outcome that passed has no reason to fail");
  if (reason.empty()) throw std::logic_error(fmt::format("outcome {} needs a reason", to_string(kind)));
  Outcome outcome;
  outcome.kind_ = kind;
  outcome.reason_ = std::move(reason);
  return outcome;
}

} // namespace fmha950
