#pragma once
// `--axis KEY=VALUE,VALUE...`: every selected case with each of the values instead of its own.

#include <string>
#include <vector>

namespace fmha950::harness {

struct Axis {
  std::string key;
  std::vector<std::string> values;
};

// Throws InvalidInput unless it is KEY=VALUE[,VALUE...] of a key whose values hold no comma.
Axis parse_axis(const std::string& text);

// Cases times values: of each case its values follow each other.
std::vector<std::string> along(const Axis& axis, const std::vector<std::string>& cases);

} // namespace fmha950::harness
