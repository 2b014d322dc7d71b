#include "harness/cure/ways.hpp"

#include <sstream>

namespace fmha950::harness::cure {

std::vector<Place> ways_between(const hip::Kernel& kernel, uint64_t earlier, uint64_t later) {
  const char* text = nullptr;
  hip::check(hip::api().Ways(kernel.function, earlier, later, &text), "fmha950Ways");
  std::vector<Place> places;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string offset, from, to, which, depth;
    Place& place = places.emplace_back();
    for (std::string* field : {&offset, &from, &to, &which, &place.kind, &depth, &place.source, &place.text})
      std::getline(fields, *field, '\t');
    place.offset = std::stoull(offset, nullptr, 16);
    place.from_earlier = std::stoull(from);
    if (to != "-") place.to_later = std::stoull(to);
    place.on_every_way = which == "every";
    place.loop_depth = std::stoi(depth);
  }
  return places;
}

} // namespace fmha950::harness::cure
