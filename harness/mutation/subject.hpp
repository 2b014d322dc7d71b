#pragma once
// Whose ISA mutants are judged: a kernel with a fixed list of problems.

#include "interface/hip.hpp"

#include <memory>
#include <string>
#include <vector>

namespace fmha950::harness {

using Outputs = std::vector<std::byte>;

class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string name() const = 0; // code object and kernel
  virtual hip::Kernel kernel() const = 0;
  virtual size_t problems() const = 0;
  virtual std::string problem(size_t index) const = 0; // its name
  virtual Outputs run(size_t problem) = 0;             // under the device's options; throws DeviceError
  // "", or what the accuracy rule says against these outputs.
  virtual std::string wrong(size_t problem, const Outputs& outputs) = 0;
  virtual void renew() = 0; // uploads everything anew: a mutant may have written anywhere
};

struct CorpusKernel;
std::unique_ptr<Subject> corpus_subject(CorpusKernel kernel);
std::vector<std::unique_ptr<Subject>> corpus_subjects(); // the sound kernels of the corpus
struct ListedKernel;
std::unique_ptr<Subject> implementation_subject(const ListedKernel& kernel);
std::vector<std::unique_ptr<Subject>> implementation_subjects(); // data/mutants/kernels.txt

} // namespace fmha950::harness
