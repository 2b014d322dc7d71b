#include "emulator/hip/launch_log.hpp"

#include "emulator/memory/address_space.hpp"
#include "numerics/digest.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <mutex>

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

// Names are those of symbols, which may hold anything.
std::string quoted(const std::string& text) {
  std::string json = "\"";
  for (const char c : text) {
    const bool plain = static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\'; // UTF-8 as it is
    json += plain ? std::string(1, c) : fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
  }
  return json + '"';
}

std::string argument_json(const loader::Argument& argument, std::span<const std::byte> block) {
  return fmt::format(R"({{"at":{},"bytes":{},"kind":"{}","hex":"{}"}})", argument.offset, argument.size,
                     argument.kind, hex_of(block.subspan(argument.offset, argument.size)));
}

// Of the word at `offset`; "" if it is no address of live memory.
std::string pointer_json(Log& log, size_t offset, std::span<const std::byte> block) {
  uint64_t address = 0;
  std::memcpy(&address, block.data() + offset, sizeof address);
  const machine::Extent extent = machine::AddressSpace::device().find(address);
  if (address == 0 || extent.begin == extent.end) return "";
  const size_t number = log.allocations.try_emplace(extent.begin, log.allocations.size()).first->second;
  return fmt::format(R"({{"at":{},"allocation":{},"size":{},"offset":{}}})", offset, number,
                     extent.end - extent.begin, address - extent.begin);
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

void log_launch(const loader::Kernel& kernel, const PreparedLaunch& launch) {
  Log& of = log();
  const std::lock_guard lock(of.mutex);
  if (of.folder.empty()) return;
  const std::span<const std::byte> block(launch.arguments);
  std::vector<std::string> arguments, pointers;
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
  for (size_t offset = 0; offset + sizeof(uint64_t) <= end; offset += sizeof(uint64_t))
    if (std::string pointer = pointer_json(of, offset, block); !pointer.empty())
      pointers.push_back(std::move(pointer));
  const LaunchShape& shape = launch.shape;
  std::ofstream file(of.folder / "launches.jsonl", std::ios::app);
  file
      << fmt::format(
             R"({{"kernel":{},"object":"{}","grid":[{},{},{}],"block":[{},{},{}],"lds":{},"arguments":[{}],"pointers":[{}]}})",
             quoted(kernel.name), of.objects[kernel.object], shape.grid.x, shape.grid.y, shape.grid.z,
             shape.block.x, shape.block.y, shape.block.z, shape.dynamic_lds, fmt::join(arguments, ","),
             fmt::join(pointers, ","))
      << std::endl;
  if (!file) std::fprintf(stderr, "launches %s: could not be written\n", of.folder.c_str());
}

} // namespace fmha950::hip
