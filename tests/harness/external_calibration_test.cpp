// `device --calibration --external`: rows.csv, the clock that it sets, and what is said of errors.
#include "harness/foreign/array.hpp"
#include "harness/perf/external_calibration.hpp"
#include "harness/perf/modelled.hpp"
#include "interface/error.hpp"
#include "tests/harness/program.hpp"
#include "tests/support/catch.hpp"

#include <cstring>
#include <filesystem>
#include <fmt/format.h>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

const std::string columns = "object,kernel,grid,block,lds,arguments,flops,tflops,group,length,use\n";

// A launch that the model has in `clocks`, measured as if `law` were right.
ExternalResult measured_by(const ClockLaw& law, const BusyShares& shares, const std::string& group,
                           bool fit) {
  ExternalResult result;
  result.row.flops = 1e12;
  result.best = {1e6, shares};
  result.row.tflops = 1 / (result.best.clocks / law.hertz(shares) + dispatch_seconds);
  result.row.series = group;
  result.row.fit = fit;
  return result;
}

// A folder with an object of ours, as if it were somebody's.
struct Objects {
  TemporaryFolder folder;
  Objects() {
    std::filesystem::copy_file(CODE_OBJECTS "/foreign_kernels.co", folder.path() / "add.co");
    Array x{Element::float32, {128}, std::vector<std::byte>(512)};
    write_arrays({{{folder.path() / "x.npy", ""}, &x}});
  }
  Ran calibrate(const std::string& rows, const std::string& options = "") const {
    std::ofstream(folder.path() / "rows.csv") << columns << rows;
    return run_fmha950("device --calibration --external " + folder.path().string() + " " + options);
  }
};

const std::string add = "add.co,scale_add,2,64,0,\"in:x.npy out:float32[128] 128 2.0\",1e9,";

} // namespace

TEST_CASE("external calibration: rows of use `fit` bend the law of the clock, those left out do not") {
  ClockLaw slower = clock_law;
  slower.valu += 0.3;
  const BusyShares much{.matrix_bf16 = 0.5, .valu = 0.9};
  const std::vector<ExternalResult> results{measured_by(slower, much, "theirs", true),
                                            measured_by(clock_law, much, "judged", false)};
  CHECK(law_of({results[1]}).valu == clock_law.valu); // nothing fits: the program's
  CHECK(law_of(results).valu > clock_law.valu + 0.01);
  CHECK(law_of(results, {"theirs"}).valu == Approx(clock_law.valu).margin(0.001));
  // A group that the program's own fit knows is no less left out.
  CHECK(law_of({measured_by(slower, much, "gemm-bf16", false)}, {"gemm-bf16"}).idle > clock_law.idle + 0.01);
  // An fp8 pass is fitted only to those that have one.
  ClockLaw costly = clock_law;
  costly.matrix_fp8 = 0.5;
  CHECK(law_of({measured_by(costly, {.matrix_fp8 = 0.9}, "fp8", true)}).matrix_fp8 ==
        Approx(0.5).margin(0.01));
  CHECK(law_of(results).matrix_fp8 == clock_law.matrix_fp8);
  // What the host needs for a launch is added where the protocol has it.
  ExternalResult synchronised = results[1];
  synchronised.row.synchronised = true;
  CHECK(error_at(synchronised, clock_law) < 0);
  synchronised.row.tflops = synchronised.row.flops / 1e12 / (results[1].seconds() + host_launch_seconds);
  CHECK(error_at(synchronised, clock_law) == Approx(0).margin(1e-9));
  // Twice the clock is not twice the speed: a dispatch takes its time at any clock.
  CHECK(error_at(results[1], clock_law) == Approx(0).margin(1e-12));
  CHECK(error_at(results[0], clock_law) > 0.1);
}

