// Manifests, beside a code object and a planner; what is read is evaluated for one case.
#include "harness/external/case_names.hpp"
#include "harness/external/work_list.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/source_path.hpp"
#include "workload/generate.hpp"

#include <filesystem>
#include <fstream>

namespace fmha950::fuzz {
namespace {

using namespace harness::external;

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "fmha950_fuzz_XXXXXX").string();
    path_ = mkdtemp(name.data());
    std::filesystem::copy_file(source_path("tests/fuzz/corpus/code_object/two_kernels.co"),
                               path_ / "kernels.co");
    std::ofstream(path_ / "plan.py") << "print()\n";
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path manifest() const { return path_ / "m.json"; }

 private:
  std::filesystem::path path_;
};

void check_layout(const ArgumentLayout& layout) {
  size_t end = 0;
  for (const PlacedValue& value : layout.values) {
    ensure(value.offset >= end, "values come one after the other");
    end = value.offset + (value.element ? harness::facts_of(*value.element).bytes : sizeof(uint64_t));
    ensure(end <= layout.bytes, "a value lies in its block");
  }
}

// What a plan does before it needs a device.
void evaluate(const Manifest& manifest) {
  static const Problem problem =
      parse_case("batch_prefill/h=4:2/sq=3,0/sk=5,7/d=64/q=fp8/kv=fp8/quant=tensor/page=1");
  static const Tensors host = workload::make_tensors(problem);
  DeviceTensors device;
  device.q = host.q.data();
  const std::vector<RequestNames> requests = name_requests(problem, host);
  Scope scope = scope_of(problem, requests);
  for (const Expression& term : manifest.needs) (void)term.truth(scope);
  name_tensors(problem, host, device, scope);
  for (const std::string& name : manifest.planned_tables) {
    scope.names[name] = Pointer{4096};
    scope.names[name + ".length"] = int64_t{2};
  }
  for (const std::string& name : manifest.planned_scalars) scope.names[name] = int64_t{1};
  define(manifest.define, scope);
  for (const WorkList& list : manifest.lists) {
    const MadeList made = make_list(list, scope, {}, {.turns = 100, .bytes = 10000});
    ensure(made.bytes.size() == made.length * list.stride && made.length <= 100, "a list has its length");
    scope.names[list.name] = Pointer{8192};
    scope.names[list.name + ".length"] = static_cast<int64_t>(made.length);
  }
  for (const WorkspaceForm& space : manifest.workspace) scope.names[space.name] = Pointer{16384};
  for (const ConversionForm& form : manifest.prepare) scope.names[form.name] = Pointer{32768};
  for (const LaunchForm& launch : manifest.launches)
    for (const KernelForm& kernel : launch.kernels) {
      std::vector<std::byte> block(kernel.arguments.bytes);
      kernel.arguments.encode(scope, block);
    }
}

void manifest(Bytes input) {
  static const Folder folder;
  std::ofstream(folder.manifest(), std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  try {
    const Manifest read = read_manifest(folder.manifest());
    ensure(read.name.size() > 9 && !read.launches.empty() && !read.digest.empty(),
           "nothing of use is missing");
    for (const WorkList& list : read.lists) {
      check_layout(list.entry);
      ensure(list.entry.bytes <= list.stride && list.stride > 0, "an entry fits its stride");
    }
    for (const LaunchForm& launch : read.launches) {
      ensure(!launch.kernels.empty(), "a launch has a kernel");
      for (const KernelForm& kernel : launch.kernels) {
        check_layout(kernel.arguments);
        ensure(kernel.arguments.bytes == kernel.kernel->kernarg_bytes, "arguments fill the kernel's segment");
      }
    }
    try {
      evaluate(read);
    } catch (const InvalidInput& error) {
      ensure(error.expected != "is no name that is known here",
             std::string("a name that is accepted is known: ") + error.what());
    }
  } catch (const InvalidInput&) {
  }
}

const Registration registration("manifest", manifest);

} // namespace
} // namespace fmha950::fuzz
