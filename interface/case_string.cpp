#include "interface/case_string.hpp"

#include "interface/error.hpp"
#include "interface/names.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/ranges.h>
#include <limits>
#include <set>
#include <span>

namespace fmha950 {
namespace {

// What the keys of one case string have said so far; lengths become requests when all are known.
struct Draft {
  Problem problem;
  std::optional<int> repeat;
  std::vector<int> query_lengths, key_lengths;
};

// Splits at every `separator`; an empty text is one empty part.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find(separator)) != text.npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

// The whole text must be one number of at least `minimum`; no sign but '-', no space.
template <class Number>
bool read_number(std::string_view text, Number& number,
                 Number minimum = std::numeric_limits<Number>::lowest()) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= minimum)) return false;
  number = value;
  return std::isfinite(static_cast<double>(value));
}

bool read_pair(std::string_view text, int& first, int& second, int minimum) {
  const auto parts = split(text, ':');
  return parts.size() == 2 && read_number(parts[0], first, minimum) && read_number(parts[1], second, minimum);
}

bool read_lengths(std::string_view text, std::vector<int>& lengths) {
  for (std::string_view part : split(text, ',')) {
    int length = 0;
    if (!read_number(part, length, 0)) return false;
    lengths.push_back(length);
  }
  return true;
}

bool read_flag(std::string_view text, bool& flag) {
  flag = text == "1";
  return text == "0" || text == "1";
}

template <class Enumeration> bool read_name(std::string_view text, Enumeration& value) {
  const auto found = from_name<Enumeration>(text);
  if (found) value = *found;
  return found.has_value();
}

bool read_type(std::string_view text, ElementType& type) {
  return read_name(text, type) && type <= ElementType::fp8;
}

bool read_trace(std::string_view text, std::optional<TraceSlice>& trace) {
  TraceSlice slice;
  const size_t at = text.find('@'), plus = text.find('+', at), colon = text.find(':', at);
  if (at == text.npos || at == 0 || plus == text.npos || (colon != text.npos && colon < plus)) return false;
  slice.name = text.substr(0, at);
  trace = slice;
  return read_number(text.substr(at + 1, plus - at - 1), trace->first, 0) &&
         read_number(text.substr(plus + 1, colon == text.npos ? colon : colon - plus - 1), trace->count, 1) &&
         (colon == text.npos || read_number(text.substr(colon + 1), trace->scale_down, 1));
}

bool read_values(std::string_view text, std::string& values) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || strchr("_.:@+-", c);
  };
  values = text;
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

// Length lists print as one value when all requests agree; print_repeat() then says how many there are.
std::string print_lengths(const Problem& problem, int Request::* length) {
  std::vector<int> lengths;
  for (const Request& request : problem.requests) lengths.push_back(request.*length);
  if (std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) == lengths.end())
    lengths.resize(std::min<size_t>(lengths.size(), 1));
  return problem.trace ? "" : fmt::format("{}", fmt::join(lengths, ","));
}

std::string print_repeat(const Problem& problem) {
  const auto& all = problem.requests;
  const bool equal = std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end();
  return equal && all.size() > 1 && !problem.trace ? std::to_string(all.size()) : "";
}

std::string print_trace(const TraceSlice& trace) {
  const std::string scale = trace.scale_down == 1 ? "" : fmt::format(":{}", trace.scale_down);
  return fmt::format("{}@{}+{}{}", trace.name, trace.first, trace.count, scale);
}

struct Key {
  std::string_view name, expected;
  bool (*read)(std::string_view text, Draft& draft);
  std::string (*print)(const Problem& problem); // empty: at its default, not printed
};

// Keys at their default are not printed.
template <auto Field> std::string print_field(const Problem& problem) {
  static const Problem normal;
  const auto& value = problem.*Field;
  if (value == normal.*Field) return "";
  if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>)
    return std::string(name_of(value));
  else if constexpr (std::is_same_v<decltype(value), const bool&>)
    return value ? "1" : "0";
  else
    return fmt::format("{}", value);
}

