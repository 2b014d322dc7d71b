// From the JSON of a manifest to its parts, with every name and every type checked.
#include "harness/external/case_names.hpp"
#include "harness/external/manifest_reader.hpp"
#include "harness/record/digest.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/regular_file.hpp"
#include "workload/json_file.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/ranges.h>
#include <fstream>

namespace fmha950::harness::external {

bool is_manifest_name(std::string_view text) {
  const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  const auto fits = [&](char c) { return is_letter(c) || c == '_' || (c >= '0' && c <= '9'); };
  return !text.empty() && text.size() <= 64 && (is_letter(text[0]) || text[0] == '_') &&
         std::ranges::all_of(text, fits);
}

void KnownNames::add_request(const std::string& loop) {
  add(loop);
  for (const std::string& field : request_fields()) add(loop + '.' + field);
}

void KnownNames::add_table(const std::string& name) {
  add(name);
  add(name + ".length");
}

void KnownNames::require(const Expression& expression) const {
  for (const NamedPlace& used : expression.names())
    if (!has(used.name))
      expression.fail(used.column, used.name, fmt::format("must be one of {}", fmt::join(names_, ", ")));
  for (const NamedPlace& used : expression.request_fields())
    if (std::ranges::find(fields_, used.name) == fields_.end())
      expression.fail(used.column, used.name,
                      fmt::format("must be what requests have: {}", fmt::join(fields_, ", ")));
}

namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

} // namespace

void require_inside(const std::filesystem::path& folder, const std::filesystem::path& path,
                    const JsonField& field) {
  std::error_code error;
  const auto end = std::filesystem::canonical(path, error);
  if (error) field.refuse("must be a file in " + folder.string());
  const auto relative = end.lexically_relative(std::filesystem::canonical(folder));
  if (relative.empty() || *relative.begin() == "..")
    field.refuse("must lie in the folder: it is a link out of it");
}

ManifestReader::ManifestReader(const std::filesystem::path& file, const JsonField& root)
    : root_(root), known_(tensor_names()) {
  manifest_.file = file;
}

Manifest ManifestReader::read() {
  root_.allow({"schema", "name", "description", "operator", "needs", "define", "planner", "planned", "lists",
               "workspace", "prepare", "launches", "finish", "partials", "judged", "mutants", "deterministic",
               "$schema"});
  if (const JsonField schema = root_.at("schema"); schema.json() != manifest_schema)
    schema.refuse(
        fmt::format("must be {}, the version of manifests that this program reads", manifest_schema));
  read_name();
  if (const JsonField op = root_.at("operator"); op.text() != "batch_prefill")
    op.refuse("must be batch_prefill, the operator that this edition has manifests for");
  read_needs();
  read_planner();
  if (root_.has("define")) manifest_.define = definitions(root_.at("define"), known_);
  if (root_.has("lists"))
    for (const auto& [name, field] : root_.at("lists").members()) read_list(name, field);
  if (root_.has("workspace"))
    for (const auto& [name, field] : root_.at("workspace").members()) read_workspace(name, field);
  if (root_.has("prepare"))
    for (const JsonField& conversion : root_.at("prepare").items()) read_prepare(conversion);
  for (const JsonField& launch : root_.at("launches").items()) read_launch(launch);
  if (manifest_.launches.empty()) root_.at("launches").refuse("must have a launch");
  if (root_.has("finish"))
    for (const JsonField& conversion : root_.at("finish").items()) read_finish(conversion);
  if (root_.has("partials")) read_partials(root_.at("partials"));
  read_judged(root_.at("judged"));
  if (root_.has("deterministic")) manifest_.deterministic = root_.at("deterministic").yes();
  if (root_.has("mutants"))
    for (const JsonField& each : root_.at("mutants").items()) read_mutants(each);
  manifest_.used_names.assign(used_.begin(), used_.end());
  return std::move(manifest_);
}

Expression ManifestReader::checked(Expression expression, const KnownNames& known) {
  known.require(expression);
  for (const NamedPlace& name : expression.names()) used_.insert(name.name);
  return expression;
}
Expression ManifestReader::expression(const JsonField& field, const KnownNames& known) {
  if (!field.json().is_string() && !field.json().is_number() && !field.json().is_boolean())
    field.refuse("must be an expression: a text, a number, true or false");
  return checked(Expression(field.path(), field.json().is_string() ? field.text() : field.json().dump()),
                 known);
}
Expression ManifestReader::expression_if(const JsonField& owner, const char* key, const KnownNames& known) {
  return owner.has(key) ? expression(owner.at(key), known) : Expression();
}

