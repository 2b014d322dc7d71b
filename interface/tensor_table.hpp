#pragma once
// The tensors of an operator by name. One table serves case folders, the upload to the device, the checks of device
// pointers, and what asks for unquantised inputs.

#include "interface/device_tensors.hpp"
#include "interface/tensors.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>

namespace fmha950 {

// Pages or rows. Only some of them hold anything, so large stores are uploaded in part. All tensors of a store have an
// entry for each page or row, outermost.
struct TensorStore {
  int64_t (*entries)(const Tensors& tensors);
  size_t (*bytes)(const Tensors& tensors); // by which it counts as large
  // Entries that hold anything; empty: unknown.
  const std::vector<int32_t>& (*written)(const Tensors& tensors);
  std::vector<int32_t> (*named)(const Problem& problem, const Tensors& tensors); // by tables or lists
};

// Where kernels find a tensor: a member of DeviceTensors.
struct DevicePlace {
  const void* (*get)(const DeviceTensors& device) = nullptr; // null: the tensor stays on the host
  void (*set)(DeviceTensors& device, const void* pointer) = nullptr;
  bool (*needed)(const Problem& problem) = nullptr; // no null pointer then
  unsigned (*alignment)(const Problem& problem) = nullptr;
};

enum class TensorRole : uint8_t {
  input,
  written, // by the call, too: the cache of append_prefill
  original // an unquantised input, for the split of the error
};

struct TensorEntry {
  std::string_view name; // in the manifest, and of its file
  Tensor& (*of)(Tensors& tensors);
  bool (*in_folder)(const Problem& problem); // a folder must have it
  DevicePlace device = {};
  const TensorStore* store = nullptr; // that it is a part of
  TensorRole role = TensorRole::input;
  std::string_view field = {}; // its name in messages, if another

  std::string_view text() const { return field.empty() ? name : field; }
};

// What tables are written with.
namespace tensor_table {

inline bool always(const Problem&) { return true; }
inline bool optional(const Problem&) { return false; }
inline unsigned of_vectors(const Problem&) { return 16; } // kernels load or store whole vectors
inline unsigned of_elements(const Problem&) { return 4; }

inline bool has_queries(const Problem& problem) { return problem.total_queries() > 0; }
inline bool has_keys(const Problem& problem) { return problem.max_key_length() > 0; }
inline bool has_sink_logit(const Problem& problem) { return problem.sink_logit; }

template <Tensor Tensors::* Member> Tensor& in(Tensors& tensors) { return tensors.*Member; }

// `At`: a member of DeviceTensors, or a function from them to a reference to the pointer.
template <auto At>
constexpr DevicePlace place(bool (*needed)(const Problem&), unsigned (*alignment)(const Problem&)) {
  return {[](const DeviceTensors& device) -> const void* {
            return std::invoke(At, const_cast<DeviceTensors&>(device));
          },
          [](DeviceTensors& device, const void* pointer) {
            auto& place = std::invoke(At, device);
            place = static_cast<std::remove_reference_t<decltype(place)>>(const_cast<void*>(pointer));
          },
          needed, alignment};
}

} // namespace tensor_table
} // namespace fmha950
