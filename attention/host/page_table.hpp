#pragma once
// Both page tables as the kernels read them: one list of page ids, in which every request has a run.

#include "attention/page_blocks.hpp"
#include "interface/implementation.hpp"

#include <cstdint>
#include <vector>

namespace fmha950::attention {

// For each request the place of its first page id in device_table().
std::vector<int32_t> table_begins(const Problem& problem, const Tensors& host);

// kv_page_indices (SGLang) or block_table (vLLM) on the device.
const int32_t* device_table(const Problem& problem, const DeviceTensors& device);

// log2 of the page size, as kernels split the place of a key; where pages are no power of two that of their blocks.
uint32_t page_shift(const Problem& problem);

// Pages that are no power of two: then page_blocks() splits the place of a key.
bool has_block_pages(const Problem& problem);
PageBlocks page_blocks(const Problem& problem);

} // namespace fmha950::attention
