#pragma once
// Kernels with one planted fault each.

// Of planted_kernels.hip, those whose fault lies in the kernel's own code.
inline constexpr const char* planted_registers[] = {
    "one_load",       "four_loads",        "load_in_loop",      "unrolled_by_4", "unrolled_by_8",
    "fully_unrolled", "lds_unrolled_by_4", "lds_unrolled_by_8", "pipelined",     "read_in_arms",
    "loaded_in_arms", "both_counters",     "scalar_load",       "flat_load",     "inlined_thrice",
    "matrix_result",  "scalar_address"};

// Of planted_calls.hip, with a side in a function that the kernel calls.
inline constexpr const char* planted_calls[] = {
    "load_in_callee",   "load_in_second_callee", "load_in_tail",
    "loop_in_callee",   "tile_read_by_callee",   "refilled_by_callee",
    "loaded_in_callee", "states_in_callee",      "read_by_assembly"};

// Of planted_orders.hip.
inline constexpr const char* planted_orders[] = {"tile",
                                                 "read_too_early",
                                                 "refilled_too_early",
                                                 "read_too_early_by_4",
                                                 "refilled_too_early_by_8",
                                                 "loaded_tile",
                                                 "loaded_tile_by_4",
                                                 "loaded_tile_by_8",
                                                 "buffers",
                                                 "buffers_by_4",
                                                 "read_and_refilled",
                                                 "no_synchronisation",
                                                 "one_barrier",
                                                 "one_barrier_by_4",
                                                 "two_groups",
                                                 "two_groups_by_4",
                                                 "device_tile"};
