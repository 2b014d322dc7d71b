#include "workload/json_file.hpp"

#include "interface/regular_file.hpp"

#include <algorithm>
#include <fstream>
#include <set>

namespace fmha950::workload {
namespace {

// Follows the parser, so that what is wrong is said with its place.
class Watcher {
 public:
  explicit Watcher(std::string file) : file_(std::move(file)) {}

  // Throws InvalidInput for a key that its object has had before, and for control characters: texts are printed, and some
  // become names of files.
  void see(nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    using enum nlohmann::json::parse_event_t;
    if (event == object_end || event == array_end) return open_.pop_back();
    if (event == key) {
      Level& object = open_.back();
      object.key = parsed.get<std::string>();
      require_printable(object.key);
      if (object.keys.insert(object.key).second) return;
      throw InvalidInput(place(), "given twice", "must be there once");
    }
    if (!open_.empty() && open_.back().is_array) ++open_.back().entries;
    if (event == value && parsed.is_string()) require_printable(parsed.get<std::string>());
    if (event == object_start || event == array_start) open_.push_back({.is_array = event == array_start});
  }

 private:
  struct Level {
    bool is_array = false;
    std::string key = {}; // the latest
    std::set<std::string> keys = {};
    size_t entries = 0;
  };

  std::string place() const {
    std::string path;
    for (const Level& level : open_)
      path += level.is_array
                  ? fmt::format("[{}]", level.entries - 1)
                  : (path.empty() ? "" : ".") + (is_printable(level.key) ? level.key : shown(level.key));
    return fmt::format("{}: {}", file_, path);
  }
  static bool is_printable(const std::string& text) {
    return std::ranges::none_of(text, [](char c) { return (c & 0xe0) == 0 || c == 0x7f; });
  }
  static std::string
  shown(const std::string& text) { // in JSON's spelling, in which nothing moves a terminal's cursor
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  }
  void require_printable(const std::string& text) const {
    if (!is_printable(text))
      throw InvalidInput(place(), shown(text), "must be one line without control characters");
  }

  std::string file_;
  std::vector<Level> open_;
};

} // namespace

nlohmann::json read_json_file(const std::string& field, const std::filesystem::path& path) {
  require_regular_file(field, path);
  std::ifstream file(path);
  if (!file) throw InvalidInput(field, path.string(), "cannot be read");
  constexpr int deepest = 32; // what prints a value recurses
  Watcher watcher(path.string());
  const auto check = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    if (depth > deepest)
      throw InvalidInput(field, path.string(), fmt::format("is nested deeper than {} levels", deepest));
    watcher.see(event, parsed);
    return true;
  };
  try {
    return nlohmann::json::parse(file, check);
  } catch (const nlohmann::json::exception& error) { // numbers that no double holds are no parse_error
    throw InvalidInput(field, path.string(), fmt::format("is not JSON: {}", error.what()));
  }
}

std::filesystem::path file_inside(const std::filesystem::path& folder, const JsonField& field) {
  const std::filesystem::path file = field.text();
  if (file.empty() || file.is_absolute() || std::ranges::find(file, "..") != file.end())
    field.refuse("must be a file inside the folder");
  return folder / file;
}

} // namespace fmha950::workload
