#include "emulator/machine/schedule.hpp"

#include <charconv>
#include <fmt/format.h>

namespace fmha950::machine {
namespace {

// "NAME:NUMBER" -> number; false when the number is missing or malformed.
bool parse_number_of(std::string_view text, std::string_view name, uint64_t& number) {
  const std::string_view digits = text.substr(name.size());
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size();
}

bool parse_memory(std::string_view text, Schedule& schedule, std::string& error) {
  constexpr std::string_view random = "random:";
  if (text == "eager") {
    schedule.memory = MemoryOrder::eager;
  } else if (text == "lazy") {
    schedule.memory = MemoryOrder::lazy;
  } else if (text.starts_with(random) && parse_number_of(text, random, schedule.memory_seed)) {
    schedule.memory = MemoryOrder::random;
  } else {
    error =
        fmt::format("memory schedule = '{}': must be eager, lazy or random:SEED (SEED 0 to 2^64-1)", text);
    return false;
  }
  return true;
}

bool parse_waves(std::string_view text, Schedule& schedule, std::string& error) {
  constexpr std::string_view random = "random:", starve = "starve:";
  if (text == "round-robin") {
    schedule.waves = WaveOrder::round_robin;
  } else if (text.starts_with(random) && parse_number_of(text, random, schedule.wave_seed)) {
    schedule.waves = WaveOrder::random;
  } else if (text.starts_with(starve) && parse_number_of(text, starve, schedule.wave_seed)) {
    schedule.waves = WaveOrder::starve;
  } else {
    error = fmt::format("wave schedule = '{}': must be round-robin, random:SEED or starve:WAVE", text);
    return false;
  }
  return true;
}

} // namespace

bool parse_schedule(std::string_view text, Schedule& schedule, std::string& error) {
  Schedule parsed;
  const size_t comma = text.find(',');
  if (!parse_memory(text.substr(0, comma), parsed, error)) return false;
  if (comma != text.npos && !parse_waves(text.substr(comma + 1), parsed, error)) return false;
  schedule = parsed;
  return true;
}

} // namespace fmha950::machine
