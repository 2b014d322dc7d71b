#include "harness/device/variation.hpp"

#include "harness/device/embedded_device.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// A list that always has an item: the empty one stands for "as the device has it".
std::vector<std::string> at_least_one(std::vector<std::string> items) {
  if (items.empty()) items.emplace_back();
  return items;
}

void choose(const char* name, const std::string& value) { // what is empty is left alone
  if (!value.empty()) set_option(name, value);
}

} // namespace

std::string Variation::text() const {
  std::vector<std::string> parts;
  if (!schedule.empty()) parts.push_back("schedule=" + schedule);
  if (!threads.empty()) parts.push_back("threads=" + threads);
  if (!mfma.empty()) parts.push_back("mfma=" + mfma);
  if (!check.empty()) parts.push_back("check=" + check);
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string schedule_of_item(std::string item) {
  std::ranges::replace(item, '+', ',');
  return item;
}
std::string item_of_schedule(std::string schedule) {
  std::ranges::replace(schedule, ',', '+');
  return schedule;
}

std::vector<Variation> variations(const VariationOptions& options) {
  std::vector<std::string> schedules = at_least_one(options.schedules);
  for (std::string& schedule : schedules) schedule = schedule_of_item(std::move(schedule));
  const std::vector<std::string> threads = at_least_one(options.threads);
  std::vector<Variation> result;
  for (const std::string& mfma : at_least_one(options.mfma)) {
    for (const std::string& schedule : schedules) result.push_back({schedule, threads.front(), mfma});
    for (size_t i = 1; i < threads.size(); ++i) result.push_back({schedules.front(), threads[i], mfma});
  }
  return result;
}

void apply(const Variation& variation) {
  choose("schedule", variation.schedule);
  choose("threads", variation.threads);
  choose("mfma", variation.mfma);
  choose("check", variation.check);
}

void require_valid(const VariationOptions& options) {
  const auto require_items = [](const char* name, const std::vector<std::string>& items) {
    if (std::ranges::find(items, "") != items.end())
      throw InvalidInput(name, fmt::format("{}", fmt::join(items, ",")), "must have no empty item");
  };
  require_items("schedules", options.schedules);
  require_items("threads", options.threads);
  require_items("mfma", options.mfma);
  for (const Variation& variation : variations(options)) apply(variation);
}

void break_at(const std::string& place) { choose("break", place); }

void trace_to(const std::string& place) { set_option("trace", place); }

} // namespace fmha950::harness
