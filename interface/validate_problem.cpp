#include "interface/operator.hpp"
#include "interface/validate.hpp"

namespace fmha950 {

void validate_problem(const Problem& problem) {
  const Operator& op = *problem.op;
  const std::type_info &own = problem.own.type(), &right = op.facts().own ? *op.facts().own : typeid(void);
  if (own != typeid(void) && own != right) throw problem.own.misplaced();
  op.check(problem);
}

} // namespace fmha950
