#pragma once
// Keys of operators whose keys are in pages: requests over pages of KV heads.

#include "interface/case_keys.hpp"

namespace fmha950::case_keys {

// Length lists print as one value when all requests agree; b then says how many there are.
std::string print_request_lengths(const Problem& problem, int Request::* length);
std::string print_repeat(const Problem& problem);

// Lengths become requests; a trace stands instead of them.
void complete_requests(Draft& draft);

extern const OperatorKeys paged_keys; // all that there are, batch_prefill's

inline constexpr Key heads_key{
    "h", "must be Hq:Hkv, two head counts of at least 1",
    [](auto text, Draft& d) {
      return case_text::read_pair(text, d.problem.query_heads, d.problem.kv_heads, 1);
    },
    [](const Problem& p) { return fmt::format("{}:{}", p.query_heads, p.kv_heads); }};
inline constexpr Key repeat_key{"b", "must be a number of requests from 1 to 65536",
                                [](auto text, Draft& d) {
                                  return case_text::read_number(text, d.repeat.emplace(), 1) &&
                                         *d.repeat <= 65536;
                                },
                                print_repeat};
inline constexpr Key query_lengths_key{
    "sq", "must be query lengths >= 0, separated by commas",
    [](auto text, Draft& d) { return case_text::read_lengths(text, d.query_lengths); },
    [](const Problem& p) { return print_request_lengths(p, &Request::query_length); }};
inline constexpr Key key_lengths_key{
    "sk", "must be key lengths >= 0, separated by commas",
    [](auto text, Draft& d) { return case_text::read_lengths(text, d.key_lengths); },
    [](const Problem& p) { return print_request_lengths(p, &Request::key_length); }};
inline constexpr Key trace_key{
    "trace", "must be NAME@FIRST+COUNT or NAME@FIRST+COUNT:SCALE with COUNT and SCALE of at least 1",
    [](auto text, Draft& d) { return case_text::read_trace(text, d.problem.trace); },
    [](const Problem& p) { return p.trace ? case_text::print_trace(*p.trace) : ""; }};
inline constexpr Key head_dim_key{
    "d", "must be a head dimension of at least 1, or that of Q and K and that of V, such as 192:128",
    [](auto text, Draft& d) { return case_text::read_head_dims(text, d.problem); },
    [](const Problem& p) { return case_text::print_head_dims(p); }};
inline constexpr Key table_key{
    "table", "must be one of sglang, vllm",
    [](auto text, Draft& d) { return case_text::read_name(text, d.problem.page_table); },
    print_field<&Problem::page_table>, names_of<PageTable>};
inline KeyWords drawn_pages() {
  static constexpr std::string_view sizes[] = {"1", "16", "32", "64", "128", "1024"};
  return sizes;
}
inline constexpr Key page_key{
    "page", "must be a number of tokens of at least 1",
    [](auto text, Draft& d) { return case_text::read_number(text, d.problem.page_size, 1); },
    print_field<&Problem::page_size>, drawn_pages};
inline constexpr Key mode_key{"mode", "must be one of batch, group",
                              [](auto text, Draft& d) { return case_text::read_name(text, d.problem.mode); },
                              print_field<&Problem::mode>, names_of<BatchMode>};
inline constexpr Key causal_key{
    "causal", "must be 0 or 1",
    [](auto text, Draft& d) { return case_text::read_flag(text, d.problem.causal); },
    print_field<&Problem::causal>, zero_or_one};
inline KeyWords drawn_windows() {
  static constexpr std::string_view windows[] = {"",     "",      "0:0",    "1:0", "31:0",
                                                 "64:0", "100:0", "100:20", "0:65"};
  return windows;
}
inline constexpr Key window_key{
    "window", "must be LEFT:RIGHT, two numbers of tokens >= 0",
    [](auto text, Draft& d) {
      Window& window = d.problem.window.emplace();
      return case_text::read_pair(text, window.left, window.right, 0);
    },
    [](const Problem& p) { return p.window ? fmt::format("{}:{}", p.window->left, p.window->right) : ""; },
    drawn_windows};
inline KeyWords drawn_sinks() {
  static constexpr std::string_view tokens[] = {"", "", "1", "64", "70"};
  return tokens;
}
inline constexpr Key sink_key{
    "sink", "must be a number of tokens >= 0",
    [](auto text, Draft& d) { return case_text::read_number(text, d.problem.sink_tokens, 0); },
    print_field<&Problem::sink_tokens>, drawn_sinks};
inline KeyWords drawn_caps() {
  static constexpr std::string_view caps[] = {"0", "0", "30"};
  return caps;
}
inline constexpr Key cap_key{
    "cap", "must be a finite number >= 0",
    [](auto text, Draft& d) { return case_text::read_number(text, d.problem.soft_cap, 0.0f); },
    print_field<&Problem::soft_cap>, drawn_caps};
inline constexpr Key deterministic_key{
    "deterministic", "must be 0 or 1",
    [](auto text, Draft& d) { return case_text::read_flag(text, d.problem.batch_invariant); },
    print_field<&Problem::batch_invariant>, zero_or_one};
inline constexpr Key order_key{
    "order", "must be one of shuffled, sequential, lru",
    [](auto text, Draft& d) { return case_text::read_name(text, d.problem.page_order); },
    print_field<&Problem::page_order>, names_of<PageOrder>};
inline constexpr Key spare_key{
    "spare", "must be a number of pages >= 0",
    [](auto text, Draft& d) { return case_text::read_number(text, d.problem.spare_pages, 0); },
    print_field<&Problem::spare_pages>};

} // namespace fmha950::case_keys
