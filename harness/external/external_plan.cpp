#include "harness/external/external_plan.hpp"

#include "harness/cases/case_memory.hpp"
#include "harness/external/case_names.hpp"
#include "harness/external/matrix_types.hpp"
#include "harness/external/planner.hpp"
#include "harness/external/work_list.hpp"
#include "harness/foreign/foreign_run.hpp"
#include "interface/error.hpp"
#include "interface/names.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/ranges.h>
#include <set>

namespace fmha950::harness::external {

namespace {

constexpr int64_t most_grid = INT32_MAX; // of an axis, as the runtime has it

size_t product(const hip::Dim3& of) { // stops at what no launch has
  const uint64_t plane = uint64_t{of.x} * of.y;
  return plane > most_entries ? plane : plane * of.z;
}

hip::Dim3 sizes(const std::array<Expression, 3>& of, const Scope& scope, int64_t most) {
  const auto size = [&](size_t axis) { return static_cast<unsigned>(of[axis].integer(scope, 1, most)); };
  return {size(0), size(1), size(2)};
}

ElementType type_of_p(const std::string& word, const Problem& problem) {
  if (word == "kv") return problem.kv_type;
  if (word == "fp16") return ElementType::fp16;
  return word == "bf16" ? ElementType::bf16 : ElementType::fp8; // fp8 and its forms, mxfp8
}

} // namespace

ExternalPlan::ExternalPlan(const Manifest& manifest, const Problem& problem, const Tensors& host,
                           const DeviceTensors& device)
    : manifest_(manifest), problem_(problem) {
  const std::vector<RequestNames> requests = name_requests(problem, host);
  Scope scope = scope_of(problem, requests);
  name_tensors(problem, host, device, scope);
  know_tensors(host, device);
  plan_tables(host, scope);
  define(manifest.define, scope);
  make_lists(scope);
  judge(scope);
  make_workspace(scope);
  prepare(scope);
  for (const LaunchForm& form : manifest.launches)
    if (form.when.empty() || form.when.truth(scope)) launches_.push_back(made(form, scope));
  require_p();
  finish(device, scope);
  if (manifest.partials) find_partials(scope);
  planned_.clear();
}

void ExternalPlan::take(const std::string& what, double bytes) {
  taken_ += bytes;
  constexpr double one_gib = 1 << 30;
  require_plan_memory(fmt::format("{}: {}, {:.1f} GiB", manifest_.file.string(), what, bytes / one_gib),
                      taken_);
}

void ExternalPlan::know(const void* memory, size_t bytes) {
  known_.push_back({reinterpret_cast<uint64_t>(memory), bytes});
}

// The extent of a pool that shares its allocation is not known here.
void ExternalPlan::know_tensors(const Tensors& host, const DeviceTensors& device) {
  const bool shared = problem_.strided || problem_.interleaved;
  const std::pair<const void*, const Tensor*> all[] = {{device.q, &host.q},
                                                       {shared ? nullptr : device.k_pool, &host.k_pool},
                                                       {shared ? nullptr : device.v_pool, &host.v_pool},
                                                       {device.q_descale, &host.q_descale},
                                                       {device.k_descale, &host.k_descale},
                                                       {device.v_descale, &host.v_descale},
                                                       {device.q_indptr, &host.q_indptr},
                                                       {device.kv_indptr, &host.kv_indptr},
                                                       {device.kv_page_indices, &host.kv_page_indices},
                                                       {device.block_table, &host.block_table},
                                                       {device.seqlen_k, &host.seqlen_k}};
  for (const auto& [memory, tensor] : all)
    if (memory != nullptr) know(memory, tensor->bytes());
}

void ExternalPlan::name_table(const std::string& name, std::span<const std::byte> bytes, size_t length,
                              Scope& scope) {
  take(fmt::format("table {}", name), static_cast<double>(bytes.size()));
  hip::Buffer& buffer = tables_.emplace_back(bytes.size());
  buffer.upload(bytes.data(), bytes.size());
  know(buffer.get(), buffer.bytes());
  scope.names[name] = Pointer{reinterpret_cast<uint64_t>(buffer.get())};
  scope.names[name + ".length"] = static_cast<int64_t>(length);
}

void ExternalPlan::plan_tables(const Tensors& host, Scope& scope) {
  if (manifest_.planner.empty()) return;
  Planned planned = run_planner(manifest_, problem_, host, scope);
  for (const auto& [name, table] : planned.tables)
    name_table(name, table.bytes, table.shape.empty() ? 1 : static_cast<size_t>(table.shape[0]), scope);
  for (const auto& [name, value] : planned.scalars) scope.names[name] = value;
  planned_ = std::move(planned.tables);
}

// Entries are asked for what launches say of them while their names are known.
void ExternalPlan::make_lists(Scope& scope) {
  for (const WorkList& list : manifest_.lists) {
    std::vector<const LaunchForm*> asking;
    std::vector<const Expression*> further;
    for (const LaunchForm& launch : manifest_.launches) {
      if (launch.rows.of != RowsForm::Of::list || launch.rows.list != list.name) continue;
      asking.push_back(&launch);
      for (const Expression* each : launch.rows.all()) further.push_back(each);
      if (!launch.cost.empty()) further.push_back(&launch.cost);
    }
    const MadeList made = make_list(list, scope, further);
    name_table(list.name, made.bytes, made.length, scope);
    if (manifest_.partials && manifest_.partials->table == list.name)
      planned_[list.name] = {Element::int32, {static_cast<int64_t>(made.length), weight_columns}, made.bytes};
    const Value* value = made.further.data();
    for (size_t i = 0; i < made.length; ++i)
      for (const LaunchForm* launch : asking) {
        const size_t asked = launch->rows.all().size();
        listed_rows_[launch].push_back(rows_of(i, launch->rows, {value, asked}));
        value += asked;
        if (!launch->cost.empty()) listed_costs_[launch].push_back(cost_of(launch->cost, *value++));
      }
  }
}

void ExternalPlan::make_workspace(Scope& scope) {
  for (const WorkspaceForm& form : manifest_.workspace) {
    constexpr int64_t most = int64_t{1} << 40;
    const int64_t bytes = form.bytes.integer(scope, 0, most);
    take("workspace." + form.name, static_cast<double>(bytes));
    Workspace& space = workspace_.emplace_back();
    space.buffer = hip::Buffer(static_cast<size_t>(bytes));
    space.zero = form.zero;
    know(space.buffer.get(), space.buffer.bytes());
    scope.names[form.name] = Pointer{reinterpret_cast<uint64_t>(space.buffer.get())};
  }
}

std::function<void(double)> ExternalPlan::taking(const ConversionForm& form) {
  return [this, &form](double bytes) { take("conversion " + form.name, bytes); };
}

void ExternalPlan::add_conversion(Conversion conversion) {
  Launch& launch = launches_.emplace_back();
  launch.kernel = conversion.kernel;
  launch.described = conversion.kernel.name;
  launch.grid = conversion.grid;
  launch.block = {conversion_threads, 1, 1};
  launch.arguments = conversion.arguments;
  conversions_.push_back(std::move(conversion));
}

void ExternalPlan::prepare(Scope& scope) {
  for (const ConversionForm& form : manifest_.prepare) {
    Conversion conversion = make_conversion(form, problem_, scope, known_, nullptr, taking(form));
    know(conversion.made.get(), conversion.made.bytes());
    scope.names[form.name] = Pointer{reinterpret_cast<uint64_t>(conversion.made.get())};
    add_conversion(std::move(conversion));
  }
}

void ExternalPlan::finish(const DeviceTensors& device, const Scope& scope) {
  for (const ConversionForm& form : manifest_.finish) {
    void* const to = form.name == "lse" ? device.lse : device.output;
    if (to != nullptr) add_conversion(make_conversion(form, problem_, scope, known_, to, taking(form)));
  }
}

void ExternalPlan::judge(const Scope& scope) {
  const Judged& judged = manifest_.judged;
  rounding_.type = type_of_p(judged.p, problem_);
  const bool weighted = !judged.weighted.empty() && judged.weighted.truth(scope);
  rounding_.weighted = rounding_.unit_follows = weighted;
  rounding_.sum_rounded = judged.sum_rounded;
  if (!judged.shift.empty()) rounding_.shift = static_cast<float>(judged.shift.integer(scope, 0, 16));
  // Of each 32 keys the largest P becomes as large as that of the row's becomes by 2^8: as exact as fp8 so lifted, or more.
  constexpr float largest_shift = 8;
  if (judged.p == "mxfp8") rounding_.shift = largest_shift;
  const bool lifted = rounding_.shift > 0;
  if (judged.p == "fp8-unlifted" ? lifted : judged.p == "fp8" && !lifted)
    throw InvalidInput(manifest_.file.string() + ": judged.p_shift", fmt::format("{}", rounding_.shift),
                       lifted ? "must be 0 with p = fp8-unlifted"
                              : "must be above 0 with p = fp8: fp8-unlifted is not lifted");
  rounding_.linear = judged.p == "fp8-linear";
  if (rounding_.linear && !lifted)
    throw InvalidInput(manifest_.file.string() + ": judged.p_shift", "0",
                       "must be above 0 with p = fp8-linear, whose P below 2^-6 is not right");
  if (rounding_.linear && problem_.sink_logit)
    throw InvalidInput(
        "sinklogit", "1",
        "must be 0 with judged.p = fp8-linear: the mean error of such a P does not cancel against a sink");
  if (rounding_.linear && problem_.lse)
    throw InvalidInput(
        "lse", "1", "must be 0 with judged.p = fp8-linear: the mean error of such a P does not cancel in it");
  constexpr int64_t most_tile = 1 << 20;
  tile_.rows = static_cast<int>(judged.tile_rows.integer(scope, 1, most_tile));
  tile_.keys = static_cast<int>(judged.tile_keys.integer(scope, 1, most_tile));
}

// The kernels must be able to multiply V by such a P, and by none that is rounded less: else the allowance would be one that
// they need not earn. V is multiplied by what loops carry; where that is not told, by whatever they multiply.
void ExternalPlan::require_p() const {
  if (hip::api().FileCoverage == nullptr) return; // a GPU does not tell
  const auto launches_kernel = [](const Launch& launch) { return launch.form != nullptr; };
  if (std::ranges::none_of(launches_, launches_kernel)) return; // a case without queries
  MatrixTypes types;
  for (const Launch& launch : launches_) {
    if (launch.form == nullptr) continue;
    const MatrixTypes of = matrix_types(launch.variant, launch.kernel.name);
    types.all.insert(of.all.begin(), of.all.end());
    types.carried.insert(of.carried.begin(), of.carried.end());
  }
  const std::set<std::string>& multiplied = types.carried.empty() ? types.all : types.carried;
  const char* const what = types.carried.empty() ? "" : " and add up over their loops";
  const std::string place = manifest_.file.string() + ": judged.p";
  const std::string type = manifest_.judged.p == "mxfp8" ? "mxfp8" : std::string(name_of(rounding_.type));
  const bool narrow = type == "fp8" || type == "mxfp8";
  if (multiplied.empty()) {
    if (narrow)
      throw InvalidInput(
          place, type,
          "must be bf16 or fp16: the kernels have no matrix instructions, which alone want 8 bits");
    return;
  }
  const bool takes =
      (type != "mxfp8" && multiplied.contains(type)) || (narrow && multiplied.contains("f8f6f4"));
  if (!takes)
    throw InvalidInput(place, type,
                       fmt::format("must be a type that the kernels' matrix instructions take{}: {}", what,
                                   fmt::join(multiplied, ", ")));
  for (const char* finer : {"fp16", "bf16"}) {
    if (type == finer) break;
    if (multiplied.contains(finer))
      throw InvalidInput(place, type,
                         fmt::format("must be {}, the finest of the types that the kernels multiply{}: {}",
                                     finer, what, fmt::join(multiplied, ", ")));
  }
}

int ExternalPlan::query_tile() const { return std::max(1, tile_.rows / problem_.heads_per_kv_head()); }

ExternalPlan::Launch ExternalPlan::made(const LaunchForm& form, const Scope& scope) {
  const auto chosen = std::ranges::find_if(form.kernels, [&](const KernelForm& kernel) {
    return kernel.when.empty() || kernel.when.truth(scope);
  });
  if (chosen == form.kernels.end())
    throw InvalidInput(form.place + ".kernels", "none", "must have one whose `when` holds for this case");
  Launch launch;
  launch.form = &form;
  launch.variant = chosen->variant;
  launch.described = chosen->object + "/" + chosen->symbol;
  launch.kernel = hip::load_kernel(chosen->variant, chosen->symbol);
  launch.grid = sizes(form.grid, scope, most_grid);
  launch.block = sizes(form.block, scope, 1024);
  launch.lds = form.lds.empty() ? 0 : static_cast<unsigned>(form.lds.integer(scope, 0, 1 << 20));
  if (product(launch.grid) > most_entries)
    throw InvalidInput(form.place + ".grid",
                       fmt::format("{} x {} x {} workgroups", launch.grid.x, launch.grid.y, launch.grid.z),
                       fmt::format("must be at most {}", most_entries));
  require_fits({launch.grid, launch.block, launch.lds}, *chosen->kernel,
               {form.place + ".block", form.place + ".lds"});
  launch.arguments.resize(chosen->arguments.bytes);
  chosen->arguments.encode(scope, launch.arguments);
  find_rows(launch, scope);
  return launch;
}

std::string ExternalPlan::variant() const {
  std::vector<std::string> names;
  for (const Launch& launch : launches_) names.push_back(launch.described);
  return fmt::format("{}", fmt::join(names, "+"));
}

size_t ExternalPlan::workspace_bytes() const {
  size_t bytes = 0;
  for (const hip::Buffer& table : tables_) bytes += table.bytes();
  for (const Workspace& space : workspace_) bytes += space.buffer.bytes();
  for (const Conversion& conversion : conversions_)
    bytes += conversion.made.bytes() + conversion.table.bytes();
  return bytes;
}

void ExternalPlan::enqueue(hip::Stream stream) { launch_all(stream, nullptr); }

void ExternalPlan::enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) {
  launch_all(stream, &only);
}

void ExternalPlan::launch_all(hip::Stream stream, const std::vector<LaunchWorkgroups>* only) {
  // In the null stream, which waits for the others and they for it: there are no streams but blocking ones (hip::Api).
  for (Workspace& space : workspace_)
    if (space.zero) space.buffer.fill(0);
  for (size_t i = 0; i < launches_.size(); ++i) {
    const Launch& launch = launches_[i];
    hip::launch(launch.kernel, launch.grid, launch.block, launch.arguments.data(), launch.arguments.size(),
                stream, only ? &only->at(i).workgroups : nullptr, launch.lds, launch.cost);
  }
}

} // namespace fmha950::harness::external