const Key keys[] = {
    {"h", "must be Hq:Hkv, two head counts of at least 1",
     [](auto text, Draft& d) { return read_pair(text, d.problem.query_heads, d.problem.kv_heads, 1); },
     [](const Problem& p) { return fmt::format("{}:{}", p.query_heads, p.kv_heads); }},
    {"b", "must be a number of requests from 1 to 65536",
     [](auto text, Draft& d) { return read_number(text, d.repeat.emplace(), 1) && *d.repeat <= 65536; },
     print_repeat},
    {"sq", "must be query lengths >= 0, separated by commas",
     [](auto text, Draft& d) { return read_lengths(text, d.query_lengths); },
     [](const Problem& p) { return print_lengths(p, &Request::query_length); }},
    {"sk", "must be key lengths >= 0, separated by commas",
     [](auto text, Draft& d) { return read_lengths(text, d.key_lengths); },
     [](const Problem& p) { return print_lengths(p, &Request::key_length); }},
    {"trace", "must be NAME@FIRST+COUNT or NAME@FIRST+COUNT:SCALE with COUNT and SCALE of at least 1",
     [](auto text, Draft& d) { return read_trace(text, d.problem.trace); },
     [](const Problem& p) { return p.trace ? print_trace(*p.trace) : ""; }},
    {"d", "must be a head dimension of at least 1",
     [](auto text, Draft& d) { return read_number(text, d.problem.head_dim, 1); },
     [](const Problem& p) { return std::to_string(p.head_dim); }},
    {"q", "must be one of bf16, fp16, fp8",
     [](auto text, Draft& d) { return read_type(text, d.problem.query_type); },
     print_field<&Problem::query_type>},
    {"kv", "must be one of bf16, fp16, fp8",
     [](auto text, Draft& d) { return read_type(text, d.problem.kv_type); }, print_field<&Problem::kv_type>},
    {"o", "must be one of bf16, fp16, fp8",
     [](auto text, Draft& d) { return read_type(text, d.problem.output_type); },
     print_field<&Problem::output_type>},
    {"quant", "must be one of none, tensor, page, mx",
     [](auto text, Draft& d) { return read_name(text, d.problem.quantisation); },
     print_field<&Problem::quantisation>},
    {"table", "must be one of sglang, vllm",
     [](auto text, Draft& d) { return read_name(text, d.problem.page_table); },
     print_field<&Problem::page_table>},
    {"layout", "must be one of linear, vectorized",
     [](auto text, Draft& d) { return read_name(text, d.problem.kv_layout); },
     print_field<&Problem::kv_layout>},
    {"page", "must be a number of tokens of at least 1",
     [](auto text, Draft& d) { return read_number(text, d.problem.page_size, 1); },
     print_field<&Problem::page_size>},
    {"paged", "must be 0 or 1", [](auto text, Draft& d) { return read_flag(text, d.problem.paged); },
     print_field<&Problem::paged>},
    {"strided", "must be 0 or 1", [](auto text, Draft& d) { return read_flag(text, d.problem.strided); },
     print_field<&Problem::strided>},
    {"mode", "must be one of batch, group",
     [](auto text, Draft& d) { return read_name(text, d.problem.mode); }, print_field<&Problem::mode>},
    {"causal", "must be 0 or 1", [](auto text, Draft& d) { return read_flag(text, d.problem.causal); },
     print_field<&Problem::causal>},
    {"window", "must be LEFT:RIGHT, two numbers of tokens >= 0",
     [](auto text, Draft& d) {
       Window& window = d.problem.window.emplace();
       return read_pair(text, window.left, window.right, 0);
     },
     [](const Problem& p) { return p.window ? fmt::format("{}:{}", p.window->left, p.window->right) : ""; }},
    {"sink", "must be a number of tokens >= 0",
     [](auto text, Draft& d) { return read_number(text, d.problem.sink_tokens, 0); },
     print_field<&Problem::sink_tokens>},
    {"sinklogit", "must be 0 or 1", [](auto text, Draft& d) { return read_flag(text, d.problem.sink_logit); },
     print_field<&Problem::sink_logit>},
    {"cap", "must be a finite number >= 0",
     [](auto text, Draft& d) { return read_number(text, d.problem.soft_cap, 0.0f); },
     print_field<&Problem::soft_cap>},
    {"lse", "must be 0 or 1", [](auto text, Draft& d) { return read_flag(text, d.problem.lse); },
     print_field<&Problem::lse>},
    {"scale", "must be a finite number",
     [](auto text, Draft& d) { return read_number(text, d.problem.scale.emplace()); },
     [](const Problem& p) { return p.scale ? fmt::format("{}", *p.scale) : ""; }},
    {"order", "must be one of shuffled, sequential, lru",
     [](auto text, Draft& d) { return read_name(text, d.problem.page_order); },
     print_field<&Problem::page_order>},
    {"spare", "must be a number of pages >= 0",
     [](auto text, Draft& d) { return read_number(text, d.problem.spare_pages, 0); },
     print_field<&Problem::spare_pages>},
    {"values", "must be letters, digits and _.:@+-",
     [](auto text, Draft& d) { return read_values(text, d.problem.values); }, print_field<&Problem::values>},
    {"seed", "must be a number >= 0", [](auto text, Draft& d) { return read_number(text, d.problem.seed); },
     print_field<&Problem::seed>},
};

