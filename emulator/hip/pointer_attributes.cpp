// What is known of a pointer.
#include "emulator/hip/memory.hpp"

namespace fmha950::hip {
namespace {

// Values of HIP 6 and later; HIP 5 had host 0, device 1.
enum MemoryType : int { unregistered = 0, host = 1, device = 2, managed = 3 };

struct PointerAttributes { // hipPointerAttribute_t
  int type, device_ordinal;
  void *device_pointer, *host_pointer;
  int is_managed;
  unsigned flags;
};

// hipPointer_attribute of hip_runtime_api.h.
enum PointerQuery : int {
  query_type = 2,
  query_device_pointer = 3,
  query_host_pointer = 4,
  query_is_managed = 8,
  query_device_ordinal = 9,
  query_range_start = 11,
  query_range_size = 12
};

PointerAttributes attributes_of(const void* pointer) {
  const auto allocation = Memory::get().find(pointer);
  if (!allocation) return {unregistered, -2, nullptr, nullptr, 0, 0};
  void* address = const_cast<void*>(pointer);
  const bool is_device = allocation->kind == MemoryKind::device;
  const bool is_managed = allocation->kind == MemoryKind::managed;
  const int type = is_device ? device : is_managed ? managed : host;
  return {type, 0, address, is_device ? nullptr : address, is_managed, allocation->flags};
}

template <class T> void write(void* data, T value) { *static_cast<T*>(data) = value; }

} // namespace

FMHA950_HIP_API hipError_t hipPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return call([&] {
    require(attributes && pointer, hipErrorInvalidValue, "attributes or ptr is null");
    *attributes = attributes_of(pointer);
  });
}

FMHA950_HIP_API hipError_t hipPointerGetAttribute(void* data, int attribute, void* pointer) {
  return call([&] {
    require(data && pointer, hipErrorInvalidValue, "data or ptr is null");
    const auto allocation = Memory::get().find(pointer);
    require(allocation.has_value(), hipErrorInvalidValue, "ptr is in no allocation made through HIP");
    const PointerAttributes attributes = attributes_of(pointer);
    switch (attribute) {
    case query_type: return write(data, static_cast<unsigned>(attributes.type));
    case query_device_pointer: return write(data, attributes.device_pointer);
    case query_host_pointer: return write(data, attributes.host_pointer);
    case query_is_managed: return write(data, attributes.is_managed);
    case query_device_ordinal: return write(data, attributes.device_ordinal);
    case query_range_start: return write(data, allocation->begin);
    case query_range_size: return write(data, static_cast<size_t>(allocation->bytes));
    default: throw CallError(hipErrorInvalidValue, fmt::format("pointer attribute {} is unknown", attribute));
    }
  });
}

FMHA950_HIP_API hipError_t hipMemGetAddressRange(void** base, size_t* bytes, void* pointer) {
  return call([&] {
    const auto allocation = Memory::get().find(pointer);
    require(allocation.has_value(), hipErrorNotFound, "dptr is in no allocation made through HIP");
    if (base) *base = reinterpret_cast<void*>(allocation->begin);
    if (bytes) *bytes = allocation->bytes;
  });
}

} // namespace fmha950::hip