void ManifestReader::define_name(const std::string& name, const JsonField& at, KnownNames& known) {
  if (!is_manifest_name(name))
    throw InvalidInput(at.path(), name, "must be a name of letters, digits and _, at most 64");
  if (is_word_of_expressions(name))
    throw InvalidInput(at.path(), name, "must be another name: expressions have this word");
  if (known.has(name) || name == "requests")
    throw InvalidInput(at.path(), name, "must be a new name: this one has a meaning already");
  known.add(name);
}

// In the order of the file would be best, but the parser sorts keys: an array of one-key objects keeps it.
Definitions ManifestReader::definitions(const JsonField& field, KnownNames& known) {
  Definitions all;
  for (const JsonField& item : field.items()) {
    const auto members = item.members();
    if (members.size() != 1) item.refuse("must have one key, the name that is defined");
    all.emplace_back(members[0].first, expression(members[0].second, known));
    define_name(members[0].first, item, known);
  }
  return all;
}

void ManifestReader::read_name() {
  const JsonField name = root_.at("name");
  if (!is_manifest_name(name.text())) name.refuse("must be a name of letters, digits and _, at most 64");
  manifest_.name = std::string(external_prefix) + name.text();
  manifest_.description = root_.has("description") ? root_.at("description").text() : manifest_.file.string();
  if (std::ranges::any_of(manifest_.description, [](char c) { return (c & 0xe0) == 0 || c == 0x7f; }))
    root_.at("description").refuse("must be one line without control characters");
}

void ManifestReader::read_needs() {
  const KnownNames of_case(case_names(), request_fields_of_case());
  const JsonField needs = root_.at("needs");
  const std::vector<JsonField> all = needs.json().is_array() ? needs.items() : std::vector{needs};
  for (const JsonField& each : all)
    for (Expression& term : expression(each, of_case).terms()) manifest_.needs.push_back(std::move(term));
}

void ManifestReader::read_planner() {
  if (!root_.has("planner")) {
    if (root_.has("planned")) root_.at("planned").refuse("must be there only with a planner");
    return;
  }
  for (const JsonField& word : root_.at("planner").items()) {
    require_planner_word(word, manifest_.planner.empty());
    manifest_.planner.push_back(word.text());
  }
  if (manifest_.planner.empty()) root_.at("planner").refuse("must name a program");
  const JsonField planned = root_.at("planned");
  planned.allow({"tables", "scalars"});
  for (const char* const kind : {"tables", "scalars"}) {
    if (!planned.has(kind)) continue;
    for (const JsonField& name : planned.at(kind).items()) {
      define_name(name.text(), name, known_);
      if (std::string_view(kind) == "tables") {
        known_.add_table(name.text());
        tables_.insert(name.text());
      }
      (std::string_view(kind) == "tables" ? manifest_.planned_tables : manifest_.planned_scalars)
          .push_back(name.text());
    }
  }
}

// The first is a program, an interpreter of the machine's too; the others are options, or files of the folder.
void ManifestReader::require_planner_word(const JsonField& word, bool first) const {
  const std::filesystem::path path = word.text();
  if (path.empty() || word.text().find('\0') != std::string::npos) word.refuse("must be a word");
  if ((path.is_absolute() && !first) || std::ranges::find(path, "..") != path.end())
    word.refuse("must be an option or a file of the folder");
  if (path.is_absolute()) return;
  const std::filesystem::path folder = folder_of(manifest_.file);
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(folder / path, error))) return;
  require_inside(folder, folder / path, word);
  require_regular_file(word.path(), folder / path);
}

