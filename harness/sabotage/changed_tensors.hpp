#pragma once
// Tensors of a problem in a form that can be changed: page tables as lists, K and V by request and token.

#include "interface/tensors.hpp"

#include <cstdint>
#include <set>
#include <vector>

namespace fmha950::harness {

Tensor copy_of(const Tensor& tensor);

// Page tables as lists that can be changed and put back, whichever form the problem's tables have.
// Page ids of each request, in the order of its tokens.
std::vector<std::vector<int32_t>> page_lists(const Problem& problem, const Tensors& tensors);
// Pages that a request has filled: the rest of a last page is poison, which anybody sees. Not those that the call writes to.
int full_pages(const Problem& problem, int request); // the first of its list
std::set<int32_t> full_pages(const Problem& problem, const Tensors& tensors);
// Makes the tables anew, for the problem's lengths.
void set_page_lists(const Problem& problem, const std::vector<std::vector<int32_t>>& lists, Tensors& tensors);

enum class Stored : uint8_t { k, v };

// K or V of a request's tokens wherever they are stored: in pages, or in the chunk that the call stores.
class StoredKeys {
 public:
  // Writes to copies of its own.
  StoredKeys(const Problem& problem, Tensors& tensors, Stored which);

  // Whether both tokens are stored in the same tensor.
  bool alike(int request, int token, int other) const;
  void scale(int request, int token, int kv_head, float factor); // rounded to the stored type
  void copy(int request, int from, int from_head, int to, int to_head);

 private:
  struct Place {
    Tensor* tensor;
    int64_t index;
  };
  Place place(int request, int token, int kv_head, int column);
  bool in_chunk(int request, int token) const;
  int columns() const { return which_ == Stored::k ? problem_.head_dim : problem_.value_columns(); }
  Tensor* chunk(); // null: the operator has none

  const Problem& problem_;
  Tensors& tensors_;
  Stored which_;
};

} // namespace fmha950::harness
