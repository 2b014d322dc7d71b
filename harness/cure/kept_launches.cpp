#include "harness/cure/kept_launches.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace fmha950::harness::cure {
namespace {

constexpr int seconds_to_begin = 10; // for who keeps a launch, and beyond the time that a launch is given

bool is_ready(int file, int seconds) {
  pollfd ready{file, POLLIN, 0};
  int polled = 0;
  do polled = poll(&ready, 1, seconds * 1000);
  while (polled < 0 && errno == EINTR);
  return polled > 0;
}

// "" if none comes in this time.
std::string line_from(int connection, int seconds) {
  std::string line;
  for (char c = 0; is_ready(connection, seconds) && read(connection, &c, 1) == 1;) {
    if (c == '\n') return line;
    line += c;
  }
  return {};
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream words(line);
  for (std::string field; std::getline(words, field, '\t');) fields.push_back(field);
  fields.resize(std::max<size_t>(fields.size(), 4));
  return fields;
}

} // namespace

KeptLaunch::KeptLaunch(int connection) : connection_(connection) {
  const auto fields = fields_of(line_from(connection, seconds_to_begin));
  kernel_ = fields[1];
  number_ = fields[0] == "kept" ? std::strtoull(fields[2].c_str(), nullptr, 10) : 0;
  why_not_ = fields[0] == "kept" ? fields[3] : "it was not kept";
}

KeptLaunch::~KeptLaunch() { close(connection_); }

KeptLaunch::End KeptLaunch::replay(const std::vector<std::string>& options, int seconds) const {
  const std::string line = fmt::format("{}\t{}\n", seconds, fmt::join(options, "\t"));
  if (send(connection_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    return {"", "who keeps the launch has ended"};
  const auto fields = fields_of(line_from(connection_, seconds + seconds_to_begin));
  if (fields[0] == "ended") return {fields[1], ""};
  return {"", fields[0] == "failed" ? fields[1] : fmt::format("did not end within {} s", seconds)};
}

KeptLaunches::KeptLaunches() : folder_("replay"), socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string path = folder_.path() / "socket";
  if (path.size() < sizeof address.sun_path) std::ranges::copy(path, address.sun_path);
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket_, SOMAXCONN) != 0)
    throw DeviceError(fmt::format("{}: cannot listen there: {}", path, std::strerror(errno)));
}

KeptLaunches::~KeptLaunches() { close(socket_); }

std::string KeptLaunches::option() const { return "FMHA950_REPLAY=" + (folder_.path() / "socket").string(); }

// Each has connected before its launch was made, and waits.
void KeptLaunches::take() {
  while (is_ready(socket_, 0)) {
    const int connection = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection >= 0) launches_.emplace_back(connection);
  }
}

std::vector<const KeptLaunch*> KeptLaunches::of(const std::string& kernel) const {
  std::vector<const KeptLaunch*> found;
  for (const KeptLaunch& launch : launches_)
    if (launch.kernel() == kernel) found.push_back(&launch);
  std::ranges::sort(found, {}, &KeptLaunch::number);
  return found;
}

} // namespace fmha950::harness::cure
