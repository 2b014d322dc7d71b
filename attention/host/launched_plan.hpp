#pragma once
// A plan as a list of launches. A plan adds them in their order while it is made; this base enqueues them,
// whole or restricted to the workgroups that some rows need.

#include "interface/hip.hpp"
#include "interface/implementation.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

namespace fmha950::attention {

class LaunchedPlan : public Plan {
 public:
  LaunchedPlan() = default;
  LaunchedPlan(const LaunchedPlan&) = delete; // launches may ask the plan which workgroups they need
  LaunchedPlan& operator=(const LaunchedPlan&) = delete;

  std::vector<LaunchWorkgroups> workgroups_for(const std::vector<QueryRow>& rows) const final;
  void enqueue(hip::Stream stream) final;
  void enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) final;

 protected:
  // The workgroups of a launch that the rows depend on: linear ids, x fastest.
  using Needed = std::function<std::vector<uint32_t>(const std::vector<QueryRow>& rows)>;

  // A grid without workgroups is fine: nothing is launched. `work` as in LaunchWorkgroups.
  template <class Arguments>
  void add_launch(hip::Kernel kernel, hip::Dim3 grid, unsigned threads, const Arguments& arguments,
                  Needed needed, std::vector<uint32_t> work = {}) {
    static_assert(std::is_trivially_copyable_v<Arguments>, "a kernel gets its arguments as bytes");
    std::vector<std::byte> bytes(sizeof arguments);
    std::memcpy(bytes.data(), &arguments, sizeof arguments);
    launches_.push_back(
        {std::move(kernel), grid, threads, std::move(bytes), std::move(needed), std::move(work)});
  }

 private:
  struct Launch {
    hip::Kernel kernel;
    hip::Dim3 grid;
    unsigned threads; // of a workgroup
    std::vector<std::byte> arguments;
    Needed needed;
    std::vector<uint32_t> work; // of each workgroup
  };

  void launch_all(hip::Stream stream, const std::vector<LaunchWorkgroups>* only) const;

  std::vector<Launch> launches_;
};

} // namespace fmha950::attention
