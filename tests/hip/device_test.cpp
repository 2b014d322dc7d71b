// Device queries, options, streams and events, errors.
#include "tests/hip/fixture.hpp"

#include <cstdlib>
#include <cstring>

TEST_CASE("the device is one gfx950") {
  int count = 0, major = 0, minor = 0, value = 0;
  CHECK(hipInit(0) == 0);
  CHECK((hipGetDeviceCount(&count) == 0 && count == 1));
  CHECK(hipSetDevice(1) == invalid_device);
  CHECK(detail() == "device = 1: must be 0");
  CHECK((hipDeviceComputeCapability(&major, &minor, 0) == 0 && major == 9 && minor == 5));
  const auto attribute = [&](int id) {
    REQUIRE(hipDeviceGetAttribute(&value, id, 0) == 0);
    return value;
  };
  CHECK(attribute(23) == 9);
  CHECK(attribute(61) == 5);
  CHECK(attribute(63) == 256);    // compute units
  CHECK(attribute(87) == 64);     // wave
  CHECK(attribute(74) == 163840); // LDS per workgroup
  CHECK(attribute(56) == 1024);   // work-items per workgroup
  CHECK(hipDeviceGetAttribute(&value, 5000, 0) == invalid_value);
  CHECK(detail() == "attr = 5000: unknown to the embedded device");
  char name[256];
  REQUIRE(hipDeviceGetName(name, 256, 0) == 0);
  CHECK_THAT(std::string(name), Catch::Contains("gfx950"));
}

// Sizes and offsets as the compiler gives them for the structures of HIP 5.2's and HIP 6's headers.
TEST_CASE("both layouts of the properties") {
  alignas(8) char old_layout[792 + 64], new_layout[1472 + 64];
  std::memset(old_layout, 0x5A, sizeof old_layout);
  std::memset(new_layout, 0x5A, sizeof new_layout);
  REQUIRE(hipGetDeviceProperties(old_layout, 0) == 0);
  REQUIRE(hipGetDevicePropertiesR0600(new_layout, 0) == 0);
  const auto field = [](const char* from, size_t offset) {
    int value;
    std::memcpy(&value, from + offset, 4);
    return value;
  };
  CHECK(field(old_layout, 276) == 64);  // warpSize
  CHECK(field(old_layout, 336) == 256); // multiProcessorCount
  CHECK(std::string(old_layout + 396) == "gfx950:sramecc+:xnack-");
  CHECK(field(new_layout, 308) == 64);  // warpSize
  CHECK(field(new_layout, 388) == 256); // multiProcessorCount
  CHECK(std::string(new_layout + 1160) == "gfx950:sramecc+:xnack-");
  for (size_t i = 0; i < 64; ++i) REQUIRE((old_layout[792 + i] == 0x5A && new_layout[1472 + i] == 0x5A));
}

TEST_CASE("the last error is kept per thread until it is read") {
  hipGetLastError();
  CHECK(hipSetDevice(3) == invalid_device);
  CHECK(hipDeviceSynchronize() == 0);
  CHECK(hipPeekAtLastError() == invalid_device);
  CHECK(hipGetLastError() == invalid_device);
  CHECK(hipGetLastError() == 0);
  CHECK(std::string(hipGetErrorName(launch_failure)) == "hipErrorLaunchFailure");
  CHECK(std::string(hipGetErrorName(12345)) == "hipErrorUnknown");
}

TEST_CASE("streams and events") {
  void *stream = nullptr, *start = nullptr, *stop = nullptr, *untimed = nullptr;
  REQUIRE(hipStreamCreateWithFlags(&stream, 1) == 0);
  REQUIRE(hipEventCreate(&start) == 0);
  REQUIRE(hipEventCreate(&stop) == 0);
  REQUIRE(hipEventCreateWithFlags(&untimed, 2) == 0);
  float milliseconds = -1;
  CHECK(hipEventElapsedTime(&milliseconds, start, stop) == invalid_handle);
  CHECK(detail() == "stop event was never recorded");
  REQUIRE(hipEventRecord(start, stream) == 0);
  REQUIRE(hipEventRecord(stop, stream) == 0);
  REQUIRE(hipEventRecord(untimed, nullptr) == 0);
  CHECK(hipStreamWaitEvent(stream, stop, 0) == 0);
  CHECK(hipEventElapsedTime(&milliseconds, start, stop) == 0);
  CHECK(milliseconds >= 0);
  CHECK(hipEventElapsedTime(&milliseconds, start, untimed) == invalid_handle);
  CHECK(hipStreamQuery(stream) == 0);
  CHECK(hipStreamSynchronize(reinterpret_cast<void*>(2)) == 0); // hipStreamPerThread
  CHECK(hipStreamDestroy(stream) == 0);
  CHECK(hipStreamSynchronize(stream) == invalid_handle);
  CHECK_THAT(detail(), Catch::EndsWith("not a live stream"));
  for (void* event : {start, stop, untimed}) CHECK(hipEventDestroy(event) == 0);
  CHECK(hipEventRecord(start, nullptr) == invalid_handle);
}

