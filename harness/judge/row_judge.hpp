#pragma once
// The second judge: every row's error against its own noise, before anything is averaged (DESIGN.md section
// 7; docs/harness.md, "Accuracy", has the limits in words). Columns are divided by their RMS over the keys'
// values, so that an outlier channel of V does not speak for all.
//
//   rmse        of a bucket of rows: one KV head, noise within a factor of 2
//   row         RMS of one row's error, without its component along the row
//   length      the share by which one row is too long
//   element     one element
//   norm_ratio  of all rows together, its distance from 1
//   fp8_ceiling largest error; FP8 caches only
//   lse         one row's LSE

#include "harness/judge/evidence.hpp"

namespace fmha950::harness {

// Judges `result`, which is evidence.got, or evidence.plain where it has to show that the limits are fair.
std::vector<Limit> judge_rows(const Evidence& evidence, const AttentionRows& result);

} // namespace fmha950::harness
