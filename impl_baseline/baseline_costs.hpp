#pragma once
// What the kernels of batch_prefill take, for the cycle model's estimate (attention/host/cost_estimate.hpp).

#include "attention/host/cost_estimate.hpp"
#include "impl_baseline/kernel_arguments.hpp"

namespace fmha950::baseline {

// LINEAR. A wave without rows multiplies all the same.
constexpr attention::FormCosts costs_of_form(attention::CostForm form, attention::ByRows start,
                                             attention::ByRows tile, attention::ByRows energy, int resident,
                                             double sharing) {
  return {form,
          {.shape = {rows_per_tile, keys_per_tile},
           .start = start,
           .tile = tile,
           .energy = energy,
           .resident = resident,
           .sharing = sharing}};
}

inline constexpr attention::FormCosts costs[] = {
    costs_of_form({}, {5500, 8900}, {1660, 1790}, {476, 483}, 2, 1.29),
    costs_of_form({.page_descales = true}, {6800, 9600}, {1770, 1940}, {473, 483}, 2, 1.19),
    costs_of_form({.fp8_queries = false, .fp8_keys = false}, {6300, 10200}, {2045, 2045}, {717, 705}, 2,
                  1.23),
    costs_of_form({.fp8_queries = false}, {5700, 9700}, {1990, 2000}, {795, 780}, 2, 1.38),
    costs_of_form({.fp8_queries = false, .page_descales = true}, {5850, 10550}, {2085, 2090}, {818, 803}, 2,
                  1.41),
    costs_of_form({.fp8_queries = false, .fp8_keys = false, .more_columns = true}, {15800, 12650},
                  {3360, 3550}, {1040, 1030}, 1, 1),
    costs_of_form({.fp8_queries = false, .more_columns = true}, {13450, 11300}, {2765, 2920}, {1060, 1040}, 2,
                  1.4),
    costs_of_form({.fp8_queries = false, .more_columns = true, .page_descales = true}, {8400, 11950},
                  {3030, 3095}, {1080, 1060}, 2, 1.39),
};

} // namespace fmha950::baseline
