#include "harness/external/conversion.hpp"

#include "interface/error.hpp"
#include "interface/names.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace fmha950::harness::external {

namespace {

constexpr int64_t most_elements = int64_t{1} << 40;

size_t bytes_of(ConvertedType type) {
  switch (type) {
  case ConvertedType::fp8: return 1;
  case ConvertedType::bf16:
  case ConvertedType::fp16: return 2;
  default: return 4;
  }
}

ConvertedType type_of(const std::string& word, const Problem& problem) {
  static constexpr std::string_view words[] = {"fp8", "bf16", "fp16", "fp32", "int32"};
  const std::string name = word == "query" ? std::string(name_of(problem.query_type))
                           : word == "kv"  ? std::string(name_of(problem.kv_type))
                           : word == "out" ? std::string(name_of(problem.output_type))
                                           : word;
  const auto* const found = std::ranges::find(words, name);
  if (found == std::end(words))
    throw InvalidInput(word, name, "must be one of fp8, bf16, fp16, fp32 and int32 to be converted");
  return static_cast<ConvertedType>(found - std::begin(words));
}

const void* pointer_of(const Expression& expression, const Scope& scope) {
  const Value value = expression.value(scope);
  const auto* const pointer = std::get_if<Pointer>(&value);
  if (pointer == nullptr || pointer->address == 0)
    expression.fail(1, fmt::format("{} ({})", text_of(value), expression.text()),
                    "must be a tensor of this case");
  return reinterpret_cast<const void*>(pointer->address);
}

const int32_t* page_ids_of(const Scope& scope) {
  return reinterpret_cast<const int32_t*>(std::get<Pointer>(*scope.find("page_ids")).address);
}

template <class Arguments>
Conversion launch_of(const ConversionForm& form, const char* kernel, uint64_t threads, unsigned requests,
                     const Arguments& arguments) {
  Conversion conversion;
  conversion.kernel = hip::load_kernel("external_conversions", kernel);
  const uint64_t workgroups = (threads + conversion_threads - 1) / conversion_threads;
  if (workgroups > INT32_MAX)
    throw InvalidInput(form.place, fmt::format("{} threads", threads), "must be fewer");
  conversion.grid = {static_cast<unsigned>(workgroups), requests, 1};
  conversion.arguments.resize(sizeof arguments);
  std::memcpy(conversion.arguments.data(), &arguments, sizeof arguments);
  return conversion;
}

float scale_of(const ConversionForm& form, const Scope& scope) {
  return form.scale.empty() ? 1.0f : static_cast<float>(form.scale.real(scope));
}

using Take = std::function<void(double)>;

// Where the buffer is that the conversion writes to: given, or made for it.
void* target_of(void* to, size_t bytes, hip::Buffer& made, const Take& take) {
  if (to != nullptr) return to;
  take(static_cast<double>(bytes));
  made = hip::Buffer(bytes);
  return made.get();
}

// All that a source is read from lies in the memory that it points into, where that is known.
void require_inside(const ConversionForm& form, const ArrangeArguments& of,
                    std::span<const KnownMemory> known) {
  uint64_t last = 0; // element
  for (size_t axis = 0; axis < conversion_axes; ++axis) {
    if (of.shape[axis] == 0) return;
    uint64_t farthest = 0;
    if (__builtin_mul_overflow(uint64_t{of.shape[axis]} - 1, static_cast<uint64_t>(of.from_stride[axis]),
                               &farthest) ||
        __builtin_add_overflow(last, farthest, &last) || last > uint64_t{most_elements})
      form.source.fail(1, form.source.text(), "must reach at most 2^40 elements, as shape and strides say");
  }
  const uint64_t bytes = (last + 1) * bytes_of(of.from_type);
  const auto begin = reinterpret_cast<uint64_t>(of.from);
  for (const KnownMemory& memory : known) {
    if (begin < memory.begin || begin - memory.begin >= memory.bytes) continue;
    const uint64_t there = memory.bytes - (begin - memory.begin);
    if (bytes > there)
      form.source.fail(
          1, form.source.text(),
          fmt::format("must have {} bytes, as far as shape and strides reach; it has {}", bytes, there));
    return;
  }
}

Conversion arrange(const ConversionForm& form, const Problem& problem, const Scope& scope,
                   std::span<const KnownMemory> known, void* to, const Take& take) {
  ArrangeArguments arguments{};
  arguments.from = pointer_of(form.source, scope);
  arguments.from_type = type_of(form.from_type, problem);
  arguments.to_type = type_of(form.type, problem);
  arguments.scale = scale_of(form, scope);
  const size_t unused = conversion_axes - form.shape.size(); // leading axes of one element
  std::fill_n(arguments.shape, conversion_axes, 1u);
  int64_t elements = 1;
  for (size_t axis = conversion_axes; axis-- > 0;) {
    arguments.to_stride[axis] = arguments.from_stride[axis] = elements;
    if (axis < unused) continue;
    const int64_t extent = form.shape[axis - unused].integer(scope, 0, UINT32_MAX);
    arguments.shape[axis] = static_cast<uint32_t>(extent);
    if (extent != 0 && elements > most_elements / extent)
      form.shape[0].fail(1, "the shape", "must have at most 2^40 elements");
    elements *= extent;
  }
  for (size_t axis = 0; axis < form.strides.size(); ++axis)
    arguments.from_stride[unused + axis] = form.strides[axis].integer(scope, 0, most_elements);
  require_inside(form, arguments, known);
  constexpr uint32_t longest = 8;
  arguments.run = arguments.shape[conversion_axes - 1] % longest == 0 && elements > 0 ? longest : 1;
  arguments.runs = static_cast<uint64_t>(elements) / arguments.run;
  hip::Buffer made;
  arguments.to = target_of(to, static_cast<size_t>(elements) * bytes_of(arguments.to_type), made, take);
  Conversion conversion = launch_of(form, "arrange", arguments.runs, 1, arguments);
  conversion.made = std::move(made);
  return conversion;
}

Conversion gather(const ConversionForm& form, const Problem& problem, const Scope& scope, const Take& take) {
  GatherArguments arguments{};
  arguments.pool = pointer_of(form.source, scope);
  arguments.from_type = type_of("kv", problem);
  arguments.to_type = type_of(form.type, problem);
  arguments.scale = scale_of(form, scope);
  arguments.page_ids = page_ids_of(scope);
  if (!form.descale.empty() && form.descale.value(scope) != Value(Pointer{}))
    arguments.descale = static_cast<const float*>(pointer_of(form.descale, scope));
  const bool is_v = form.source.text() == "v_pool";
  arguments.page_stride = std::get<int64_t>(*scope.find(is_v ? "v_page_stride" : "k_page_stride"));
  const int64_t page = problem.page_size, heads = problem.kv_heads,
                columns = is_v ? problem.value_columns() : problem.head_dim;
  arguments.page_size = static_cast<uint32_t>(page);
  arguments.kv_heads = static_cast<uint32_t>(heads);
  arguments.head_dim = static_cast<uint32_t>(columns);
  const int64_t chunk = 16 / element_bytes(problem.kv_type); // interface/tensors.hpp: x
  arguments.column_chunk = static_cast<uint32_t>(columns);
  arguments.slot_chunk = static_cast<uint32_t>(page);
  if (problem.kv_layout == KvLayout::linear) { // [pages, page, Hkv, D]
    arguments.slot_stride = heads * columns;
    arguments.head_stride = columns;
    arguments.column_stride = 1;
  } else if (problem.kv_layout == KvLayout::hnd) { // [pages, Hkv, page, D]
    arguments.head_stride = page * columns;
    arguments.slot_stride = columns;
    arguments.column_stride = 1;
  } else if (!is_v) { // [pages, Hkv, D/x, page, x]
    arguments.head_stride = columns * page;
    arguments.column_chunk = static_cast<uint32_t>(chunk);
    arguments.column_chunk_stride = page * chunk;
    arguments.slot_stride = chunk;
    arguments.column_stride = 1;
  } else { // [pages, Hkv, page/x, D, x]
    arguments.head_stride = columns * page;
    arguments.slot_chunk = static_cast<uint32_t>(chunk);
    arguments.slot_chunk_stride = columns * chunk;
    arguments.column_stride = chunk;
    arguments.slot_stride = 1;
  }
  const std::vector<RequestNames>& names = *scope.all_requests();
  const int64_t rows = form.all_rows.integer(scope, 0, most_elements);
  std::vector<GatheredRequest> requests;
  for (size_t r = 0; r < names.size(); ++r) {
    const Scope inner = scope.of_request("r", r);
    const int64_t keys = std::get<int64_t>(names[r].fields.at("key_length"));
    const int64_t begin = form.rows.integer(inner, 0, rows);
    if (begin + keys > rows)
      form.rows.fail(1, fmt::format("{} for request {}, which has {} keys", begin, r, keys),
                     fmt::format("must leave room for them in {} rows", rows));
    requests.push_back({static_cast<int32_t>(keys),
                        static_cast<int32_t>(std::get<int64_t>(names[r].fields.at("table_begin"))), begin});
  }
  const double elements = static_cast<double>(rows) * static_cast<double>(heads * columns);
  take(elements * static_cast<double>(bytes_of(arguments.to_type)));
  hip::Buffer made(static_cast<size_t>(rows * heads * columns) * bytes_of(arguments.to_type));
  hip::Buffer table = hip::uploaded(requests);
  arguments.to = made.get();
  arguments.requests = table.as<GatheredRequest>();
  const uint64_t threads =
      static_cast<uint64_t>(problem.max_key_length()) * static_cast<uint64_t>(heads * columns / 8);
  if (threads > UINT32_MAX - conversion_threads)
    throw InvalidInput(form.place, fmt::format("{} pieces of 8 columns in the longest request", threads),
                       "must be fewer than 2^32");
  Conversion conversion =
      launch_of(form, "gather", threads, static_cast<unsigned>(requests.size()), arguments);
  conversion.made = std::move(made);
  conversion.table = std::move(table);
  return conversion;
}

Conversion page_table(const ConversionForm& form, const Scope& scope, const Take& take) {
  PageTableArguments arguments{};
  arguments.page_ids = page_ids_of(scope);
  arguments.repeat_last = form.fill.empty() ? 1 : 0;
  if (!form.fill.empty())
    arguments.fill = static_cast<int32_t>(form.fill.integer(scope, INT32_MIN, INT32_MAX));
  const std::vector<RequestNames>& names = *scope.all_requests();
  std::vector<TableRow> rows;
  int64_t end = 0, longest = 0;
  for (size_t r = 0; r < names.size(); ++r) {
    const Scope inner = scope.of_request("r", r);
    const auto field = [&](const char* name) { return std::get<int64_t>(names[r].fields.at(name)); };
    const int64_t length = form.length.integer(inner, field("pages"), INT32_MAX);
    rows.push_back({static_cast<int32_t>(field("table_begin")), static_cast<int32_t>(field("pages")), end,
                    static_cast<int32_t>(length)});
    end += length;
    longest = std::max(longest, length);
  }
  take(static_cast<double>(end) * sizeof(int32_t));
  hip::Buffer made(static_cast<size_t>(end) * sizeof(int32_t));
  hip::Buffer table = hip::uploaded(rows);
  arguments.to = made.as<int32_t>();
  arguments.rows = table.as<TableRow>();
  Conversion conversion = launch_of(form, "lay_page_table", static_cast<uint64_t>(longest),
                                    static_cast<unsigned>(rows.size()), arguments);
  conversion.made = std::move(made);
  conversion.table = std::move(table);
  return conversion;
}

} // namespace

Conversion make_conversion(const ConversionForm& form, const Problem& problem, const Scope& scope,
                           std::span<const KnownMemory> known, void* to, const Take& take) {
  switch (form.kind) {
  case ConversionForm::Kind::arrange: return arrange(form, problem, scope, known, to, take);
  case ConversionForm::Kind::gather: return gather(form, problem, scope, take);
  case ConversionForm::Kind::page_table: break;
  }
  return page_table(form, scope, take);
}

} // namespace fmha950::harness::external
