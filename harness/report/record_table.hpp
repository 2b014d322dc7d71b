#pragma once
// Records as rows of a table, for a terminal and in Markdown: what a reader compares first. Everything else is
// in the JSON form.

#include "harness/report/printer.hpp"

namespace fmha950::harness {

std::unique_ptr<RecordPrinter> make_table_printer(std::FILE* out);
std::unique_ptr<RecordPrinter> make_markdown_printer(std::FILE* out);

// The largest share of a limit that the kernel's error takes: "80 %", "-" without limits.
std::string of_limit(const Verdict& verdict);
std::string figure(double value); // three digits
// A figure of the kernel's output; "-" where no element of it is a number.
std::string output_figure(const Verdict& verdict, double ErrorMetrics::* metric);

} // namespace fmha950::harness
