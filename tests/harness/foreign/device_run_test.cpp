// `device run` as a user meets it.
#include "harness/foreign/array.hpp"
#include "harness/foreign/code_object_file.hpp"
#include "interface/error.hpp"
#include "tests/harness/program.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

const std::string file = CODE_OBJECTS "/foreign_kernels.co";

Ran device_run(const std::string& arguments, const std::string& environment = "") {
  return run_fmha950("device run " + file + " " + arguments, environment);
}

void write(const std::string& path, const std::vector<float>& values) {
  Array array{Element::float32, {static_cast<int64_t>(values.size())}, {}};
  array.bytes.resize(4 * values.size());
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  write_arrays({{{path, ""}, &array}});
}

// y = 2 x + y for 100 elements, in files of `folder`.
struct ScaleAdd {
  TemporaryFolder folder;
  std::string x = folder.path() / "x.npy", y = folder.path() / "y.npy", right = folder.path() / "right.npy",
              saved = folder.path() / "saved.npy";
  std::string launch = "--kernel scale_add --grid 2 --block 64 --arg in:" + x + " --arg inout:" + y + "=" +
                       saved + " --arg 100 --arg 2.0 ";
  ScaleAdd() {
    std::vector<float> xs, ys, sums;
    for (int i = 0; i < 100; ++i) {
      xs.push_back(static_cast<float>(i) / 4);
      ys.push_back(static_cast<float>(3 - i));
      sums.push_back(2 * xs.back() + ys.back());
    }
    write(x, xs);
    write(y, ys);
    write(right, sums);
  }
};

} // namespace

TEST_CASE("device run: a kernel on files, judged by an expected output") {
  const ScaleAdd example;
  const Ran ran = device_run(example.launch + "--expect " + example.right + " --tolerance 0");
  INFO(joined(ran.out) << joined(ran.err));
  CHECK(ran.exit_code == 0);
  CHECK(ran.err.empty());
  REQUIRE(ran.out.size() == 4);
  CHECK_THAT(ran.out[0],
             Catch::StartsWith("scale_add of ") && Catch::Contains("grid 2 x 1 x 1, block 64 x 1 x 1"));
  CHECK_THAT(ran.out[1], Catch::StartsWith("argument 1 (y") && Catch::Contains("float32[100]: min"));
  CHECK_THAT(ran.out[2], Catch::Contains("relative L2") && Catch::Contains("is 0,"));
  CHECK(ran.out[3] == "passed");
  CHECK(read_array({example.saved, ""}).bytes == read_array({example.right, ""}).bytes);

  const Ran wrong = device_run(example.launch + "--expect " + example.x);
  CHECK(wrong.exit_code == 1);
  CHECK_THAT(joined(wrong.out), Catch::Contains("inaccurate: argument 1"));
}

TEST_CASE("device run: schedules, cycle model and trace") {
  const ScaleAdd example;
  const std::string trace = example.folder.path() / "trace.jsonl";
  const Ran ran =
      device_run(example.launch + "--schedules eager,lazy+starve:0,random:3 --perf --trace " + trace);
  INFO(joined(ran.out) << joined(ran.err));
  CHECK(ran.exit_code == 0);
  CHECK_THAT(joined(ran.out),
             Catch::Contains("lazy,starve:0: outputs bit-equal\nrandom:3: outputs bit-equal"));
  CHECK_THAT(joined(ran.out), Catch::Contains("modelled: ") && Catch::Contains("2 of 2 workgroups followed"));
  CHECK_THAT(example.folder.read("trace.jsonl"), Catch::StartsWith("{\"kernel\":\"scale_add\""));
}

TEST_CASE("device run: a race is a hazard, unless nobody asks") {
  const std::string launch = "--kernel racing --grid 1 --block 128 --arg 'out:int32[128]' ";
  const Ran ran = device_run(launch);
  CHECK(ran.exit_code == 2);
  CHECK_THAT(joined(ran.out), Catch::Contains("hazard: ") && Catch::Contains("lds_order"));
  CHECK_THAT(joined(ran.err), Catch::Contains("hazard lds_order"));
  CHECK(device_run(launch, "FMHA950_CHECK=none").exit_code == 0);
  const Ran unchecked = device_run(launch + "--hazards none");
  CHECK(unchecked.exit_code == 0);
  CHECK(unchecked.err.empty());
  const Ran differs = device_run(launch + "--hazards none --schedules eager,eager+starve:0");
  CHECK(differs.exit_code == 2);
  CHECK_THAT(joined(differs.out),
             Catch::Contains("under eager,starve:0") && Catch::Contains("elements have other bits"));
}

TEST_CASE("device run: structs by value, several outputs in one file") {
  const TemporaryFolder folder;
  const std::string saved = folder.path() / "saved.safetensors";
  const Ran ran = device_run("--kernel by_struct --grid 1 --block 64 --save " + saved +
                             " --arg 'struct:i32,ptr,f64,i16=8,out:f32[10],0.5,3' --arg 100");
  INFO(joined(ran.out) << joined(ran.err));
  CHECK(ran.exit_code == 0);
  CHECK_THAT(joined(ran.out), Catch::Contains("2 still poison"));
  const Array output = read_array({saved, ""});
  CHECK(output.value(0) == 103);
  CHECK(output.value(7) == 106.5);
}

