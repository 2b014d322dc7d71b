// The JSON reader: the manifest of a case folder, beside valid tensors of one small problem.
#include "workload/case_folder.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "tests/fuzz/target.hpp"
#include "workload/case_folder_form.hpp"
#include "workload/generate.hpp"
#include "workload/validate_values.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fmha950::fuzz {
namespace {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fmha950_fuzz_XXXXXX").string();
    path_ = mkdtemp(name.data());
    const Problem problem =
        parse_case("batch_prefill/h=1:1/sq=2/sk=3/d=64/kv=fp8/quant=tensor/page=1/seed=7");
    workload::save_case_folder(path_, problem, workload::make_tensors(problem), {});
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void case_folder(Bytes input) {
  static const Folder folder;
  std::ofstream(folder.path() / workload::manifest_name, std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  try {
    const workload::CaseFolder loaded = workload::load_case_folder(folder.path());
    ensure(!loaded.problem.trace, "a folder spells its lengths out");
    validate_problem(loaded.problem);
    validate_tensors(loaded.problem, loaded.tensors);
    workload::validate_values(loaded.problem, loaded.tensors);
  } catch (const InvalidInput&) {
  }
}

const Registration registration("case_folder", case_folder);

} // namespace
} // namespace fmha950::fuzz
