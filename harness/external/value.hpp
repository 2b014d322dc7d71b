#pragma once
// A value of an expression in a manifest (docs/your_kernel.md, "Expressions").

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fmha950::harness::external {

// An address on the device. It is no number: what is wanted as one may be neither by mistake.
struct Pointer {
  uint64_t address = 0;
  bool operator==(const Pointer&) const = default;
};

using Value = std::variant<int64_t, double, bool, std::string, Pointer>;

const char*
kind_of(const Value& value); // "an integer", "a real number", "true or false", "a text", "a pointer"
std::string text_of(const Value& value); // as an expression would spell it

// One of the requests, for `sum(... for r in requests)`.
struct RequestNames {
  std::map<std::string, Value, std::less<>> fields; // "query_length" ...
};

// What names stand for. A name that is not here is looked for in `outer`.
struct Scope {
  std::map<std::string, Value, std::less<>> names;
  const std::vector<RequestNames>* requests = nullptr; // of the outermost
  const Scope* outer = nullptr;

  const Value* find(std::string_view name) const {
    const auto found = names.find(name);
    if (found != names.end()) return &found->second;
    return outer ? outer->find(name) : nullptr;
  }
  const std::vector<RequestNames>* all_requests() const {
    return requests || !outer ? requests : outer->all_requests();
  }
  // Of an inner scope in which `name` is this one of the requests.
  Scope of_request(const std::string& request, size_t index) const {
    Scope inner{.names = {}, .requests = nullptr, .outer = this};
    inner.bind(request, static_cast<int64_t>(index), (*all_requests())[index]);
    return inner;
  }
  // `name` is this request from now on: "r", and "r.query_length" ...
  void bind(const std::string& name, int64_t index, const RequestNames& request) {
    names[name] = index;
    for (const auto& [field, value] : request.fields) names[name + '.' + field] = value;
  }
};

} // namespace fmha950::harness::external