// ["r in requests", "h in kv_heads", "t in 1 .. ceil_div(r.query_length * group, 128)"]
void ManifestReader::read_loops(const JsonField& field, WorkList& list, KnownNames& known) {
  for (const JsonField& item : field.items()) {
    const std::string text = item.text();
    const size_t in = text.find(" in ");
    if (in == text.npos)
      item.refuse("must be NAME in requests, NAME in EXPRESSION or NAME in EXPRESSION .. EXPRESSION");
    Loop loop;
    loop.place = item.path();
    loop.name = text.substr(0, in);
    const std::string over = text.substr(in + 4);
    if (trimmed(over) == "requests") {
      loop.over_requests = true;
      define_name(loop.name, item, known);
      known.add_request(loop.name);
    } else {
      const size_t dots = over.find("..");
      const size_t end = dots == over.npos ? 0 : dots + 2;
      if (dots != over.npos)
        loop.first = checked(Expression(item.path(), over.substr(0, dots), in + 5), known);
      loop.end = checked(Expression(item.path(), over.substr(end), in + 5 + end), known);
      define_name(loop.name, item, known);
    }
    list.loops.push_back(std::move(loop));
  }
  if (list.loops.empty()) field.refuse("must have a loop");
  if (list.loops.size() > 8) field.refuse("must have at most 8 loops");
}

ArgumentForm ManifestReader::argument(const JsonField& field, const KnownNames& known) {
  ArgumentForm form = read_argument(field);
  require(form, known);
  return form;
}
void ManifestReader::require(const ArgumentForm& form, const KnownNames& known) {
  if (!form.value.empty()) checked(form.value, known);
  for (const ArgumentForm& inner : form.fields) require(inner, known);
}

void ManifestReader::read_list(const std::string& name, const JsonField& field) {
  field.allow({"for", "define", "where", "order", "entry"});
  WorkList list;
  list.place = field.path();
  list.name = name;
  KnownNames inner = known_;
  read_loops(field.at("for"), list, inner);
  if (field.has("define")) list.define = definitions(field.at("define"), inner);
  list.where = expression_if(field, "where", inner);
  list.order = expression_if(field, "order", inner);
  std::vector<ArgumentForm> entry;
  for (const JsonField& each : field.at("entry").items()) entry.push_back(argument(each, inner));
  if (entry.empty()) field.at("entry").refuse("must have a field");
  list.entry = lay_out_fields(entry);
  list.stride = struct_bytes_of(entry);
  define_name(name, field, known_);
  known_.add_table(name);
  inside_.emplace(name, std::move(inner));
  manifest_.lists.push_back(std::move(list));
}

void ManifestReader::read_workspace(const std::string& name, const JsonField& field) {
  field.allow({"bytes", "zero"});
  WorkspaceForm form{.name = name, .bytes = expression(field.at("bytes"), known_)};
  if (field.has("zero")) form.zero = field.at("zero").yes();
  define_name(name, field, known_);
  manifest_.workspace.push_back(std::move(form));
}

const std::string& ManifestReader::planned_table(const JsonField& field) const {
  const auto found = tables_.find(field.text());
  if (found == tables_.end()) field.refuse("must be one of the planner's tables");
  return *found;
}

namespace {

// Whether a list's entries are rows of a table of integers.
bool is_table(const ArgumentLayout& entry, size_t stride, size_t columns) {
  return entry.values.size() == columns && stride == columns * sizeof(int32_t) &&
         std::ranges::all_of(entry.values,
                             [](const PlacedValue& value) { return value.element == Element::int32; });
}

} // namespace

void ManifestReader::read_partials(const JsonField& field) {
  field.allow({"read_by", "lse", "base", "table"});
  PartialsForm& partials = manifest_.partials.emplace();
  partials.read_by = field.at("read_by").whole(1, manifest_.launches.size() - 1);
  partials.lse = expression(field.at("lse"), known_);
  if (field.has("base")) {
    const JsonField base = field.at("base");
    if (base.json() != "2" && base.json() != "e") base.refuse("must be \"2\" or \"e\"");
    partials.natural = base.json() == "e";
  }
  const JsonField table = field.at("table");
  const auto list = std::ranges::find(manifest_.lists, table.text(), &WorkList::name);
  if (list == manifest_.lists.end())
    partials.table = planned_table(table);
  else if (!is_table(list->entry, list->stride, weight_columns))
    table.refuse(fmt::format("must be a list whose entries are {} times i32", weight_columns));
  else
    partials.table = list->name;
}