TEST_CASE("external calibration: rows are modelled and compared, by group and by length") {
  const Objects objects;
  const auto runs = objects.folder.path() / "runs.csv";
  REQUIRE(objects.calibrate(add + "0.2,small,128,check\n", "--runs " + runs.string()).exit_code == 0);
  // Two workgroups leave the clock at its highest.
  const double modelled =
      1e-3 / (read_measured_launches(runs).at(0).clocks / nominal_hertz + dispatch_seconds);
  const auto row = [&](double faster, const char* rest) {
    return add + fmt::format("{:.6g},{}\n", modelled * faster, rest);
  };
  const Ran ran =
      objects.calibrate(row(1, "small,128,check") + row(0.5, "small,256,check") + row(2, "other,128,check"));
  INFO(joined(ran.out) << joined(ran.err));
  REQUIRE(ran.exit_code == 0);
  REQUIRE(ran.out.size() == 3 + 3 + 1 + 2 + 2 + 1 + 1);
  CHECK_THAT(ran.out[0], Catch::Contains("no row of use `fit`"));
  CHECK_THAT(ran.out[3], Catch::StartsWith("small") && Catch::Contains("0.0 % ") &&
                             Catch::Contains(" 2400 ") && Catch::Contains("check scale_add"));
  CHECK_THAT(ran.out[4], Catch::StartsWith("small") && Catch::Contains("100.0 %   100.0 %"));
  CHECK_THAT(ran.out[5], Catch::StartsWith("other") && Catch::Contains("-50.0 %   -50.0 %"));
  CHECK_THAT(ran.out[7],
             Catch::StartsWith("group    other ") && Catch::Contains("-50.0 %     50.0 %     50.0 %"));
  CHECK_THAT(ran.out[8],
             Catch::StartsWith("group    small ") && Catch::Contains("50.0 %     50.0 %    100.0 %"));
  CHECK_THAT(ran.out[9],
             Catch::StartsWith("length   128 ") && Catch::Contains("-25.0 %     25.0 %     50.0 %"));
  CHECK_THAT(ran.out[11], Catch::StartsWith("all "));
  CHECK(ran.out[12] == "measured between low and high: 1 of 3 rows");
  // Rows of use `fit` set the law.
  CHECK_THAT(objects.calibrate(row(1, "small,128,fit")).out.at(0),
             Catch::Contains("fitted to rows of use `fit`"));
}

TEST_CASE("external calibration: a row that cannot be launched is named before any is modelled") {
  const Objects objects;
  const auto refused = [&](const std::string& rows, const std::string& error) {
    const Ran ran = objects.calibrate(rows);
    INFO(joined(ran.out) << joined(ran.err));
    CHECK(ran.exit_code == 3);
    CHECK(ran.out.empty());
    CHECK_THAT(joined(ran.err), Catch::Contains(error));
  };
  const std::string good = add + "0.2,small,128,fit\n";
  refused("", "has no rows");
  refused(good + "add.co,scale_add,2,64,0,\"in:y.npy out:float32[128] 128 2.0\",1e9,0.2,small,128,fit\n",
          "rows.csv:3");
  refused(good + "none.co,scale_add,2,64,0,,1e9,0.2,small,128,fit\n", "rows.csv:3");
  refused(good + "add.co,nothing,2,64,0,,1e9,0.2,small,128,fit\n", "nothing");
  refused(add + "-1,small,128,fit\n", "rows.csv:2: tflops = -1: must be a number above 0");
  refused(add + "nan,small,128,fit\n", "rows.csv:2: tflops = nan: must be a number above 0");
  refused(add + "1000,small,128,fit\n", "rows.csv:2: tflops = 1000: means 1 us: a row that sets the clock "
                                        "must take longer than its launch, 1.6 us");
  refused(add + "0.2,small,128,perhaps\n", "rows.csv:2: use = perhaps: must be fit or check");
  refused(add + "0.2,,128,fit\n", "rows.csv:2: group = : must not be empty");
  refused(add + "0.2,small,long,fit\n", "rows.csv:2: length = long: must be an integer");
}

