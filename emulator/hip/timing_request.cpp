#include "emulator/hip/timing_request.hpp"

#include "emulator/timing/assumed.hpp"

#include <charconv>
#include <fmt/format.h>
#include <sstream>

namespace fmha950::hip {
namespace {

bool assume(const std::string& word, TimingRequest& request) {
  const auto assumptions =
      word.find('+') != word.npos ? std::nullopt : timing::assumed(word, request.assumptions);
  if (assumptions) request.assumptions = *assumptions;
  return assumptions.has_value();
}

// Words joined by +, beside what the launch is modelled with.
bool assume_also(const std::string& text, TimingRequest& request) {
  const auto assumptions = timing::assumed(text, request.assumptions);
  if (assumptions) request.also.emplace_back(text, *assumptions);
  return assumptions.has_value();
}

constexpr uint64_t most_counted = 1 << 20;

bool read_count(const std::string& text, uint64_t& count) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() && count >= 1 && count <= most_counted;
}

struct CountWord {
  std::string_view prefix;
  uint64_t TimingRequest::* count;
};
constexpr CountWord count_words[] = {{"copies=", &TimingRequest::copies},
                                     {"most=", &TimingRequest::most},
                                     {"stalls=", &TimingRequest::stalls}};

bool choose(const std::string& word, TimingRequest& request) {
  constexpr std::string_view also = "also=", kernel = "kernel=";
  if (assume(word, request)) return true;
  if (word.starts_with(also)) return assume_also(word.substr(also.size()), request);
  for (const CountWord& counted : count_words)
    if (word.starts_with(counted.prefix))
      return read_count(word.substr(counted.prefix.size()), request.*counted.count);
  if (word.size() > kernel.size() && word.starts_with(kernel))
    request.kernel = word.substr(kernel.size());
  else if (word == "samples")
    request.placement = timing::Placement::samples;
  else if (word == "chiplet")
    request.placement = timing::Placement::chiplet;
  else if (word == "timeline")
    request.timeline = true;
  else if (word == "alone")
    request.alone = true;
  else if (word.starts_with("along=") && word.size() == 7 && word[6] >= 'x' && word[6] <= 'z')
    request.along = word[6] - 'x';
  else
    return false;
  return true;
}

} // namespace

std::optional<TimingRequest> parse_timing(const std::string& text, std::string& error) {
  std::istringstream words(text);
  TimingRequest request;
  error = "must be off alone, or samples or chiplet and then what to add, separated by commas: timeline, "
          "along=x, y or z, copies=N, kernel=PATTERN, most=N, alone, stalls=N, also=WORD+WORD, " +
          timing::assumption_list();
  if (text.empty()) return std::nullopt;
  for (std::string word; std::getline(words, word, ',');)
    if (!choose(word, request)) {
      error = fmt::format("'{}' is none of its words; {}", word, error);
      return std::nullopt;
    }
  if (request.alone && request.most == 0) {
    error = "alone goes with most=N: the workgroups that are executed";
    return std::nullopt;
  }
  error.clear();
  return request;
}

} // namespace fmha950::hip
