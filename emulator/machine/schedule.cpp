#include "emulator/machine/schedule.hpp"

#include <algorithm>
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
  constexpr std::string_view random = "random:", pct = "pct:";
  if (text == "eager") {
    schedule.memory = MemoryOrder::eager;
  } else if (text == "lazy") {
    schedule.memory = MemoryOrder::lazy;
  } else if (text == "timed") {
    schedule.memory = MemoryOrder::timed;
  } else if (text.starts_with(random) && parse_number_of(text, random, schedule.memory_seed)) {
    schedule.memory = MemoryOrder::random;
  } else if (text.starts_with(pct) && parse_number_of(text, pct, schedule.memory_seed)) {
    schedule.memory = MemoryOrder::pct;
  } else {
    error = fmt::format(
        "memory schedule = '{}': must be timed, eager, lazy, random:SEED or pct:SEED (SEED 0 to 2^64-1)",
        text);
    return false;
  }
  return true;
}

bool parse_waves(std::string_view text, Schedule& schedule, std::string& error) {
  constexpr std::string_view random = "random:", starve = "starve:", pct = "pct:";
  if (text == "round-robin") {
    schedule.waves = WaveOrder::round_robin;
  } else if (text.starts_with(random) && parse_number_of(text, random, schedule.wave_seed)) {
    schedule.waves = WaveOrder::random;
  } else if (text.starts_with(starve) && parse_number_of(text, starve, schedule.wave_seed)) {
    schedule.waves = WaveOrder::starve;
  } else if (text.starts_with(pct) && parse_number_of(text, pct, schedule.wave_seed)) {
    schedule.waves = WaveOrder::pct;
  } else {
    error =
        fmt::format("wave schedule = '{}': must be round-robin, random:SEED, starve:WAVE or pct:SEED", text);
    return false;
  }
  return true;
}

} // namespace

void ChangePoints::restart(Random random) {
  random_ = random;
  window_ = uint64_t{1} << (6 + random_.below(11));
  step_ = window_end_ = 0;
  open_window();
}

void ChangePoints::open_window() {
  points_.clear();
  for (int i = 0; i < depth; ++i)
    points_.push_back(window_end_ + 1 + random_.below(static_cast<uint32_t>(window_)));
  std::sort(points_.rbegin(), points_.rend());
  window_end_ += window_;
  next_ = points_.back();
}

// Several points may fall on one step: they count once.
bool ChangePoints::pass() {
  while (!points_.empty() && points_.back() <= step_) points_.pop_back();
  if (points_.empty())
    open_window();
  else
    next_ = points_.back();
  return true;
}

bool parse_schedule(std::string_view text, Schedule& schedule, std::string& error) {
  Schedule parsed;
  const size_t comma = text.find(',');
  if (!parse_memory(text.substr(0, comma), parsed, error)) return false;
  if (comma != text.npos && parsed.memory == MemoryOrder::timed) {
    error = fmt::format("wave schedule = '{}': timed takes none, the cycle model orders waves, too",
                        text.substr(comma + 1));
    return false;
  }
  if (comma != text.npos && !parse_waves(text.substr(comma + 1), parsed, error)) return false;
  schedule = parsed;
  return true;
}

} // namespace fmha950::machine
