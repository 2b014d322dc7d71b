#pragma once
// One mistake shows at many places: an inline-assembly macro that is expanded 29 times, a missing wait behind which
// every load is read. Reports of the same class and severity, in one kernel, about the same two opcodes, are one
// bundle: the first of them with the places of all, and their counts added up.

#include "emulator/observe/report/report_log.hpp"

#include <span>

namespace fmha950::observe {

std::vector<Report> bundled(std::span<const Report> reports);

} // namespace fmha950::observe
