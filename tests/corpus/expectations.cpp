#include "tests/corpus/expectations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

namespace fmha950::corpus_expectations {

namespace {

uint32_t sum_of(const Words& in, size_t begin, size_t count) {
  return std::accumulate(in.begin() + static_cast<std::ptrdiff_t>(begin),
                         in.begin() + static_cast<std::ptrdiff_t>(begin + count), 0u);
}
float half_at(const Words& in, size_t index) {
  const auto bits = static_cast<uint16_t>(in[index / 2] >> (16 * (index % 2)));
  return static_cast<float>(std::bit_cast<_Float16>(bits));
}
uint32_t bits_of(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

// 16 x 16 products: A at `base` words row by row, B behind it column by column, of halves.
double product(const Words& in, size_t base, size_t row, size_t column) {
  double sum = 0;
  for (size_t k = 0; k < 16; ++k)
    sum += half_at(in, 2 * base + row * 16 + k) * half_at(in, 2 * base + 256 + column * 16 + k);
  return sum;
}

} // namespace

Words reduce_lds_tree(const Words& in, const CorpusProblem& problem) {
  Words out;
  for (uint32_t workgroup = 0; workgroup < problem.workgroups; ++workgroup)
    out.push_back(sum_of(in, workgroup * 256, 256));
  return out;
}
Words reduce_wave(const Words& in, const CorpusProblem& problem) {
  Words out;
  for (uint32_t workgroup = 0; workgroup < problem.workgroups; ++workgroup)
    out.push_back(sum_of(in, workgroup * 64, 64));
  return out;
}
Words reduce_bpermute(const Words& in, const CorpusProblem& problem) {
  Words out;
  for (const uint32_t sum : reduce_wave(in, problem)) out.insert(out.end(), 64, sum);
  return out;
}
Words scan(const Words& in, const CorpusProblem& problem) {
  Words out(in.size());
  for (size_t workgroup = 0; workgroup < problem.workgroups; ++workgroup)
    for (size_t i = 0; i < 256; ++i) out[workgroup * 256 + i] = sum_of(in, workgroup * 256, i + 1);
  return out;
}
Words sort(const Words& in, const CorpusProblem& problem) {
  Words out = in;
  for (uint32_t workgroup = 0; workgroup < problem.workgroups; ++workgroup)
    std::sort(out.begin() + workgroup * 256, out.begin() + (workgroup + 1) * 256);
  return out;
}
Words compact_odd(const Words& in, const CorpusProblem& problem) {
  Words out(problem.workgroups * 257);
  for (size_t workgroup = 0; workgroup < problem.workgroups; ++workgroup)
    for (size_t i = 0; i < 256; ++i)
      if (const uint32_t value = in[workgroup * 256 + i]; value % 2 == 1)
        out[workgroup * 257 + ++out[workgroup * 257]] = value;
  return out;
}

Words tripled(const Words& in, const CorpusProblem&) {
  Words out = in;
  for (uint32_t& word : out) word *= 3;
  return out;
}
Words reversed_groups(const Words& in, const CorpusProblem&) {
  Words out = in;
  for (auto tile = out.begin(); tile != out.end(); tile += 256) std::reverse(tile, tile + 256);
  return out;
}
Words producer_consumer(const Words& in, const CorpusProblem& problem) { // of whole tiles
  Words out(192);
  for (uint32_t word = 0; word < problem.n / 256 * 256; ++word) {
    const uint32_t part = word % 256 / 64;
    out[part % 3 * 64 + word % 64] += in[word] * (part + 1);
  }
  return out;
}
Words prefetch_registers(const Words& in, const CorpusProblem& problem) {
  Words out(problem.workgroups * 64);
  for (uint32_t i = 0; i < out.size(); ++i)
    for (uint32_t part = 0; part < 4; ++part) out[i] = out[i] * 3 + in[i / 64 * 256 + part * 64 + i % 64];
  return out;
}
Words transpose_lds(const Words& in, const CorpusProblem&) {
  Words out(in.size());
  for (size_t i = 0; i < in.size(); ++i) out[i / 1024 * 1024 + i % 32 * 32 + i % 1024 / 32] = in[i];
  return out;
}
Words transpose_read(const Words& in, const CorpusProblem&) {
  Words out(in.size());
  for (size_t i = 0; i < 2 * in.size(); ++i) { // half i of the output
    const size_t tile = i / 256, lane = i % 256 / 4, row = lane / 16 * 4 + i % 4, column = lane % 16;
    const size_t from = tile * 256 + row * 16 + column;
    out[i / 2] |= (in[from / 2] >> (16 * (from % 2)) & 0xFFFF) << (16 * (i % 2));
  }
  return out;
}
Words rotate_blocks(const Words& in, const CorpusProblem&) {
  Words out = in;
  for (auto block = out.begin(); block != out.end(); block += 1024)
    std::rotate(block, block + 256, block + 1024);
  return out;
}
Words paged_gather(const Words& in, const CorpusProblem& problem) {
  const uint32_t pages = (problem.n / 16 + 7) / 8;
  Words out;
  for (uint32_t word = 0; word < problem.n; ++word)
    out.push_back(in[pages + in[word / 128] * 128 + word % 128]);
  return out;
}
Words plus_one(const Words& in, const CorpusProblem& problem) {
  Words out(in.begin(), in.begin() + problem.n);
  for (uint32_t& word : out) ++word;
  return out;
}
Words scratch_array(const Words& in, const CorpusProblem&) {
  Words out(64);
  for (uint32_t lane = 0; lane < 64; ++lane) {
    uint32_t values[16];
    for (uint32_t i = 0; i < 16; ++i) values[i] = in[i * 64 + lane];
    for (uint32_t i = 0; i < 16; ++i) {
      uint32_t& value = values[(out[lane] + i) % 16];
      value = out[lane] += value;
    }
  }
  return out;
}
Words flat_both(const Words& in, const CorpusProblem&) {
  Words out(128);
  for (uint32_t lane = 0; lane < 64; ++lane) {
    out[lane] = (in[lane] + 7) * 2;
    if (lane % 2) out[64 + lane] = in[lane] + 7;
  }
  return out;
}
Words scalar_pair(const Words& in, const CorpusProblem& problem) {
  Words out;
  for (uint32_t workgroup = 0; workgroup < problem.workgroups; ++workgroup)
    for (uint32_t lane = 0; lane < 64; ++lane)
      out.push_back(in[workgroup * 4] + in[workgroup * 4 + 3] * lane);
  return out;
}
Words neighbours(const Words& in, const CorpusProblem&) {
  Words out(in.size());
  for (size_t i = 0; i < in.size(); ++i) out[i] = in[i ^ 1];
  return out;
}
Words many_loads(const Words& in, const CorpusProblem&) { // zeros behind the end
  Words out(64);
  for (size_t i = 0; i < size_t{80} * 64; ++i) out[i % 64] = out[i % 64] * 5 + (i < in.size() ? in[i] : 0);
  return out;
}

Words gemm_nops(const Words& in, const CorpusProblem& problem) {
  Words out;
  for (size_t i = 0; i < problem.workgroups * size_t{256}; ++i)
    out.push_back(bits_of(2 * product(in, i / 256 * 256, i % 256 / 16, i % 16)));
  return out;
}
Words gemm_lds(const Words& in, const CorpusProblem& problem) {
  Words out;
  for (size_t i = 0; i < 256; ++i) {
    double sum = 0;
    for (size_t tile = 0; tile < problem.n / 256; ++tile) sum += product(in, tile * 256, i / 16, i % 16);
    out.push_back(bits_of(sum));
  }
  return out;
}
Words softmax_row(const Words& in, const CorpusProblem&) {
  Words out;
  for (size_t i = 0; i < in.size(); ++i) {
    const auto value = [&](size_t j) { return static_cast<double>(std::bit_cast<float>(in[j])); };
    double sum = 0;
    for (size_t j = i / 64 * 64; j < i / 64 * 64 + 64; ++j) sum += std::exp(value(j) - value(i));
    out.push_back(bits_of(1 / sum));
  }
  return out;
}
Words matrix_vector(const Words& in, const CorpusProblem& problem) {
  Words out(problem.n / 64 - 1);
  for (size_t i = 64; i < problem.n; ++i) out[i / 64 - 1] += in[i] * in[i % 64];
  return out;
}
Words stencil_halo(const Words& in, const CorpusProblem& problem) {
  const auto at = [&](uint32_t i) { return i < problem.n ? in[i] : 0; };
  Words out;
  for (uint32_t i = 0; i < problem.n; ++i) out.push_back(at(i - 1) + 2 * at(i) + at(i + 1));
  return out;
}
Words dot_product(const Words& in, const CorpusProblem& problem) {
  const auto half = in.begin() + problem.n / 2;
  return {std::inner_product(in.begin(), half, half, 0u)};
}
Words histogram(const Words& in, const CorpusProblem&) {
  Words out(64);
  for (const uint32_t word : in) ++out[word % 64];
  return out;
}
Words global_counter(const Words& in, const CorpusProblem&) {
  return {static_cast<uint32_t>(std::count_if(in.begin(), in.end(), [](uint32_t w) { return w % 3 == 0; })),
          *std::max_element(in.begin(), in.end())};
}
Words last_group(const Words& in, const CorpusProblem& problem) {
  Words out = {sum_of(in, 0, in.size()), problem.workgroups};
  for (const uint32_t sum : reduce_wave(in, problem)) out.push_back(sum);
  return out;
}
Words two_groups(const Words& in, const CorpusProblem&) {
  Words out(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const size_t other = i / 256 * 256 + 255 - i % 256;
    out[i] = other % 256 < 128 ? in[other] + 1 : in[other] * 3;
  }
  return out;
}
Words ping_pong_groups(const Words& in, const CorpusProblem&) {
  Words value = in, stored;
  for (int turn = 0; turn < 4; ++turn) {
    stored = value;
    for (size_t i = 0; i < in.size(); ++i) value[i] = value[i] * 3 + stored[i ^ 1];
  }
  for (size_t i = 0; i < in.size(); ++i) value[i] += stored[i ^ 64];
  return value;
}

} // namespace fmha950::corpus_expectations
