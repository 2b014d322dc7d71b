#include "operators/merge/definition.hpp"
#include "operators/merge/merge_form.hpp"

namespace fmha950::operators {
namespace {

using namespace case_keys;
using namespace case_text;

MergeForm& form_of(Draft& draft) {
  MergeForm* const form = merge_form(draft.problem);
  return form != nullptr ? *form : draft.problem.own.emplace<MergeForm>();
}

// A problem may be printed before it is validated.
const MergeForm& form_of(const Problem& problem) {
  static const MergeForm none;
  return merge_form(problem) != nullptr ? *merge_form(problem) : none;
}

template <auto Field> std::string print_own(const Problem& problem) {
  static const MergeForm normal;
  const auto& value = form_of(problem).*Field;
  if (value == normal.*Field) return "";
  if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>)
    return std::string(name_of(value));
  else
    return fmt::format("{}", value);
}

constexpr ElementType usual_type = ElementType::fp32; // of parts

// Q's type is that of the parts, though there is no Q.
bool read_type(std::string_view text, ElementType& type) {
  using enum ElementType;
  return read_name(text, type) && (type == bf16 || type == fp16 || type == fp32);
}

// The search for problems draws none of these: other operators' keys of these names have other words.
static_assert(most_parts == 1024 && most_merged_tokens == 1048576 && most_spread == 10000,
              "as the texts below say");

constexpr Key keys[] = {
    {"parts", "must be a number of parts from 1 to 1024",
     [](auto text, Draft& d) { return read_number(text, form_of(d).parts, 1, most_parts); },
     [](const Problem& p) { return std::to_string(form_of(p).parts); }},
    {"h", "must be H, a number of heads of at least 1",
     [](auto text, Draft& d) { return read_number(text, d.problem.query_heads, 1); },
     [](const Problem& p) { return std::to_string(p.query_heads); }},
    {"n", "must be a number of tokens from 0 to 1048576",
     [](auto text, Draft& d) {
       int tokens = 0;
       const bool read = read_number(text, tokens, 0, most_merged_tokens);
       d.query_lengths = {tokens};
       return read;
     },
     [](const Problem& p) { return std::to_string(p.total_queries()); }},
    {"d", "must be a head dimension of at least 1",
     [](auto text, Draft& d) { return read_number(text, d.problem.head_dim, 1); },
     [](const Problem& p) { return std::to_string(p.head_dim); }},
    {"in", "must be one of bf16, fp16, fp32",
     [](auto text, Draft& d) { return read_type(text, d.own.emplace<ElementType>()); },
     [](const Problem& p) { return p.kv_type == usual_type ? "" : std::string(name_of(p.kv_type)); }},
    {"o", "must be one of bf16, fp16, fp32",
     [](auto text, Draft& d) { return read_type(text, d.problem.output_type); },
     print_field<&Problem::output_type>},
    {"layout", "must be one of parts, tokens, heads",
     [](auto text, Draft& d) { return read_name(text, form_of(d).layout); }, print_own<&MergeForm::layout>},
    {"base", "must be e or 2", [](auto text, Draft& d) { return read_name(text, form_of(d).base); },
     print_own<&MergeForm::base>},
    lse_key,
    {"spread", "must be a number from 0 to 10000",
     [](auto text, Draft& d) { return read_number(text, form_of(d).spread, 0.0f, most_spread); },
     print_own<&MergeForm::spread>},
    {"empty", "must be a percentage of parts from 0 to 100",
     [](auto text, Draft& d) { return read_number(text, form_of(d).empty_percent, 0, 100); },
     print_own<&MergeForm::empty_percent>},
    values_key,
    seed_key,
};

void complete(Draft& draft) {
  Problem& p = draft.problem;
  const auto* const given = std::any_cast<ElementType>(&draft.own);
  p.query_type = p.kv_type = given != nullptr ? *given : usual_type;
  p.kv_heads = p.query_heads;
  p.scale = 1.0f;
  p.requests = {{draft.query_lengths.front(), form_of(draft).parts}};
}

constexpr std::string_view required[] = {"parts", "h", "n"};

} // namespace

constinit const OperatorKeys merge_keys{keys, required, complete};

} // namespace fmha950::operators
