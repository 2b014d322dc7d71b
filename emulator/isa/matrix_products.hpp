#pragma once
// What the matrix instructions of a kernel multiply, by how they add up. In attention those that multiply V add to
// accumulators that the loop over keys carries from round to round; those of Q K^T begin anew each time.

#include <set>
#include <string>
#include <vector>

namespace fmha950::loader {
class CodeObject;
}

namespace fmha950::isa {

struct Row;

struct MatrixProducts {
  std::string kernel;
  std::set<std::string> types; // of all its matrix instructions: fp8 ...
  std::set<std::string>
      carried; // of those whose result, perhaps rescaled, is what they add to in the next round of a loop
};

// The type that a matrix instruction multiplies: as results name it, else the instruction's.
std::string operands_of(const Row& row);

// Of each kernel that has matrix instructions itself; functions that it calls are not followed. Blocks of a loop are read one
// after the other, whatever the branches between them.
std::vector<MatrixProducts> matrix_products_of(const loader::CodeObject& object);

} // namespace fmha950::isa