void ManifestReader::read_judged(const JsonField& field) {
  field.allow({"p", "p_shift", "sum", "weighted", "tile_rows", "tile_keys"});
  Judged& judged = manifest_.judged;
  judged.p = field.at("p").text();
  static constexpr std::string_view words[] = {"bf16",         "fp16",       "fp8", "mxfp8",
                                               "fp8-unlifted", "fp8-linear", "kv"};
  if (std::ranges::find(words, judged.p) == std::end(words))
    field.at("p").refuse(fmt::format("must be one of {}", fmt::join(words, ", ")));
  judged.shift = expression_if(field, "p_shift", known_);
  if (judged.p == "mxfp8" && field.has("p_shift"))
    field.at("p_shift").refuse("must be left out with p = mxfp8, whose blocks have scales of their own");
  judged.weighted = expression_if(field, "weighted", known_);
  if (field.has("sum")) {
    const std::string sum = field.at("sum").text();
    if (sum != "rounded" && sum != "unrounded") field.at("sum").refuse("must be rounded or unrounded");
    judged.sum_rounded = sum == "rounded";
  }
  if (judged.p == "fp8-linear" && !judged.sum_rounded)
    field.at("p").refuse("must be with sum = rounded: the mean error of such a P does not cancel otherwise");
  judged.tile_rows = expression(field.at("tile_rows"), known_);
  judged.tile_keys = expression(field.at("tile_keys"), known_);
}

void ManifestReader::read_mutants(const JsonField& field) {
  field.allow({"object", "symbol", "cases"});
  const std::string object = field.at("object").text(), symbol = field.at("symbol").text();
  const auto launches = [&](const LaunchForm& launch) {
    return std::ranges::any_of(launch.kernels, [&](const KernelForm& kernel) {
      return kernel.object == object && kernel.symbol == symbol;
    });
  };
  if (std::ranges::none_of(manifest_.launches, launches))
    field.refuse("must be a kernel that a launch may choose");
  MutantProblems problems{manifest_.name + "/" + object, symbol, {}};
  for (const JsonField& each : field.at("cases").items()) {
    try {
      problems.cases.push_back(print_case(parse_case(each.text())));
    } catch (const InvalidInput& error) {
      throw InvalidInput(each.path() + ": " + error.field, error.value, error.expected);
    }
  }
  if (problems.cases.empty()) field.at("cases").refuse("must have a case");
  manifest_.mutants.push_back(std::move(problems));
}

namespace {

std::string digest_of(const Manifest& manifest, const nlohmann::json& json) {
  Digest digest;
  digest.add(json.dump());
  for (const auto& [name, object] : manifest.objects) {
    digest.add(name);
    digest.add(object->bytes);
  }
  // A planner may import or read whatever lies beside it. Python writes __pycache__ itself; a pipe must not be opened.
  std::vector<std::filesystem::path> files;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry;
  if (!manifest.planner.empty())
    entry = std::filesystem::recursive_directory_iterator(folder_of(manifest.file), error);
  for (; entry != std::filesystem::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().filename() == "__pycache__")
      entry.disable_recursion_pending();
    else if (entry->is_regular_file(error))
      files.push_back(entry->path());
  }
  std::ranges::sort(files);
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path, std::ios::binary);
    digest.add(path.lexically_relative(folder_of(manifest.file)).string());
    digest.add(std::string{std::istreambuf_iterator<char>(file), {}});
  }
  return digest.text();
}

} // namespace

std::filesystem::path folder_of(const std::filesystem::path& manifest) {
  return manifest.has_parent_path() ? manifest.parent_path() : std::filesystem::path(".");
}

bool Manifest::names(std::string_view name) const { return std::ranges::binary_search(used_names, name); }

Manifest read_manifest(const std::filesystem::path& file) {
  require_regular_file("--external", file);
  std::error_code error;
  if (const auto bytes = std::filesystem::file_size(file, error); !error && bytes > most_manifest_bytes)
    throw InvalidInput("--external", file.string(),
                       fmt::format("has {} bytes, must have at most {}", bytes, most_manifest_bytes));
  const nlohmann::json json = workload::read_json_file("--external", file);
  const JsonField root(json, file.string() + ":");
  Manifest manifest = ManifestReader(file, root).read();
  manifest.digest = digest_of(manifest, json);
  return manifest;
}

} // namespace fmha950::harness::external
