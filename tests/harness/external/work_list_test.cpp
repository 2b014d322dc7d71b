// Work lists of a case: loops, ranges, conditions, order and limits.
#include "harness/external/work_list.hpp"
#include "interface/error.hpp"
#include "tests/harness/external/manifests.hpp"

#include <cstring>

using namespace fmha950;
using namespace fmha950::harness::external;
using namespace fmha950::test;
using nlohmann::json;

namespace {

// A list of one i32, `value`.
json list(const json& loops, const char* value, const json& more = json::object()) {
  json made = {{"for", loops}, {"entry", {std::string("i32:") + value}}};
  made.update(more);
  return made;
}

std::vector<int> made(const json& list, const std::vector<RequestNames>& requests = {},
                      const ListLimits& limits = {}) {
  ManifestFolder folder;
  folder.set("/launches/0/rows", "all").set("/lists/work", list);
  const Manifest manifest = folder.read();
  Scope scope;
  scope.requests = &requests;
  const MadeList all = make_list(manifest.lists.at(0), scope, {}, limits);
  std::vector<int> values;
  for (size_t i = 0; i < all.length; ++i) {
    int value = 0;
    std::memcpy(&value, all.bytes.data() + i * manifest.lists[0].stride, sizeof value);
    values.push_back(value);
  }
  return values;
}

std::string said(const json& list, const std::vector<RequestNames>& requests = {}) {
  try {
    made(list, requests, {.turns = 1000, .bytes = 10000});
    return "made";
  } catch (const InvalidInput& error) {
    const std::string what = error.what();
    return what.substr(what.find(": ") + 2);
  }
}

RequestNames request(int64_t queries) {
  RequestNames names;
  for (const char* field :
       {"query_length", "key_length", "query_begin", "table_begin", "pages", "pages_begin"})
    names.fields[field] = queries;
  return names;
}

} // namespace

TEST_CASE("work lists: loops, ranges, conditions and order") {
  CHECK(made(list({"i in 4"}, "i")) == std::vector{0, 1, 2, 3});
  CHECK(made(list({"i in 2 .. 4"}, "i")) == std::vector{2, 3});
  CHECK(made(list({"i in -1..2"}, "i")) == std::vector{-1, 0, 1});
  CHECK(made(list({"i in 4 .. 4"}, "i")).empty());
  CHECK(made(list({"i in 4 .. 1"}, "i")).empty()); // as Python's range
  CHECK(made(list({"i in -3"}, "i")).empty());
  // The last loop is the fastest, and sees those before it.
  CHECK(made(list({"i in 3", "j in i"}, "10 * i + j")) == std::vector{10, 20, 21});
  CHECK(made(list({"i in 3", "j in 2"}, "10 * i + j", {{"where", "i != j"}})) == std::vector{1, 10, 20, 21});
  // Ascending, and those of one value stay as they are.
  const json odd = {{"define", {{{"odd", "i % 2"}}}}, {"order", "-odd"}};
  CHECK(made(list({"i in 5"}, "i", odd)) == std::vector{1, 3, 0, 2, 4});
  CHECK(made(list({"i in 3"}, "i", {{"order", "1 / (i + 1)"}})) == std::vector{2, 1, 0});
  const std::vector<RequestNames> three{request(2), request(0), request(1)};
  CHECK(made(list({"r in requests", "i in r.query_length"}, "10 * r + i"), three) == std::vector{0, 1, 20});
  const json shorter = {{"where", "r.query_length < s.query_length"}};
  CHECK(made(list({"r in requests", "s in requests"}, "10 * r + s", shorter), three) ==
        std::vector{10, 12, 20});
  CHECK(made(list({"i in sum(r.query_length for r in requests)"}, "i"), three) == std::vector{0, 1, 2});
  CHECK(made(list({"r in  requests "}, "r"), three) == std::vector{0, 1, 2});
  CHECK(made(list({"r in requests"}, "r")).empty()); // of none
}

TEST_CASE("work lists: limits and mistakes") {
  const json never = {{"where", "false"}};
  CHECK(said(list({"i in 9223372036854775807"}, "i", never)) ==
        "lists.work.for[0] = i in 0 .. 9223372036854775807: makes list work take more than 1000 turns");
  const std::vector<RequestNames> many(40, request(1)); // 40 * 41 turns
  CHECK(said(list({"r in requests", "s in requests"}, "r", never), many) ==
        "lists.work.for[1] = s in requests: makes list work take more than 1000 turns");
  CHECK(said({{"for", {"i in 20"}}, {"entry", {"i32:i", "pad4092"}}}) ==
        "lists.work = 3 entries of 4096 bytes: must have at most 10000 bytes");
  CHECK(said(list({"i in 4 / 2"}, "i")) == "lists.work.for[0], column 6 = 2 (4 / 2): must be an integer");
  CHECK(said(list({"i in 0 .. kv"}, "i")) ==
        "lists.work.for[0], column 11 = kv: is no name that is known here");
  CHECK(said(list({"i in 3"}, "i", {{"where", "'yes'"}})) ==
        "lists.work.where, column 1 = 'yes' ('yes'): must be true or false, or an integer");
  CHECK(said(list({"i in 3"}, "i", {{"order", "'a'"}})) ==
        "lists.work.order, column 1 = 'a' ('a'): must be a number");
  CHECK(said(list({"i in 3"}, "2 // (1 - i)")) ==
        "lists.work.entry[0], column 5 = 2 // (1 - i): must not divide by zero");
}
