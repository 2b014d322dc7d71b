#include "workload/pool_writer.hpp"

#include "interface/operator.hpp"
#include "numerics/formats.hpp"
#include "numerics/threads.hpp"
#include "workload/poison.hpp"
#include "workload/quantise.hpp"

#include <algorithm>
#include <limits>

namespace fmha950::workload {
namespace {

// Slots of the page that hold values when the problem begins: those of a chunk that is appended do not yet.
int filled_slots(const Problem& problem, const PageUse& use) {
  if (use.request < 0) return use.tokens;
  const Request& request = problem.requests[static_cast<size_t>(use.request)];
  return std::clamp(old_tokens(problem, request) - use.first_token, 0, use.tokens);
}

// One of the two pools while it is written.
class PoolWriter {
 public:
  PoolWriter(const Problem& problem, const PageAssignment& pages, bool is_value, bool power_of_two,
             const PageDescale& page_descale, const Tensor& original, Tensor& pool, Tensor& descale)
      : problem_(problem), pages_(pages), is_value_(is_value), power_of_two_(power_of_two),
        page_descale_(page_descale), original_(original), pool_(pool), descale_(descale) {}

  void write(const std::vector<int32_t>& poisoned_pages) {
    pool_ = Tensor(problem_.kv_type, is_value_ ? v_pool_shape(problem_, pages_.pool_pages)
                                               : k_pool_shape(problem_, pages_.pool_pages));
    make_descales();
    numerics::parallel_for(used_pages(), [&](int64_t i) { write_page(pages_.used[i]); });
    poison_spare_pages(poisoned_pages);
  }

 private:
  int columns() const { return is_value_ ? problem_.value_columns() : problem_.head_dim; }
  int64_t used_pages() const { return static_cast<int64_t>(pages_.used.size()); }
  bool quantised() const {
    return problem_.kv_type == ElementType::fp8 || problem_.kv_type == ElementType::mxfp4;
  }
  bool microscaled() const {
    return problem_.quantisation == Quantisation::mx && (!is_value_ || problem_.page_size % mx_block == 0);
  }

  std::span<const float> original_row(const PageUse& use, int slot, int head) const {
    const int64_t row = (int64_t{use.page} * problem_.page_size + slot) * problem_.kv_heads + head;
    return original_.as<float>().subspan(row * columns(), columns());
  }

  float page_amax(const PageUse& use, int slots, int first_head, int last_head) const {
    float amax = 0;
    for (int slot = 0; slot < slots; ++slot)
      for (int head = first_head; head < last_head; ++head)
        amax = std::max(amax, largest_magnitude(original_row(use, slot, head)));
    return amax;
  }

  float pool_amax(bool filled_alone) const {
    std::vector<float> of_page(pages_.used.size());
    numerics::parallel_for(used_pages(), [&](int64_t i) {
      const PageUse& use = pages_.used[i];
      of_page[i] =
          page_amax(use, filled_alone ? filled_slots(problem_, use) : use.tokens, 0, problem_.kv_heads);
    });
    return largest_magnitude(of_page);
  }

  // A cache has its scale before the chunk is known, so the chunk may saturate.
  float tensor_amax() const {
    const float filled = pool_amax(true);
    return filled > 0 ? filled : pool_amax(false);
  }

  void make_descales() {
    const int64_t pages = pages_.pool_pages, page = problem_.page_size, heads = problem_.kv_heads,
                  d = columns();
    if (problem_.quantisation == Quantisation::none) return;
    if (microscaled()) {
      descale_ = is_value_ ? Tensor(ElementType::e8m0, {pages, page / mx_block, heads, d})
                           : Tensor(ElementType::e8m0, {pages, page, heads, d / mx_block});
    } else if (problem_.quantisation == Quantisation::page) {
      descale_ = Tensor(ElementType::fp32, {pages, heads});
      std::ranges::fill(descale_.as<float>(), std::numeric_limits<float>::quiet_NaN());
    } else {
      descale_ = Tensor(ElementType::fp32, {1});
      descale_.as<float>()[0] = quantised() ? fp8_descale(tensor_amax(), power_of_two_) : 1;
    }
  }

  // Index of the e8m0 scale that a (slot, head, column) of a page belongs to.
  int64_t scale_index(const PageUse& use, int slot, int head, int column) const {
    const int64_t page = use.page, heads = problem_.kv_heads, d = columns();
    return is_value_
               ? ((page * (problem_.page_size / mx_block) + slot / mx_block) * heads + head) * d + column
               : ((page * problem_.page_size + slot) * heads + head) * (d / mx_block) + column / mx_block;
  }

