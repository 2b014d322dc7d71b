#pragma once
// A record on its way from the process that made it to the one that reports it: all of it, in the bytes of this
// build. Never a file format: files have JSON lines (record.hpp).

#include "harness/record/record.hpp"

#include <string>
#include <string_view>

namespace fmha950::harness {

std::string pack(const Record& record);
Record unpack(std::string_view bytes); // of the same build; throws std::runtime_error for fewer bytes

} // namespace fmha950::harness
