#pragma once
// What a terminal can show. A file or a pipe is none: it gets all columns, unless COLUMNS is set, and no colours.

#include "interface/outcome.hpp"

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

namespace fmha950::harness {

// Of COLUMNS, else of the terminal; none: no limit.
std::optional<int> columns_of(std::FILE* out);

// Green where it passed, red where it failed: on a terminal, unless NO_COLOR is set (no-color.org).
// `text` is what is shown of it.
std::string coloured(std::FILE* out, OutcomeKind kind, const std::string& text);

// Words of a text on lines that fit.
void print_wrapped(std::FILE* out, std::string_view text);

// A line of results. Only a terminal breaks it, between words, and lines that go on stand further in: a file keeps it whole, for
// programs that read it.
void print_result_line(std::FILE* out, std::string_view text, int indent = 0);

} // namespace fmha950::harness
