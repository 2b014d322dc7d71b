#pragma once
// What the kernels of every implementation have to stand, and their mutants not.

#include <string>
#include <string_view>

namespace fmha950::test {

// The case has the same bits under eight schedules as under the eager one.
void check_same_bits_under_every_schedule(const std::string& implementation, const std::string& case_string);

// Each source mutant is another code object than the product's.
void check_mutants_differ(const std::string& implementation);

// There are at least so many source mutants, and the probes in whose names `probes` is found kill each. With `op` only
// those of that operator's kernels.
void check_mutants_killed(const std::string& implementation, size_t at_least, const std::string& probes,
                          std::string_view op = {});

// There are so many kernels in the code objects whose name starts so, and each is a subject of ISA mutants.
void check_kernels_are_subjects(std::string_view code_objects, size_t kernels);

// The first case of the list in which the regular expression is found passes the accuracy rule, and does not
// with the mutant (CODE_OBJECT/NAME) in place of the kernel.
void check_list_notices(const std::string& list, const std::string& filter, const std::string& implementation,
                        const std::string& mutant);

} // namespace fmha950::test
