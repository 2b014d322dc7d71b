// The check without running against the running ones: random code, and random walks through it. What the running checks
// report on a walk is found without running, and what is found is met on some walk: no error is missed or invented.
#include "emulator/observe/wait_states/wait_states.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/hazards.hpp"
#include "tests/emulator/one_instruction.hpp"
#include "tests/static_check/random_code.hpp"
#include "tests/static_check/watched_step.hpp"

#include "tests/support/catch.hpp"
#include <set>
#include <tuple>

using namespace fmha950;
using static_check::Code;

namespace {

constexpr uint32_t accum_offset = 128;
using Error = std::tuple<std::string, uint64_t, uint64_t>; // class, addresses of both instructions
using Errors = std::set<Error>;

Errors without_running(const Code& code) {
  Errors errors;
  for (const auto& finding : static_check::find_hazards(code, code.steps(), static_check::Paths::all))
    if (finding.severity == static_check::Severity::error)
      errors.emplace(finding.kind, code.instruction(finding.earlier).address,
                     code.instruction(finding.later).address);
  return errors;
}

// One wave's way through the code, until it leaves it or has gone far enough.
void walk(const Code& code, std::mt19937& random, int steps, Errors& errors) {
  static test::OneWave bare;
  bare.wave().accum_offset = accum_offset;
  bare.wave().set_exec(~uint64_t{0});
  observe::InFlight in_flight;
  in_flight.start();
  observe::WaitStates wait_states;
  wait_states.start(1);
  test::CollectedHazards found;
  for (size_t at = 0; steps > 0 && at + 1 < code.size(); --steps) {
    const isa::Instruction& in = code.instruction(at);
    test::watch_step(code, at, bare.wave(), in_flight, found);
    wait_states.instruction(bare.wave(), in, code.info(at).wait_states, found);
    at += isa::is_relative_branch(in) && random() % 2 ? static_cast<size_t>(in.target) : 1;
  }
  for (const observe::Hazard& hazard : found.all)
    errors.emplace(observe::name_of(hazard.type), hazard.earlier.address, hazard.later.address);
}

} // namespace

TEST_CASE("static check: what random walks through random code meet is what is found without running",
          "[unsanitized]") {
  std::mt19937 random(20);
  size_t met = 0, found = 0, in_flight = 0;
  // Of an instruction's short wait states the running check reports the pair that misses most.
  const auto places = [](const Errors& errors) {
    Errors result;
    for (const auto& [kind, earlier, later] : errors)
      result.emplace(kind, kind == "wait_states" ? 0 : earlier, later);
    return result.size();
  };
  for (int round = 0; round < 60; ++round) {
    const std::vector<uint32_t> words = test::random_words(random, 60, 7);
    const auto begin = reinterpret_cast<uint64_t>(words.data());
    isa::Program program;
    const Code code(program.decode(begin, begin + words.size() * 4, accum_offset), accum_offset,
                    Code::Kind::kernel);
    REQUIRE_FALSE(code.leaves());
    const Errors all = without_running(code);
    Errors on_walks;
    for (int n = 0; n < 6000; ++n) walk(code, random, 400, on_walks);
    for (const Error& error : on_walks) {
      CAPTURE(std::get<0>(error), std::get<1>(error) - begin, std::get<2>(error) - begin);
      CHECK(all.contains(error));
      in_flight += std::get<0>(error) == "register_in_flight";
    }
    met += places(on_walks);
    found += places(all);
  }
  CAPTURE(met, found, in_flight);
  CHECK(met > 1000);
  CHECK(in_flight > 300);
  CHECK(met == found);
}