TEST_CASE("external calibration: along a dimension one workgroup of each coordinate is followed") {
  const Objects objects;
  const auto calibrate = [&](const std::string& along) {
    std::ofstream(objects.folder.path() / "rows.csv") << columns.substr(0, columns.size() - 1) + ",along\n"
                                                      << add << "0.2,small,128,fit," << along << '\n';
    return run_fmha950("device --calibration --external " + objects.folder.path().string() + " --runs " +
                       (objects.folder.path() / "runs.csv").string());
  };
  const Ran ran = calibrate("x");
  INFO(joined(ran.out) << joined(ran.err));
  REQUIRE(ran.exit_code == 0);
  CHECK_THAT(ran.out[3], Catch::Contains(" 0.0 %  fit   scale_add"));
  // What the model found can be kept as data.
  const std::vector<MeasuredLaunch> runs = read_measured_launches(objects.folder.path() / "runs.csv");
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].series == "small");
  CHECK(runs[0].length == 128);
  CHECK(runs[0].seconds == Approx(1e9 / 0.2e12 - 1.6e-6));
  CHECK(runs[0].clocks > 100);
  CHECK(runs[0].shares.valu > 0);
  CHECK(runs[0].shares.valu < 2.0 / 256); // of two workgroups on 256 CUs
  CHECK(runs[0].shares.matrix_bf16 == 0);
  CHECK_FALSE(runs[0].synchronised);
  const Ran refused = calibrate("w");
  CHECK(refused.exit_code == 3);
  CHECK_THAT(joined(refused.err), Catch::Contains("rows.csv:2: along = w: must be x, y or z, or empty"));
}

TEST_CASE("external calibration: workgroups of one chiplet share its L2 where a row says so") {
  const Objects objects;
  // All workgroups write the same 512 bytes: one chiplet's ask MALL for them once.
  const auto calibrate = [&](const std::string& l2, const std::string& along = "") {
    std::ofstream(objects.folder.path() / "rows.csv")
        << columns.substr(0, columns.size() - 1) + ",along,l2\n"
        << "add.co,racing,512,128,0,out:int32[128],1e9,0.02,small,128,check," << along << ',' << l2 << '\n';
    return run_fmha950("device --calibration --external " + objects.folder.path().string() + " --runs " +
                       (objects.folder.path() / "runs.csv").string());
  };
  const auto from_mall = [&](const std::string& l2) {
    const Ran ran = calibrate(l2);
    INFO(joined(ran.out) << joined(ran.err));
    REQUIRE(ran.exit_code == 0);
    const MeasuredLaunch launch =
        read_measured_launches(objects.folder.path() / "runs.csv").at(0); // scaled to the whole GPU
    return launch.shares.mall * launch.clocks;
  };
  CHECK(from_mall("") > 20 * from_mall("shared"));
  CHECK_THAT(joined(calibrate("own").err), Catch::Contains("rows.csv:2: l2 = own: must be shared or empty"));
  CHECK_THAT(joined(calibrate("shared", "x").err), Catch::Contains("rows.csv:2: l2 = shared: must be empty"));
}

TEST_CASE("external calibration: the protocol of a measurement is a word, or nothing") {
  const Objects objects;
  const auto calibrate = [&](const std::string& protocol) {
    std::ofstream(objects.folder.path() / "rows.csv") << columns.substr(0, columns.size() - 1) + ",protocol\n"
                                                      << add << "0.02,small,128,check," << protocol << '\n';
    return run_fmha950("device --calibration --external " + objects.folder.path().string() + " --runs " +
                       (objects.folder.path() / "runs.csv").string());
  };
  REQUIRE(calibrate("synchronised").exit_code == 0);
  CHECK(read_measured_launches(objects.folder.path() / "runs.csv").at(0).synchronised);
  CHECK_THAT(joined(calibrate("quick").err),
             Catch::Contains("rows.csv:2: protocol = quick: must be synchronised or empty"));
}

TEST_CASE("external calibration: without a folder it prints the columns") {
  const Ran ran = run_fmha950("device --calibration --external");
  CHECK(ran.exit_code == 0);
  std::istringstream names(columns);
  for (std::string name; std::getline(names, name, ',');)
    CHECK_THAT(joined(ran.out), Catch::Contains("\n  " + name.substr(0, name.find('\n')) + " "));
  CHECK(run_fmha950("device --external").exit_code != 0);
}