const Key& find_key(std::string_view name) {
  std::string known;
  for (const Key& key : keys) {
    if (key.name == name) return key;
    known += (known.empty() ? "" : ", ") + std::string(key.name);
  }
  throw InvalidInput("case string key", std::string(name), "must be one of " + known);
}

// One value stands for all requests; otherwise there is one per request.
int length_of(const std::vector<int>& lengths, size_t request) {
  return lengths[lengths.size() == 1 ? 0 : request];
}

void require_count(std::string_view key, const std::vector<int>& lengths, size_t requests) {
  if (lengths.empty())
    throw InvalidInput("case string key", std::string(key), "is missing (or give trace=NAME@FIRST+COUNT)");
  if (lengths.size() != 1 && lengths.size() != requests)
    throw InvalidInput(
        std::string(key), fmt::format("{}", fmt::join(lengths, ",")),
        fmt::format("has {} lengths for {} requests, must be 1 or {}", lengths.size(), requests, requests));
}

std::vector<Request> requests_of(const Draft& draft) {
  const bool has_lengths = !draft.query_lengths.empty() || !draft.key_lengths.empty() || draft.repeat;
  if (draft.problem.trace && has_lengths)
    throw InvalidInput("trace", print_trace(*draft.problem.trace),
                       "gives the requests, so b, sq and sk must be absent");
  if (draft.problem.trace) return {};
  const size_t requests = draft.repeat ? static_cast<size_t>(*draft.repeat)
                                       : std::max(draft.query_lengths.size(), draft.key_lengths.size());
  require_count("sq", draft.query_lengths, requests);
  require_count("sk", draft.key_lengths, requests);
  std::vector<Request> result;
  for (size_t i = 0; i < requests; ++i)
    result.push_back({length_of(draft.query_lengths, i), length_of(draft.key_lengths, i)});
  return result;
}

} // namespace

Problem parse_case(std::string_view text) {
  const auto parts = split(text, '/');
  Draft draft;
  if (!read_name(parts[0], draft.problem.op))
    throw InvalidInput("operator", std::string(parts[0]),
                       fmt::format("must be one of {}", fmt::join(names_of<Operator>(), ", ")));
  std::set<std::string_view> seen;
  for (std::string_view part : std::span(parts).subspan(1)) {
    const size_t equals = part.find('=');
    if (equals == part.npos) throw InvalidInput("case string part", std::string(part), "must be key=value");
    const Key& key = find_key(part.substr(0, equals));
    const std::string_view value = part.substr(equals + 1);
    if (!seen.insert(key.name).second)
      throw InvalidInput(std::string(key.name), std::string(value), "is given twice, must be given once");
    if (!key.read(value, draft))
      throw InvalidInput(std::string(key.name), std::string(value), std::string(key.expected));
  }
  if (!seen.contains("h")) throw InvalidInput("case string key", "h", "is missing");
  draft.problem.requests = requests_of(draft);
  return draft.problem;
}

std::string print_case(const Problem& problem) {
  std::string text{name_of(problem.op)};
  for (const Key& key : keys)
    if (const std::string value = key.print(problem); !value.empty())
      text += fmt::format("/{}={}", key.name, value);
  return text;
}

} // namespace fmha950
