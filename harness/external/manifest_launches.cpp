// The launches of a manifest, with the kernels that they may choose among.
#include "harness/external/manifest_reader.hpp"
#include "interface/error.hpp"
#include "interface/regular_file.hpp"
#include "workload/json_file.hpp"

#include <algorithm>
#include <fmt/ranges.h>

namespace fmha950::harness::external {

const CodeObjectFile& ManifestReader::object(const JsonField& field) {
  const std::string name = field.text();
  auto& known = manifest_.objects[name];
  if (known) return *known;
  const std::filesystem::path folder = folder_of(manifest_.file);
  const std::filesystem::path path = workload::file_inside(folder, field);
  require_inside(folder, path, field);
  require_regular_file(field.path(), path);
  if (std::filesystem::file_size(path) > most_object_bytes) field.refuse("must have at most 256 MiB");
  known = std::make_shared<const CodeObjectFile>(read_code_object_file(path.string()));
  return *known;
}

KernelForm ManifestReader::kernel(const JsonField& field, std::span<const ArgumentForm> arguments,
                                  const std::string& arguments_place) {
  KernelForm form;
  form.when = expression_if(field, "when", known_);
  form.object = field.at("object").text();
  form.symbol = field.at("symbol").text();
  const CodeObjectFile& file = object(field.at("object"));
  const auto found = std::ranges::find(file.kernels, form.symbol, &ForeignKernel::name);
  if (found == file.kernels.end()) {
    std::vector<std::string> names;
    for (const ForeignKernel& each : file.kernels) names.push_back(each.name);
    field.at("symbol").refuse(fmt::format("must be a kernel of {}: {}", form.object, fmt::join(names, ", ")));
  }
  form.kernel = &*found;
  form.variant = manifest_.name + "/" + form.object;
  form.arguments = lay_out_arguments(arguments_place, arguments, *found);
  return form;
}

void ManifestReader::read_launch(const JsonField& field) {
  field.allow({"when", "kernels", "object", "symbol", "grid", "block", "lds", "arguments", "rows"});
  LaunchForm launch;
  launch.place = field.path();
  launch.when = expression_if(field, "when", known_);
  std::vector<ArgumentForm> arguments;
  const JsonField list = field.at("arguments");
  for (const JsonField& each : list.items()) arguments.push_back(argument(each, known_));
  if (field.has("kernels") == field.has("object"))
    field.refuse("must have either kernels or object and symbol");
  if (field.has("object"))
    launch.kernels.push_back(kernel(field, arguments, list.path()));
  else
    for (const JsonField& each : field.at("kernels").items()) {
      each.allow({"when", "object", "symbol"});
      launch.kernels.push_back(kernel(each, arguments, list.path()));
    }
  if (launch.kernels.empty()) field.at("kernels").refuse("must have a kernel");
  if (field.has("object")) launch.kernels.front().when = Expression(); // it is the launch's own
  read_sizes(field.at("grid"), launch.grid);
  read_sizes(field.at("block"), launch.block);
  launch.lds = expression_if(field, "lds", known_);
  read_rows(field.at("rows"), launch);
  manifest_.launches.push_back(std::move(launch));
}

std::vector<const Expression*> RowsForm::all() const {
  std::vector<const Expression*> some;
  for (const Expression* each : {&request, &first, &count, &head, &heads})
    if (!each->empty()) some.push_back(each);
  return some;
}

void ManifestReader::read_sizes(const JsonField& field, std::array<Expression, 3>& sizes) {
  const std::vector<JsonField> items = field.json().is_array() ? field.items() : std::vector{field};
  if (items.empty() || items.size() > 3) field.refuse("must have one to three sizes");
  for (size_t axis = 0; axis < 3; ++axis)
    sizes[axis] = axis < items.size() ? expression(items[axis], known_) : Expression(field.path(), "1");
}

void ManifestReader::read_rows(const JsonField& field, LaunchForm& launch) {
  RowsForm& rows = launch.rows;
  if (field.json().is_string()) {
    if (field.text() != "all") field.refuse("must be \"all\" or an object");
    return;
  }
  KnownNames inner = known_;
  if (field.has("planned")) {
    field.allow({"planned"});
    rows.of = RowsForm::Of::planner;
    rows.list = planned_table(field.at("planned"));
    return;
  }
  field.allow({"list", "planned", "request", "first", "count", "head", "heads",
               "cost"}); // `planned` alone has returned: it is for the message
  if (field.has("list")) {
    rows.of = RowsForm::Of::list;
    rows.list = field.at("list").text();
    const auto found = inside_.find(rows.list);
    if (found == inside_.end()) field.at("list").refuse("must be one of lists");
    inner = found->second;
  } else {
    rows.of = RowsForm::Of::grid;
    for (const char* axis : {"x", "y", "z"}) define_name(axis, field, inner);
  }
  rows.request = expression(field.at("request"), inner);
  rows.first = expression(field.at("first"), inner);
  rows.count = expression(field.at("count"), inner);
  rows.head = expression_if(field, "head", inner);
  rows.heads = expression_if(field, "heads", inner);
  if (rows.head.empty() && !rows.heads.empty())
    field.at("heads").refuse("must stand beside head, the first of them");
  launch.cost = expression_if(field, "cost", inner);
}

} // namespace fmha950::harness::external
