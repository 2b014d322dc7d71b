// Every name of the public headers is exported (data/hip_names.csv): no program meets a loader error.
#include "tests/hip/client_calls.hpp"
#include "tests/hip/fixture.hpp"
#include "tests/support/source_path.hpp"

#include <dlfcn.h>
#include <fstream>
#include <sstream>

extern "C" int hipBindTexture(...);

namespace {

struct Listed {
  std::string name, first_version, source;
};

std::vector<Listed> listed() {
  std::ifstream file(fmha950::source_path("data/hip_names.csv"));
  std::vector<Listed> rows;
  std::string line;
  std::getline(file, line);
  REQUIRE(line == "name,first_version,source");
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Listed& row = rows.emplace_back();
    for (std::string* const field : {&row.name, &row.first_version, &row.source})
      std::getline(fields, *field, ',');
  }
  return rows;
}

std::vector<std::string> missing(const std::vector<std::string>& names) {
  void* const library = dlopen(HIP_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(library);
  std::vector<std::string> lacks;
  for (const std::string& name : names)
    if (!dlsym(library, name.c_str())) lacks.push_back(name);
  dlclose(library);
  return lacks;
}

} // namespace

TEST_CASE("names: all of data/hip_names.csv are exported") {
  std::vector<std::string> names;
  for (const Listed& row : listed()) names.push_back(row.name);
  CHECK(names.size() > 500);
  CHECK(missing(names).empty());
  CHECK(missing({"hipMalloc", "hipMakeCoffee"}) == std::vector<std::string>{"hipMakeCoffee"});
}

// Counted in the map itself (data/SOURCES.md): a name that the list forgets is none that it could look for.
TEST_CASE("names: as many of each version as its section of ROCm's export map has") {
  std::map<std::string, int> names;
  for (const Listed& row : listed()) names[row.first_version] += row.source == "export map";
  CHECK(names["5.5"] == 7);
  CHECK(names["5.6"] == 5);
  CHECK(names["6.4"] == 11);
  CHECK(names["6.5"] == 3);
  CHECK(names["7.1"] == 19);
  CHECK(names["7.2"] == 22);
}

TEST_CASE("names: what is not supported says so by its name") {
  CHECK(hipBindTexture(nullptr, nullptr, nullptr, nullptr, size_t{4}) == not_supported);
  CHECK(detail() == "hipBindTexture is not supported by the embedded device");
  CHECK(hipGetLastError() == not_supported);
}

TEST_CASE("names: a _spt function is the one without it") {
  using Memcpy = int (*)(void*, const void*, size_t, int);
  const auto copy = reinterpret_cast<Memcpy>(dlsym(RTLD_DEFAULT, "hipMemcpy_spt"));
  REQUIRE(copy);
  int from = 7, to = 0;
  CHECK(copy(&to, &from, sizeof to, 0) == 0);
  CHECK(to == 7);
}

TEST_CASE("names: hipGetProcAddress gives functions of this library") {
  void* function = nullptr;
  int status = -1;
  REQUIRE(hipGetProcAddress("hipMalloc", &function, 600, 0, &status) == 0);
  CHECK(status == 0);
  CHECK(function == reinterpret_cast<void*>(&hipMalloc));
  REQUIRE(hipGetProcAddress("hipGetDeviceProperties", &function, 600, 0, nullptr) == 0);
  CHECK(function == reinterpret_cast<void*>(&hipGetDevicePropertiesR0600));
  REQUIRE(hipGetProcAddress("hipGetDeviceProperties", &function, 507, 0, nullptr) == 0);
  CHECK(function == reinterpret_cast<void*>(&hipGetDeviceProperties));
  CHECK(hipGetProcAddress("hipMakeCoffee", &function, 600, 0, &status) == 0);
  CHECK(status == 1);
  CHECK(function == nullptr);
  CHECK(hipGetProcAddress("malloc", &function, 600, 0, nullptr) == not_found);
}
