#pragma once
// What a measurement says, for people: answers beside what the program assumes, windows and probes.

#include "harness/silicon/silicon_file.hpp"

#include <cstdio>

namespace fmha950::harness {

// By which the model takes the answers that differ from its own, in the order of the questions.
std::vector<std::string> words_of(const SiliconCheck& check);

void print_answers(const SiliconCheck& check, std::FILE* out);

} // namespace fmha950::harness
