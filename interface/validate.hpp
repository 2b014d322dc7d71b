#pragma once
// The checks every plan() makes once, before anything is launched: shapes, ranges of page ids and indptr
// within the valid prefix of the tables (never their padding), finite positive descales of the pages that the
// tables name (never of unused ones) by which 448 stays finite in fp32, alignment of device pointers and page
// strides (16 bytes where kernels load vectors, 4 elsewhere), agreement of lengths with tables. Of
// sparse_prefill likewise its lists of rows, and the scales of Q and of the rows that a list names. Of
// append_prefill besides: scales that leave the cache useful, and that no page which is written to stands in the
// tables twice. Last that what is written, outputs and append_prefill's cache, overlaps nothing in memory. Tensors
// are checked against a problem that is valid itself. All throw InvalidInput.

#include "interface/implementation.hpp"

namespace fmha950 {

void validate_problem(const Problem& problem);
void validate_tensors(const Problem& problem, const Tensors& tensors);
void validate_device_tensors(const Problem& problem, const DeviceTensors& device);
void validate(const Problem& problem, const Tensors& tensors, const DeviceTensors& device); // all of these

} // namespace fmha950
