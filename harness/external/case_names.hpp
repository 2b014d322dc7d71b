#pragma once
// The names by which expressions of a manifest know a case (docs/your_kernel.md, "Names").

#include "harness/external/value.hpp"
#include "interface/device_tensors.hpp"
#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace fmha950::harness::external {

// Of the problem alone: what `needs` may ask for.
std::vector<std::string> case_names();
// Of its tensors too: what launches may use.
std::vector<std::string> tensor_names();
std::vector<std::string> request_fields();         // of r
std::vector<std::string> request_fields_of_case(); // those that need no tensors, for `needs`

// The scope of a case by its problem. The requests must outlive it.
Scope scope_of(const Problem& problem, const std::vector<RequestNames>& requests);
void name_tensors(const Problem& problem, const Tensors& host, const DeviceTensors& device, Scope& scope);
std::vector<RequestNames> name_requests(const Problem& problem, const Tensors& host);
std::vector<RequestNames> name_requests(const Problem& problem); // without what is of tensors

// Something that a problem asks for beyond the plain form, with the names of which a manifest must use one to have it.
struct OptionalPart {
  std::string words; // as reasons of a no say it
  std::vector<std::string> names;
};
std::vector<OptionalPart> optional_parts(const Problem& problem);

} // namespace fmha950::harness::external