  void fill_scales(const PageUse& use) {
    auto scales = descale_.as<uint8_t>();
    const int slot_step = is_value_ ? mx_block : 1, column_step = is_value_ ? 1 : mx_block;
    for (int slot = 0; slot < problem_.page_size; slot += slot_step)
      for (int head = 0; head < problem_.kv_heads; ++head)
        for (int column = 0; column < columns(); column += column_step) {
          uint8_t scale = numerics::e8m0_nan;
          if (slot < use.tokens) {
            float amax = 0;
            for (int s = slot; s < std::min(slot + slot_step, use.tokens); ++s)
              amax =
                  std::max(amax, largest_magnitude(original_row(use, s, head).subspan(column, column_step)));
            scale = quantised() ? mx_scale(problem_.kv_type, amax) : numerics::e8m0_one;
          }
          scales[scale_index(use, slot, head, column)] = scale;
        }
  }

  float descale_of(const PageUse& use, int slot, int head, int column) const {
    if (problem_.quantisation == Quantisation::none) return 1;
    if (microscaled())
      return numerics::f32_from_e8m0(descale_.as<uint8_t>()[scale_index(use, slot, head, column)]);
    if (problem_.quantisation == Quantisation::page)
      return descale_.as<float>()[int64_t{use.page} * problem_.kv_heads + head];
    return descale_.as<float>()[0];
  }

  int64_t element_index(const PageUse& use, int slot, int head, int column) const {
    return is_value_ ? v_index(problem_, use.page, slot, head, column)
                     : k_index(problem_, use.page, slot, head, column);
  }

  void poison_element(int64_t index) {
    if (problem_.kv_type == ElementType::mxfp4) { // which has no NaN: its largest values
      store(pool_, index, index % 2 != 0 ? 6.0F : -6.0F);
      return;
    }
    const int width = element_bytes(problem_.kv_type);
    const std::byte byte = quantised() ? fp8_poison(index) : poison;
    std::fill_n(pool_.data() + index * width, width, byte);
  }

  void write_page(const PageUse& use) {
    if (microscaled()) fill_scales(use);
    if (problem_.quantisation == Quantisation::page)
      for (int head = 0; head < problem_.kv_heads; ++head)
        descale_.as<float>()[int64_t{use.page} * problem_.kv_heads + head] =
            page_descale_ ? page_descale_(use.page, head, is_value_)
            : quantised() ? fp8_descale(page_amax(use, use.tokens, head, head + 1), power_of_two_)
                          : 1;
    const int filled = filled_slots(problem_, use);
    for (int slot = 0; slot < problem_.page_size; ++slot)
      for (int head = 0; head < problem_.kv_heads; ++head) {
        if (slot >= filled) {
          poison_row(use, slot, head);
          continue;
        }
        const auto row = original_row(use, slot, head);
        for (int column = 0; column < columns(); ++column)
          store(pool_, element_index(use, slot, head, column),
                row[column] / descale_of(use, slot, head, column));
      }
  }

  void poison_row(const PageUse& use, int slot, int head) {
    for (int column = 0; column < columns(); ++column) poison_element(element_index(use, slot, head, column));
  }

  void poison_spare_pages(const std::vector<int32_t>& spare) {
    const int64_t elements = is_value_ ? problem_.value_page_elements() : problem_.page_elements();
    const size_t scale_bytes = microscaled() ? descale_.bytes() / static_cast<size_t>(pages_.pool_pages) : 0;
    for (const int32_t page : spare) {
      for (int64_t i = 0; i < elements; ++i) poison_element(page * elements + i);
      std::fill_n(descale_.data() + static_cast<size_t>(page) * scale_bytes, scale_bytes, poison);
    }
  }

  const Problem& problem_;
  const PageAssignment& pages_;
  bool is_value_, power_of_two_;
  const PageDescale& page_descale_;
  const Tensor& original_;
  Tensor& pool_;
  Tensor& descale_;
};

std::vector<int32_t> pages_to_poison(const Problem& problem, const PageAssignment& pages) {
  std::vector<int32_t> used;
  for (const PageUse& use : pages.used) used.push_back(use.page);
  return unused_to_poison(used, pages.pool_pages, stored_bytes(problem.kv_type, problem.page_elements()));
}

} // namespace

void write_pools(const Problem& problem, const PageAssignment& pages, bool power_of_two,
                 const PageDescale& page_descale, Tensors& tensors) {
  const std::vector<int32_t> poisoned = pages_to_poison(problem, pages);
  PoolWriter(problem, pages, false, power_of_two, page_descale, tensors.k_original, tensors.k_pool,
             tensors.k_descale)
      .write(poisoned);
  PoolWriter(problem, pages, true, power_of_two, page_descale, tensors.v_original, tensors.v_pool,
             tensors.v_descale)
      .write(poisoned);
  tensors.written_pages = poisoned;
  for (const PageUse& use : pages.used) tensors.written_pages.push_back(use.page);
  std::ranges::sort(tensors.written_pages);
}

} // namespace fmha950::workload
