#pragma once
// K or V of a request's tokens wherever they are stored:
// in pages, or of append_prefill's chunk by themselves.

#include "interface/tensors.hpp"

namespace fmha950::harness {

enum class Stored : uint8_t { k, v };

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

  const Problem& problem_;
  Tensors& tensors_;
  Stored which_;
};

} // namespace fmha950::harness
