// Files of lines that a later run goes on with: what is kept, what is refused, and who may write.
#include "harness/output/line_file.hpp"
#include "interface/error.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fmha950;
using namespace fmha950::harness;
using Lines = std::vector<std::string>;

namespace {

// The lines that are kept of a file with this text, and the text after one more was added.
struct Resumed {
  Lines kept;
  std::string text;
};

Resumed resume(const std::string& text) {
  const TemporaryFolder folder;
  LineFile file("output", folder.write("f", text), ExistingLines::keep);
  file.add("{\"new\":1}");
  return {file.kept(), folder.read("f")};
}

} // namespace

TEST_CASE("a file with lines is refused unless they are to be kept or replaced, and stays as it is") {
  const TemporaryFolder folder;
  const auto path = folder.write("f", "{\"a\":1}\n");
  CHECK_THROWS_WITH(LineFile("output", path, ExistingLines::refuse),
                    "output = " + path.string() +
                        ": is not empty: add --resume to keep what it holds and run what is missing, or "
                        "--overwrite to begin anew");
  CHECK(folder.read("f") == "{\"a\":1}\n");
  LineFile("output", path, ExistingLines::replace).add("{}");
  CHECK(folder.read("f") == "{}\n");
  folder.write("f", "");
  LineFile("output", path, ExistingLines::refuse).add("{}"); // an empty one is as good as none
  LineFile("output", folder.path() / "new", ExistingLines::refuse).add("{}");
  CHECK(folder.read("f") + folder.read("new") == "{}\n{}\n");
}

TEST_CASE("whole lines are kept, a torn last one is dropped, and new ones follow") {
  const std::string one = "{\"a\":1}\n", added = "{\"new\":1}\n";
  CHECK(resume("").text == added);
  CHECK(resume(one + one).kept == Lines{"{\"a\":1}", "{\"a\":1}"});
  CHECK(resume(one + one).text == one + one + added);
  for (const std::string torn : {"{", "{\"a\":", "{\"a\":1}", "{\"a\":\n"}) {
    CAPTURE(torn);
    CHECK(resume(one + torn).kept == Lines{"{\"a\":1}"});
    CHECK(resume(one + torn).text == one + added);
    CHECK(resume(torn).text == added);
  }
}

TEST_CASE("a file of something else is refused and stays as it is") {
  const TemporaryFolder folder;
  for (const std::string text : {"My notes", "My notes\n", "{\"a\":1}\nnotes"}) {
    const auto path = folder.write("f", text);
    CHECK_THROWS_WITH(LineFile("output", path, ExistingLines::keep),
                      Catch::Contains("must hold lines of JSON, and its line "));
    CHECK(folder.read("f") == text);
  }
}

TEST_CASE("what is no regular file is written to, where it can be, and has nothing to keep") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(LineFile("output", folder.path(), ExistingLines::replace),
                    Catch::EndsWith("must be a regular file, and is a directory"));
  CHECK_THROWS_WITH(LineFile("output", "/dev/null", ExistingLines::keep),
                    Catch::EndsWith("must be a regular file, and is a device"));
  LineFile("output", "/dev/null", ExistingLines::refuse).add("{}");
  CHECK_THROWS_WITH(LineFile("output", "/nowhere/f", ExistingLines::refuse),
                    Catch::StartsWith("output = /nowhere/f: cannot be written: "));
  const std::filesystem::path pipe = folder.path() / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0); // opening it would wait for a reader
  CHECK_THROWS_WITH(LineFile("output", pipe, ExistingLines::replace),
                    Catch::EndsWith("is a named pipe that nobody reads"));
  LineFile full("output", "/dev/full", ExistingLines::refuse);
  CHECK_THROWS_WITH(full.add("{}"), Catch::Contains("results could not be written in full"));
}

TEST_CASE("a disk that is full leaves whole lines") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "f";
  LineFile file("output", path, ExistingLines::refuse);
  file.add(R"({"line": 1})");
  struct rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit full{std::filesystem::file_size(path) + 5, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_FSIZE, &full) == 0);
  CHECK_THROWS_WITH(file.add(R"({"line": 2})"), Catch::Contains("could not be written in full"));
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, SIG_DFL);
  CHECK(std::filesystem::file_size(path) == std::string(R"({"line": 1})").size() + 1);
  file.add(R"({"line": 3})"); // and has room again
  CHECK(std::filesystem::file_size(path) == 2 * (std::string(R"({"line": 1})").size() + 1));
}

TEST_CASE("one writer per file: a second is refused by who the first is") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f";
  {
    LineFile first("output", path, ExistingLines::refuse);
    first.add("{}");
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    for (const auto existing : {ExistingLines::refuse, ExistingLines::keep, ExistingLines::replace})
      CHECK_THROWS_WITH(LineFile("output", path, existing),
                        Catch::Contains("is being written by process " + std::to_string(getpid()) + " on " +
                                        host + ", since ") &&
                            Catch::Contains("UTC: ") && Catch::Contains("test_harness"));
    std::filesystem::create_symlink(path, folder.path() / "link"); // another name of the same file
    CHECK_THROWS_WITH(LineFile("output", folder.path() / "link", ExistingLines::replace),
                      Catch::Contains("is being written by process "));
    CHECK(folder.read("f") == "{}\n");
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "f.lock"));
  CHECK(LineFile("output", path, ExistingLines::keep).kept() == Lines{"{}"});
}

TEST_CASE("a lock ends with its process, however that ends") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "f";
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    LineFile file("output", path, ExistingLines::refuse);
    file.add("{}");
    if (write(ready[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  CHECK_THROWS_WITH(LineFile("output", path, ExistingLines::keep),
                    Catch::Contains("process " + std::to_string(child)));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(std::filesystem::exists(folder.path() / "f.lock")); // left behind, and of no effect
  CHECK(LineFile("output", path, ExistingLines::keep).kept() == Lines{"{}"});
  close(ready[0]);
  close(ready[1]);
}