TEST_CASE("options by name") {
  CHECK(fmha950SetOption("schedule", "lazy") == 0);
  CHECK(fmha950SetOption("schedule", "sometimes") == invalid_value);
  CHECK_THAT(detail(), Catch::StartsWith("schedule = sometimes: "));
  CHECK(fmha950SetOption("threads", "0") == invalid_value);
  CHECK(detail() == "threads = 0: must be a whole number from 1 to 1024");
  CHECK(fmha950SetOption("threads", "2x") == invalid_value);
  CHECK(fmha950SetOption("mfma", "exact") == invalid_value);
  CHECK(detail() == "mfma = exact: must be fma or fdpa");
  CHECK(fmha950SetOption("trace", "trace.jsonl,first") == invalid_value);
  CHECK(detail() == "trace = trace.jsonl,first: must be FILE or FILE,WORKGROUP: trace.jsonl,0");
  CHECK(fmha950SetOption("cure", "yes") == invalid_value);
  CHECK(detail() == "cure = yes: must be 0 or 1");
  CHECK(fmha950SetOption("doubt", "2,meetings") == 0);
  CHECK(fmha950SetOption("doubt", "0") == 0);
  CHECK(fmha950SetOption("doubt", "2,barriers") == invalid_value);
  CHECK(detail() == "doubt = 2,barriers: must be a whole number: which change of option mutant is the first "
                    "that is doubted, "
                    "0 for none; behind it ,meetings doubts those that inserted barriers bring, too");
  CHECK(fmha950SetOption("replay", std::string(200, 'x').c_str()) == invalid_value);
  CHECK_THAT(detail(), Catch::EndsWith(": must be the path of a Unix socket, which is shorter"));
  CHECK(fmha950SetOption("colour", "red") == invalid_value);
  CHECK(detail() ==
        "option colour is unknown: the device has schedule, threads, mfma, carry, byte_rounding, simd, "
        "check, report, suppress, baseline, accepted, mutant, doubt, cure, budget, break, trace, launches, "
        "timing, timing_report, paths, replay and quiet");
  CHECK(fmha950SetOption("schedule", "timed") == 0);
  CHECK(fmha950SetOption("mfma", "fma") == 0);
}

TEST_CASE("coverage closes with the count") {
  const std::string text = fmha950Coverage();
  CHECK_THAT(text, Catch::Contains(" opcodes ("));
}

// A program of its own for each: the environment is read once.
TEST_CASE("environment variables") {
  const auto run = [](const std::string& environment) {
    return std::system((environment + " " HIP_PROBE " >/dev/null 2>" HIP_PROBE ".stderr").c_str());
  };
  const auto complaint = [] {
    std::string text;
    if (FILE* file = fopen(HIP_PROBE ".stderr", "r")) {
      char buffer[512];
      while (fgets(buffer, sizeof buffer, file)) text += buffer;
      fclose(file);
    }
    return text;
  };
  CHECK(run("FMHA950_SCHEDULE=random:7,starve:1 FMHA950_THREADS=2 FMHA950_MFMA=fdpa FMHA950_SIMD=baseline") ==
        0);
  CHECK(run("FMHA950_THREADS=many") != 0);
  CHECK(complaint() == "FMHA950_THREADS = many: must be a whole number from 1 to 1024\n");
  CHECK(run("FMHA950_CARRY=32") == 0);
  CHECK(run("FMHA950_CARRY=16") != 0);
  CHECK(complaint() == "FMHA950_CARRY = 16: must be 64 or 32\n");
  CHECK(run("FMHA950_BYTE_ROUNDING=nearest") == 0);
  CHECK(run("FMHA950_BYTE_ROUNDING=up") != 0);
  CHECK(complaint() == "FMHA950_BYTE_ROUNDING = up: must be zero or nearest\n");
  CHECK(run("FMHA950_MFMA=") != 0);
  CHECK(complaint() == "FMHA950_MFMA = : must be fma or fdpa\n");
  CHECK(run("FMHA950_SCHEDULE=eager,late") != 0);
  CHECK_THAT(complaint(), Catch::StartsWith("FMHA950_SCHEDULE = eager,late: "));
  CHECK(run("FMHA950_SIMD=sse") != 0);
  CHECK_THAT(complaint(), Catch::StartsWith("FMHA950_SIMD = sse: "));
}

TEST_CASE("a clang -x hip program runs on the device: registration, <<<>>>, symbols") {
  CHECK(std::system(HIP_HOST_PROGRAM) == 0);
}
