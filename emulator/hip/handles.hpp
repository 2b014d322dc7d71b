#pragma once
// Objects behind HIP's opaque handles. A stale or foreign handle is an error, never a crash.

#include "emulator/hip/runtime.hpp"

#include <memory>
#include <unordered_map>

namespace fmha950::hip {

template <class Object> class Handles {
 public:
  Object* add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    Object* handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  // `what` names the kind of handle in the error text.
  Object& get(Object* handle, const char* what) { return *share(handle, what); }
  // Likewise, of what another thread may destroy meanwhile.
  std::shared_ptr<Object> share(Object* handle, const char* what) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) throw CallError(hipErrorInvalidHandle, describe(handle, what));
    return found->second;
  }
  void remove(Object* handle, const char* what) {
    std::shared_ptr<Object> object; // destroyed outside the lock
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) throw CallError(hipErrorInvalidHandle, describe(handle, what));
    object = std::move(found->second);
    objects_.erase(found);
  }
  void clear() {
    std::unordered_map<Object*, std::shared_ptr<Object>> objects;
    const std::lock_guard lock(mutex_);
    objects_.swap(objects);
  }

 private:
  static std::string describe(const void* handle, const char* what) {
    return fmt::format("{} = {}: not a live {}", what, handle, what);
  }
  std::mutex mutex_;
  std::unordered_map<Object*, std::shared_ptr<Object>> objects_;
};

} // namespace fmha950::hip
