#include "interface/error.hpp"
#include "interface/npy.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"
#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace fmha950;
namespace fs = std::filesystem;

namespace {

// A file of its own for each test, removed with it.
class TemporaryFile {
 public:
  TemporaryFile() : path(fs::temp_directory_path() / ("fmha950_npy_test_" + std::to_string(getpid()))) {}
  ~TemporaryFile() { fs::remove(path); }
  void write(const std::string& bytes) const { std::ofstream(path, std::ios::binary) << bytes; }
  std::string read() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const fs::path path;
};

std::string npy(const std::string& header, const std::string& data = "", char version = 1) {
  std::string text = std::string("\x93NUMPY") + version + '\0' + char(header.size()) + '\0';
  if (version > 1) text += std::string(2, '\0');
  return text + header + data;
}

struct Malformed {
  std::string bytes, error;
};

} // namespace

TEST_CASE("tensors survive .npy files bit by bit") {
  const TemporaryFile file;
  for (ElementType type : {ElementType::bf16, ElementType::fp16, ElementType::fp8, ElementType::e8m0,
                           ElementType::fp32, ElementType::int32})
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{7}, {2, 3, 5}, {}, {4, 0}, {1, 300}}) {
      Tensor tensor(type, shape);
      for (size_t i = 0; i < tensor.bytes(); ++i) tensor.data()[i] = std::byte(i * 37 + 11);
      write_npy(file.path, tensor);
      const Tensor read = read_npy(file.path, type);
      REQUIRE(read.type() == type);
      REQUIRE(read.shape() == shape);
      REQUIRE((tensor.bytes() == 0 || std::memcmp(read.data(), tensor.data(), tensor.bytes()) == 0));
    }
}

TEST_CASE("mxfp4 travels as its bytes, the last extent halved") {
  const TemporaryFile file;
  Tensor tensor(ElementType::mxfp4, {2, 3, 4});
  for (size_t i = 0; i < tensor.bytes(); ++i) tensor.data()[i] = std::byte(i * 37 + 11);
  write_npy(file.path, tensor);
  CHECK(file.read().substr(10, 59) == "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 2)");
  const Tensor read = read_npy(file.path, ElementType::mxfp4);
  CHECK(read.shape() == std::vector<int64_t>{2, 3, 4});
  REQUIRE(read.bytes() == tensor.bytes());
  CHECK(std::memcmp(read.data(), tensor.data(), tensor.bytes()) == 0);
}

TEST_CASE("written .npy files are what NumPy's format description says") {
  const TemporaryFile file;
  write_npy(file.path, Tensor(ElementType::fp32, {3}));
  const std::string bytes = file.read();
  REQUIRE(bytes.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  REQUIRE(bytes.substr(10, 55) == "{'descr': '<f4', 'fortran_order': False, 'shape': (3,),");
  REQUIRE(bytes[127] == '\n');
  REQUIRE(bytes.size() == 128 + 12);
}

TEST_CASE("files that NumPy and ml_dtypes write are read") {
  const TemporaryFile file;
  file.write(npy("{'descr': '|V1', 'fortran_order': False, 'shape': (2, 1), }\n", "\x38\x40", 2));
  const Tensor fp8 = read_npy(file.path, ElementType::fp8);
  REQUIRE(fp8.value(0) == 1.0f);
  REQUIRE(fp8.value(1) == 2.0f);
  file.write(npy("{\"shape\": (1,), \"fortran_order\": False, \"descr\": \"<V2\"}", "\x80\x3f", 3));
  REQUIRE(read_npy(file.path, ElementType::bf16).value(0) == 1.0f);
  const Tensor recorded = read_npy(source_path("data/activations/L00_K.npy"), ElementType::fp16);
  REQUIRE(recorded.shape() == std::vector<int64_t>{4096, 3, 64});
}

TEST_CASE("malformed .npy files are refused with what is wrong in them") {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  const std::string form = ": must be {'descr': '...', 'fortran_order': ..., 'shape': (...), }";
  const Malformed table[] = {
      {"", "no .npy file: must begin with \\x93NUMPY and a version"},
      {"PK\3\4 something else", "no .npy file: must begin with \\x93NUMPY and a version"},
      {npy(good, "", 9), ".npy version 9: must be version 1, 2 or 3"},
      {npy(good).substr(0, 9), "header of 57 bytes: is cut short"},
      {npy(good).substr(0, 30), "header of 57 bytes: is cut short"},
      {npy("{'descr': '<f4', 'shape': (2,)}"), "header {'descr': '<f4', 'shape': (2,)}" + form},
      {npy(good + " junk"), "header " + good + " junk" + form},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }"),
       "header {'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }" + form},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }"),
       "header {'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }" + form},
      {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }"),
       "'<f8' elements: must be <f4 for fp32"},
      {npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }"),
       "'>f4' elements: must be <f4 for fp32"},
      {npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2,), }", "01234567"),
       "Fortran order: must be in C order (numpy.ascontiguousarray)"},
      {npy(good, "0123456"), "7 bytes of data: must be 8 for shape (2)"},
      {npy(good, "012345678"), "9 bytes of data: must be 8 for shape (2)"},
  };
  const TemporaryFile file;
  for (const Malformed& row : table) {
    file.write(row.bytes);
    REQUIRE_THROWS_WITH(read_npy(file.path, ElementType::fp32),
                        "file " + file.path.string() + " = " + row.error);
  }
  REQUIRE_THROWS_WITH(read_npy("/nowhere.npy", ElementType::fp32),
                      "file /nowhere.npy = unreadable: must be a .npy file");
  const auto irregular = [](const fs::path& path, const std::string& kind) {
    REQUIRE_THROWS_WITH(read_npy(path, ElementType::fp32),
                        "file " + path.string() + " = " + kind + ": must be a regular file, a .npy file");
  };
  irregular(fs::temp_directory_path(), "a directory");
  irregular("/dev/null", "a device");
  fs::remove(file.path);
  REQUIRE(mkfifo(file.path.c_str(), 0600) == 0); // opening it would wait for a writer
  irregular(file.path, "a named pipe");
  REQUIRE_THROWS_WITH(write_npy("/nowhere/x.npy", Tensor()),
                      "file /nowhere/x.npy = not written: must be a place for a file with enough room");
}
