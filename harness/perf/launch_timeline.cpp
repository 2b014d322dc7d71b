#include "harness/perf/launch_timeline.hpp"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace fmha950::harness {

namespace {

using Json = nlohmann::ordered_json;

class Events {
 public:
  void add(const LaunchTiming& timing) {
    const size_t process = process_of(timing.file);
    if (rows_.emplace(process, timing.stream).second)
      name("thread_name", process, timing.stream,
           fmt::format("stream {}{}", timing.stream, timing.stream == 0 ? ", the null stream" : ""));
    Json arguments = to_json(timing);
    const double microseconds = 1e6 * arguments.at("seconds").get<double>();
    events_.push_back({{"ph", "X"},
                       {"pid", process},
                       {"tid", timing.stream},
                       {"ts", ends_[process]},
                       {"dur", microseconds},
                       {"name", timing.launch().kernel},
                       {"cat", "launch"},
                       {"args", std::move(arguments)}});
    ends_[process] += microseconds;
  }
  std::string text() const {
    const Json trace = {
        {"otherData",
         {{"what", "modelled, launches one after the other, 1 us is 1 us at the modelled clock"}}},
        {"traceEvents", events_}};
    return trace.dump() + "\n";
  }

 private:
  size_t process_of(const std::string& file) {
    const auto [found, is_new] = processes_.emplace(file, processes_.size() + 1);
    if (is_new) name("process_name", found->second, 0, file);
    return found->second;
  }
  void name(const char* what, size_t process, uint64_t row, const std::string& name) {
    events_.push_back(
        {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", row}, {"args", {{"name", name}}}});
  }

  Json events_ = Json::array();
  std::map<std::string, size_t> processes_; // by file
  std::set<std::pair<size_t, uint64_t>> rows_;
  std::map<size_t, double> ends_; // of each process, microseconds
};

} // namespace

std::string launch_timeline(const std::vector<LaunchTiming>& timings) {
  std::multimap<uint64_t, const LaunchTiming*> in_order; // lines come as launches end
  for (const LaunchTiming& timing : timings) in_order.emplace(timing.number, &timing);
  Events events;
  for (const auto& [number, timing] : in_order) events.add(*timing);
  return events.text();
}

} // namespace fmha950::harness
