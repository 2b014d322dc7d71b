#pragma once
// docs/reference.md: all commands and options in Markdown, as the program itself has them.

#include <string>

namespace CLI {
class App;
}

namespace fmha950::harness {

// An option with the same words in several commands is explained once.
std::string reference_page(const CLI::App& program);

} // namespace fmha950::harness
