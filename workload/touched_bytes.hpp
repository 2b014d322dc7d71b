#pragma once
// How much memory a tensor of pages or rows touches, before it is made: unused ones are poisoned only as far as
// poison.hpp says, and the rest is never touched.

namespace fmha950::workload {

inline constexpr double poison_limit = 256 << 20; // poison.hpp

// Pages or rows of a pool: all, those with values, and those with values or poison.
struct Held {
  double total = 0, used = 0, written = 0;
};

// `bytes` is one page's.
// Where not all unused pages are poisoned, the first and last of every range of them are.
Held held(double total, double used, double bytes);

// The bytes that a tensor with `bytes` for each page or row takes. The host gives memory by 4 KiB, and a used page
// has unused, poisoned neighbours. On the average such a page takes less than one host page more than its bytes;
// a quarter more is on the safe side.
double touched(const Held& pages, double count, double bytes);

} // namespace fmha950::workload
