#pragma once
// One case planned by a manifest: names evaluated, lists made, launches laid out.

#include "harness/external/manifest.hpp"
#include "harness/foreign/array.hpp"
#include "interface/implementation.hpp"

#include <functional>
#include <map>
#include <vector>

namespace fmha950::harness::external {

class ExternalPlan final : public Plan {
 public:
  // The inputs are valid. Throws InvalidInput that names file, key and column, DeviceError for an object that does not load.
  ExternalPlan(const Manifest& manifest, const Problem& problem, const Tensors& host,
               const DeviceTensors& device);

  std::string variant() const override;
  size_t workspace_bytes() const override;
  ProbabilityRounding probability_rounding() const override { return rounding_; }
  int query_tile() const override;
  TileShape score_tile() const override { return tile_; }
  bool deterministic() const override { return manifest_.deterministic; }
  std::vector<PartialWeight> partial_weights(const std::vector<QueryRow>& rows) const override;
  std::vector<LaunchWorkgroups> workgroups_for(const std::vector<QueryRow>& rows) const override;
  void enqueue(hip::Stream stream) override;
  void enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) override;

 private:
  struct WorkgroupRows { // queries [first, first + count) of a request, and of some heads
    int64_t workgroup = 0, request = 0, first = 0, count = 0;
    int64_t head = 0, heads = 0; // 0: of every head
  };
  struct Launch {
    const LaunchForm* form = nullptr; // null: a conversion
    hip::Kernel kernel;
    std::string variant, described; // of the code object; with the symbol
    hip::Dim3 grid, block;
    unsigned lds = 0;
    std::vector<std::byte> arguments;
    std::vector<WorkgroupRows> rows; // a workgroup may stand in several; none where each may compute any row
    std::vector<uint32_t> cost;
    size_t workgroups() const { return size_t{grid.x} * grid.y * grid.z; }
  };
  struct Workspace {
    hip::Buffer buffer;
    bool zero = false;
  };

  // `values`: of RowsForm::all().
  static WorkgroupRows rows_of(size_t workgroup, const RowsForm& form, std::span<const Value> values);
  static int64_t integer_of(const Expression& expression, const Value& value);
  static uint32_t cost_of(const Expression& expression, const Value& value);
  void take(const std::string& what, double bytes); // throws NotEnoughMemory before it is allocated
  std::function<void(double)> taking(const ConversionForm& form);
  void know(const void* memory, size_t bytes);
  void know_tensors(const Tensors& host, const DeviceTensors& device);
  void plan_tables(const Tensors& host, Scope& scope);
  void make_lists(Scope& scope);
  void name_table(const std::string& name, std::span<const std::byte> bytes, size_t length, Scope& scope);
  void make_workspace(Scope& scope);
  void prepare(Scope& scope);
  void finish(const DeviceTensors& device, const Scope& scope);
  void add_conversion(Conversion conversion);
  void find_partials(const Scope& scope);
  int64_t floats_from(uint64_t address) const;
  void judge(const Scope& scope);
  void require_p() const;
  Launch made(const LaunchForm& form, const Scope& scope);
  void require_rows(const Launch& launch) const;
  void require_heads(const Launch& launch) const;
  void find_rows(Launch& launch, const Scope& scope);
  void rows_of_grid(Launch& launch, const Scope& scope) const;
  void launch_all(hip::Stream stream, const std::vector<LaunchWorkgroups>* only);

  const Manifest& manifest_;
  const Problem problem_;
  double taken_ = 0;               // bytes of all below
  std::vector<KnownMemory> known_; // what conversions may read
  std::vector<hip::Buffer> tables_;
  std::vector<Workspace> workspace_;
  std::vector<Conversion> conversions_; // their buffers
  std::vector<Launch> launches_;
  // Of launches whose workgroups a work list or a table of the planner describes.
  std::map<const LaunchForm*, std::vector<WorkgroupRows>> listed_rows_;
  std::map<const LaunchForm*, std::vector<uint32_t>> listed_costs_;
  std::vector<PartialWeight> partials_;
  std::map<std::string, Array> planned_; // the planner's tables, until the plan is made
  ProbabilityRounding rounding_;
  TileShape tile_;
};

} // namespace fmha950::harness::external
