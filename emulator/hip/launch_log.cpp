#include "emulator/hip/launch_log.hpp"

#include "emulator/hip/json_text.hpp"
#include "emulator/memory/address_space.hpp"
#include "numerics/digest.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <unistd.h>

namespace fmha950::hip {
namespace {

struct Log {
  std::mutex mutex;
  std::filesystem::path folder; // empty: there is none
  std::map<const loader::CodeObject*, std::string> objects;
  std::map<uint64_t, size_t> allocations; // by address: their numbers
};
Log& log() {
  static Log& instance = *new Log;
  return instance;
}

std::string hex_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

std::string argument_json(const loader::Argument& argument, std::span<const std::byte> block) {
  return fmt::format(R"({{"at":{},"bytes":{},"kind":"{}","hex":"{}"}})", argument.offset, argument.size,
                     argument.kind, hex_of(block.subspan(argument.offset, argument.size)));
}

constexpr size_t head_bytes = 64;

// An allocation that an argument points into, as it was before the launch.
struct Pointed {
  size_t at = 0, number = 0, addresses = 0;
  machine::Extent extent;
  uint64_t offset = 0;
  std::string head, before;
  bool zero = false;
};

std::span<const std::byte> memory_of(const machine::Extent& extent) {
  return {reinterpret_cast<const std::byte*>(extent.begin), extent.end - extent.begin};
}
std::string digest_of(std::span<const std::byte> bytes) {
  numerics::Digest digest;
  digest.add(bytes);
  return digest.text();
}
uint64_t word_at(std::span<const std::byte> bytes, size_t at) {
  uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}
machine::Extent find(uint64_t address) {
  return address == 0 ? machine::Extent() : machine::AddressSpace::device().find(address);
}

// Empty: the word at `at` is no address of live memory.
std::optional<Pointed> pointed(Log& log, size_t at, std::span<const std::byte> block) {
  const uint64_t address = word_at(block, at);
  const machine::Extent extent = find(address);
  if (extent.begin == extent.end) return {};
  Pointed found;
  found.at = at;
  found.extent = extent;
  found.offset = address - extent.begin;
  found.number = log.allocations.try_emplace(extent.begin, log.allocations.size()).first->second;
  const std::span<const std::byte> memory = memory_of(extent);
  found.head = hex_of(memory.first(std::min(head_bytes, memory.size())));
  found.before = digest_of(memory);
  found.zero = std::ranges::all_of(memory, [](std::byte each) { return each == std::byte{0}; });
  for (size_t at_word = 0; at_word + sizeof(uint64_t) <= memory.size(); at_word += sizeof(uint64_t)) {
    const uint64_t word = word_at(memory, at_word);
    if (word >> 48 != 0) continue; // most of what is no address, without a search
    const machine::Extent other = find(word);
    found.addresses += other.begin != other.end;
  }
  return found;
}

std::string pointer_json(const Pointed& of) {
  const bool lives = find(of.extent.begin).end == of.extent.end;
  return fmt::format(
      R"({{"at":{},"allocation":{},"size":{},"offset":{},"head":"{}","before":"{}","after":"{}","zero":{},"addresses":{}}})",
      of.at, of.number, of.extent.end - of.extent.begin, of.offset, of.head, of.before,
      lives ? digest_of(memory_of(of.extent)) : of.before, of.zero, of.addresses);
}

// Under the log's mutex.
void write_line(const Log& log, const std::string& line) {
  std::ofstream file(log.folder / "launches.jsonl", std::ios::app);
  file << line << std::endl;
  if (!file) std::fprintf(stderr, "launches %s: could not be written\n", log.folder.c_str());
}

} // namespace

std::string log_launches_to(const std::string& folder) {
  Log& of = log();
  const std::lock_guard lock(of.mutex);
  of.folder.clear();
  if (folder.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::ofstream(std::filesystem::path(folder) / "launches.jsonl", std::ios::app))
    return "must be a folder that can be written to: " + std::string(std::strerror(errno));
  of.folder = folder;
  return {};
}

void log_object(const loader::CodeObject& object, std::span<const std::byte> elf) {
  Log& of = log();
  const std::lock_guard lock(of.mutex);
  if (of.folder.empty()) return;
  numerics::Digest digest;
  digest.add(elf);
  const std::string name = digest.text() + ".co";
  std::ofstream file(of.folder / name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(elf.data()), static_cast<std::streamsize>(elf.size()));
  of.objects[&object] = name;
}

void log_callback() {
  Log& of = log();
  const std::lock_guard lock(of.mutex);
  if (!of.folder.empty()) write_line(of, R"({"callback":true})");
}

struct LoggedLaunch::State {
  std::string kernel, begun; // what is known before it runs
  std::vector<Pointed> pointers;
};

uint64_t next_launch_number() {
  static std::atomic<uint64_t> next{0};
  return next++;
}

LoggedLaunch::LoggedLaunch(const loader::Kernel& kernel, const LaunchShape& shape,
                           std::span<const std::byte> block, bool replay, uint64_t number) {
  Log& of = log();
  const std::lock_guard lock(of.mutex);
  if (of.folder.empty()) return;
  state_ = std::make_unique<State>();
  std::vector<std::string> arguments;
  size_t end = 0; // of what the program gave
  for (const loader::Argument& argument : kernel.arguments) {
    if (argument.kind.starts_with("hidden_")) continue;
    arguments.push_back(argument_json(argument, block));
    end = std::max<size_t>(end, argument.offset + argument.size);
  }
  if (arguments.empty()) { // the metadata are silent
    end = block.size();
    if (end > 0) arguments.push_back(argument_json({0, static_cast<uint32_t>(end), "unknown"}, block));
  }
  for (size_t at = 0; at + sizeof(uint64_t) <= end; at += sizeof(uint64_t))
    if (std::optional<Pointed> found = pointed(of, at, block)) state_->pointers.push_back(std::move(*found));
  state_->kernel = json_text(kernel.name);
  state_->begun = fmt::format(
      R"({{"kernel":{},"process":{},"number":{},"object":"{}","grid":[{},{},{}],"block":[{},{},{}],"lds":{},"replay":{},"arguments":[{}])",
      state_->kernel, getpid(), number, of.objects[kernel.object], shape.grid.x, shape.grid.y, shape.grid.z,
      shape.block.x, shape.block.y, shape.block.z, shape.dynamic_lds, replay, fmt::join(arguments, ","));
}

LoggedLaunch::~LoggedLaunch() {
  if (!state_) return; // nobody wants to know, or it has ended
  Log& of = log();
  const std::lock_guard lock(of.mutex);
  if (!of.folder.empty()) write_line(of, fmt::format(R"({{"faulted":{}}})", state_->kernel));
}

void LoggedLaunch::ended() {
  if (!state_) return;
  Log& of = log();
  const std::lock_guard lock(of.mutex);
  std::vector<std::string> pointers;
  for (const Pointed& each : state_->pointers) pointers.push_back(pointer_json(each));
  if (!of.folder.empty())
    write_line(of, fmt::format(R"({},"pointers":[{}]}})", state_->begun, fmt::join(pointers, ",")));
  state_.reset();
}

} // namespace fmha950::hip
