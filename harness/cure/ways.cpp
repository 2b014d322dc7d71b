#include "harness/cure/ways.hpp"

#include <sstream>

namespace fmha950::harness::cure {

std::vector<Place> ways_between(const hip::Kernel& kernel, const CodePlace& earlier, const CodePlace& later) {
  const char* text = nullptr;
  hip::check(hip::api().Ways(kernel.function, earlier.argument().c_str(), later.argument().c_str(), &text),
             "fmha950Ways");
  std::vector<Place> places;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string offset, from, to, which, depth, branches, vector_memory, lds;
    Place& place = places.emplace_back();
    for (std::string* field : {&offset, &from, &to, &which, &place.kind, &depth, &branches, &vector_memory,
                               &lds, &place.source, &place.text})
      std::getline(fields, *field, '\t');
    place.at = parse_place(offset);
    place.from_earlier = std::stoull(from);
    if (to != "-") place.to_later = std::stoull(to);
    place.on_every_way = which == "every";
    place.loop_depth = std::stoi(depth);
    place.branches = std::stoi(branches);
    place.vector_memory = std::stoi(vector_memory);
    place.lds = std::stoi(lds);
  }
  return places;
}

std::vector<Place> all_places(const hip::Kernel& kernel) { return ways_between(kernel, {}, {}); }

std::string why_not_followed(const hip::Kernel& kernel, const CodePlace& place) {
  if (place.function.empty()) return {};
  const char* text = nullptr;
  const hip::Error error =
      hip::api().Ways(kernel.function, CodePlace().argument().c_str(), place.argument().c_str(), &text);
  return error == hip::not_supported ? hip::api().LastErrorDetail() : "";
}

} // namespace fmha950::harness::cure