TEST_CASE("device run: a kernel that faults ends with the device's code and its text") {
  const Ran ran = device_run("--kernel outside --grid 1 --block 1 --arg 'out:int32[16]'");
  CHECK(ran.exit_code == 4);
  CHECK_THAT(joined(ran.err), Catch::Contains("outside every allocation"));
}

TEST_CASE("device run: --describe prints arguments and a command line") {
  const Ran ran = run_fmha950("device run " + file + " --describe");
  INFO(joined(ran.out) << joined(ran.err));
  CHECK(ran.exit_code == 0);
  CHECK_THAT(joined(ran.out), Catch::Contains("kernel scale_add: block of at most 64 work-items"));
  CHECK_THAT(joined(ran.out),
             Catch::Contains("--kernel scale_add --grid 1,1,1 --block 64,1,1 --arg inout:x"));
  CHECK_THAT(joined(ran.out), Catch::Contains("by_value           32 bytes at 0"));
  const Ran one = run_fmha950("device run " + file + " --describe --kernel racing");
  CHECK_THAT(joined(one.out), Catch::StartsWith("kernel racing"));
  CHECK(std::ranges::count(one.out, std::string()) == 0);
}

TEST_CASE("device run: bad input is refused before anything runs") {
  const TemporaryFolder folder;
  const std::string text = folder.write("text.co", "not an ELF file"),
                    short_file = folder.path() / "short.npy";
  write(short_file, {1, 2});
  const auto refuses = [&](const std::string& arguments, const std::string& expected) {
    const Ran ran = run_fmha950("device run " + arguments);
    INFO(arguments << "\n" << joined(ran.err));
    CHECK(ran.exit_code == 3);
    CHECK(ran.out.empty());
    REQUIRE(ran.err.size() == 1);
    CHECK_THAT(ran.err[0], Catch::Contains(expected));
  };
  const std::string launch =
      file + " --kernel scale_add --block 64 --arg null --arg 'zero:f32[4]' --arg 1 --arg 1.0 ";
  refuses((folder.path() / "missing.co").string(), "missing.co: must be a readable file");
  refuses(folder.path().string(), "must be a regular file");
  refuses(text, "must be a code object");
  refuses(file, "kernel = : must be one of those in");
  refuses(file + " --kernel scale",
          "kernel = scale: must be one of those in " + std::string(CODE_OBJECTS) + "/foreign_kernels.co: ");
  refuses(file + " --kernel scale_add", "--block = : must be given");
  refuses(file + " --kernel scale_add --block 128", "must have at most 64 work-items");
  refuses(file + " --kernel scale_add --block 64", "arguments = 0: must be 4");
  refuses(launch + "--lds 200000", "--lds = 200000: must be at most 163840");
  refuses(launch + "--expect " + short_file, "must have the output's 4 elements");
  refuses(launch + "--expect 0=" + short_file, "must be OUTPUT=FILE with one of the outputs, arguments 1 (y");
  refuses(launch + "--expect y.txt", "must name a file that ends in");
  refuses(launch + "--save y.txt", "--save = y.txt");
  refuses(launch + "--schedules lasy", "lasy");
  refuses(launch + "--hazards lds_oder", "lds_oder");
}

TEST_CASE("code object files: bundles are read, what is cut short or compressed is refused") {
  const auto kernels = [](const std::string& bytes) {
    return kernels_of("f", {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
  };
  const CodeObjectFile object = read_code_object_file(file);
  CHECK(object.kernels.size() == 4);
  const std::string elf(reinterpret_cast<const char*>(object.bytes.data()), object.bytes.size());
  const auto number = [](uint64_t value) {
    std::string text(8, '\0');
    std::memcpy(text.data(), &value, sizeof value);
    return text;
  };
  const std::string id = "hipv4-amdgcn-amd-amdhsa--gfx950";
  const std::string bundle =
      "__CLANG_OFFLOAD_BUNDLE__" + number(1) + number(4096) + number(elf.size()) + number(id.size()) + id;
  CHECK(kernels(bundle + std::string(4096 - bundle.size(), '\0') + elf).size() == 4);
  CHECK_THROWS_WITH(kernels(bundle),
                    Catch::Contains("must be a whole offload bundle with an entry for gfx950"));
  CHECK_THROWS_WITH(kernels("CCOB1234"), Catch::Contains("--no-offload-compress"));
  CHECK_THROWS_WITH(kernels(elf.substr(0, 100)), Catch::Contains("must be whole"));
  std::string other = elf;
  other[18] = 62;
  CHECK_THROWS_WITH(kernels(other), Catch::Contains("must be for AMDGPU"));
}
