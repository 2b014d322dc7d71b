#pragma once
// Implementations for the harness's tests:
// they answer with the oracle's plain attention, and break it as told.

#include "interface/implementation.hpp"

#include <functional>
#include <optional>

namespace fmha950::harness::fake {

struct Behaviour {
  bool supported = true;
  Rank rank = Rank::others;
  std::optional<double> seconds;              // estimated
  std::function<Tensors(const Tensors&)> use; // the tensors that are used instead of the right ones
  std::function<Problem(Problem)> problem;    // likewise
  // The output before it is rounded; run counts from 0.
  std::function<void(std::vector<double>& output, int run)> spoil;
  std::function<void(Cache& cache, int run)> spoil_cache; // of append_prefill, likewise
  bool skip_last_row = false;                             // leave it as it was
  std::string invalid_input, device_error;                // thrown by plan(), by enqueue()
  int restricted_runs = 0;                                // counted by the fake
  std::vector<Problem> planned;                           // what plan() was given
  std::vector<const void*> caches;                        // k_cache, likewise
};

// Of the implementations "fake_a" and "fake_b", both registered by this file's .cpp.
Behaviour& behaviour(std::string_view name);
void reset_behaviours();

} // namespace fmha950::harness::fake
