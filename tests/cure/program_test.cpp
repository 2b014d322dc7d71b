// Programs: the patched kernel as a file, FMHA950_CURE, an interruption, and what cannot be run again and again.
#include "tests/cure/assembled.hpp"
#include "tests/harness/program.hpp"

#include "harness/cure/program_cures.hpp"
#include "harness/output/terminal_line.hpp"

#include "tests/support/catch.hpp"
#include <cstdlib>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <fstream>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

std::string object(const char* name) { return fmt::format("{}/{}.co", CODE_OBJECTS, name); }

std::vector<std::string> program(const std::string& object_file, const std::string& kernel,
                                 const std::string& last = "") {
  std::vector<std::string> words = {"/usr/bin/python3", std::string(TESTS) + "/cure/racy_program.py",
                                    object_file, kernel};
  if (!last.empty()) words.push_back(last);
  return words;
}

std::string line_of(const std::vector<std::string>& words) {
  return fmt::format("'{}'", fmt::join(words, "' '"));
}

// A program with option cure, as a user starts it: `input` is a redirection, `library` the device's folder.
Ran run_alone(const std::vector<std::string>& words, const std::string& options,
              const std::string& input = "</dev/null", const std::string& library = DEVICE) {
  const TemporaryFolder folder;
  const std::string out = folder.path() / "out", err = folder.path() / "err";
  const int status =
      std::system(fmt::format("env -u FMHA950_HIP_LIBRARY LD_LIBRARY_PATH={} {} {} >{} 2>{} {}", library,
                              options, line_of(words), out, err, input)
                      .c_str());
  std::ifstream out_file(out), err_file(err);
  return {exit_code_of(status), lines_of(out_file), lines_of(err_file)};
}

class Variable { // of the environment, as long as it lives
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
};

} // namespace

TEST_CASE("cure --write: the program with the written kernel has the same results and no finding",
          "[unsanitized]") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "patched.s";
  const std::string arguments = fmt::format("cure --schedules eager,lazy --write {} program {}", file,
                                            line_of(program(object("cure_program_kernels"), "looked_up")));
  const Ran first = run_fmha950(arguments);
  CAPTURE(joined(first.out), joined(first.err));
  CHECK(first.exit_code == 2);
  CHECK(joined(first.err).find(file + ": kernel looked_up") != std::string::npos);
  const std::string text = folder.read("patched.s");
  CHECK(text.find("\ts_waitcnt vmcnt(0) ; inserted 1 before +0x") != text.npos);
  CHECK(text.find("cures finding 1: register_in_flight") != text.npos);
  CHECK(text.find("\t.size variable, 16") != text.npos);

  const std::string made = folder.path() / "made.co";
  const std::vector<std::byte> bytes = assembled(text);
  std::ofstream(made, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  const auto patched = program(made, "looked_up");
  CHECK(run_fmha950("cure --schedules eager,lazy program " + line_of(patched)).out ==
        std::vector<std::string>{"0 findings, 0 cured, 0 partly, 0 not"});
  CHECK(run_alone(patched, "FMHA950_SCHEDULE=lazy").out ==
        run_alone(program(object("cure_program_kernels"), "looked_up"), "FMHA950_SCHEDULE=eager").out);

  const Ran again = run_fmha950(arguments);
  CHECK(again.exit_code == 3);
  CHECK(joined(again.err).find("exists: add --overwrite") != std::string::npos);
  CHECK(folder.read("patched.s") == text);
}

TEST_CASE("cure --write: kernels have a file each, and without a cure there is none", "[unsanitized]") {
  const TemporaryFolder folder;
  const auto written = [&](std::vector<std::string> words) {
    return run_fmha950(fmt::format("cure --schedules eager,lazy --brief --write {}/k.s program {}",
                                   folder.path().string(), line_of(words)));
  };
  auto two = program(object("cure_kernels"), "late_wait");
  two.push_back(object("cure_program_kernels"));
  two.emplace_back("looked_up");
  const Ran ran = written(two);
  CAPTURE(joined(ran.out), joined(ran.err));
  REQUIRE(ran.out.size() == 3);
  CHECK(ran.out[0].find("cured by late_wait+0x") != std::string::npos);
  CHECK(folder.read("k.s").find("late_wait:\n") != std::string::npos);
  CHECK(folder.read("k.2.s").find("looked_up:\n") != std::string::npos);
  std::filesystem::remove(folder.path() / "k.s");
  const Ran none = written(program(object("cure_program_kernels"), "clean"));
  CHECK(none.exit_code == 0);
  CHECK(joined(none.err).find("not written, as nothing is cured") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "k.s"));
}

TEST_CASE("FMHA950_CURE: at its end a program says what would cure it", "[unsanitized]") {
  const auto late = program(object("cure_kernels"), "late_wait", "fork");
  const Ran plain = run_alone(late, ""), ran = run_alone(late, "FMHA950_CURE=1");
  const std::string text = joined(ran.err);
  CAPTURE(text);
  CHECK(ran.exit_code == 0);
  CHECK(ran.out == plain.out);
  CHECK(text.find("FMHA950_CURE: 1 finding of severity error. This program is run anew") != text.npos);
  CHECK(text.find("FMHA950_CURE:") == text.rfind("FMHA950_CURE:")); // not by the child that it forked
  CHECK(text.find("cured by late_wait+0x") != text.npos);
  CHECK(ran.err.back() == "1 findings, 1 cured, 0 partly, 0 not");
}

TEST_CASE("FMHA950_CURE: the runs that it makes write no timing reports", "[unsanitized]") {
  const TemporaryFolder folder;
  const Ran ran = run_alone(program(object("cure_kernels"), "late_wait"),
                            "FMHA950_CURE=1 FMHA950_TIMING_REPORT=" + (folder.path() / "%p.jsonl").string());
  CHECK(ran.err.back() == "1 findings, 1 cured, 0 partly, 0 not");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("FMHA950_CURE: nothing is started without an error, or where it cannot be", "[unsanitized]") {
  const auto late = program(object("cure_kernels"), "late_wait");
  CHECK(run_alone(program(object("cure_program_kernels"), "clean"), "FMHA950_CURE=1").err.empty());
  CHECK(joined(run_alone(late, "FMHA950_CURE=0").err).find("FMHA950_CURE") == std::string::npos);
  const auto started_not = [](const Ran& ran, const std::string& why) {
    const std::string text = joined(ran.err);
    CAPTURE(text);
    CHECK(text.find("Not looked for cures, as " + why) != text.npos);
    CHECK(ran.err.back().find("fmha950-harness cure --brief program /usr/bin/python3") != std::string::npos);
    CHECK(text.find("findings,") == text.npos);
  };
  started_not(run_alone(late, "FMHA950_CURE=1", "<<END\nread\nEND\n"), "");
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "lib/device");
  std::filesystem::copy_file(std::string(DEVICE) + "/libamdhip64.so",
                             folder.path() / "lib/device/libamdhip64.so");
  started_not(run_alone(late, "FMHA950_CURE=1", "</dev/null", folder.path() / "lib/device"), "there is no ");
  const Ran wrong = run_alone(late, "FMHA950_CURE=2");
  CHECK(wrong.exit_code != 0);
  CHECK(joined(wrong.err).find("FMHA950_CURE = 2: must be 0 or 1") != std::string::npos);
}

TEST_CASE("cure: an interruption ends it with the best so far", "[unsanitized]") {
  const TemporaryFolder folder;
  const auto words =
      program(object("cure_kernels"), "two_faults", "once=" + (folder.path() / "once").string());
  const Ran ran = run_fmha950("cure --rerun --schedules eager,lazy program " + line_of(words));
  const std::string text = joined(ran.out);
  CAPTURE(text, joined(ran.err));
  CHECK(ran.exit_code == 130);
  CHECK(text.find(" executions, ") != text.npos);
  CHECK(text.find(" s, interrupted\n") != text.npos);
  CHECK(ran.out.back().starts_with("1 findings, 1 cured")); // of two
  CHECK(joined(ran.err).find("interrupted (Interrupt): ") != std::string::npos);
}

TEST_CASE("cure: progress is one line of a terminal, and nothing elsewhere") {
  const cure::SoFar so_far{12, 200, 3, 4, 5.4};
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY), own = dup(STDERR_FILENO);
  REQUIRE(terminal >= 0);
  REQUIRE((grantpt(terminal) == 0 && unlockpt(terminal) == 0));
  const int other = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  dup2(other, STDERR_FILENO);
  {
    TerminalLine line;
    line.show(as_text(so_far));
  }
  const int nothing = open("/dev/null", O_WRONLY);
  dup2(nothing, STDERR_FILENO);
  TerminalLine().show(as_text(so_far));
  dup2(own, STDERR_FILENO);
  // What was written at several times may be read so; "." says that there is no more.
  REQUIRE(write(other, ".", 1) == 1);
  std::string shown;
  char bytes[256];
  for (ssize_t size; !shown.ends_with('.') && (size = read(terminal, bytes, sizeof bytes)) > 0;)
    shown.append(bytes, static_cast<size_t>(size));
  CHECK(shown == "\r\x1b[Ktried 12 of 200, best orders 3 of 4 pairs, 5 s\r\x1b[K.");
  for (const int file : {terminal, other, nothing, own}) close(file);
}

TEST_CASE("cure: programs that cannot be run again and again are refused by name") {
  CHECK_THROWS_WITH(cure::cure_program({"sleep", "1000"}, {{"eager"}, {}, 1}),
                    Catch::Contains("must end by itself within 1 s, and does not"));
}

TEST_CASE("cure: a kernel that does not end is refused by name", "[unsanitized]") {
  const Variable budget("FMHA950_BUDGET", "100000");
  CHECK_THROWS_WITH(cure::cure_program(program(object("cure_program_kernels"), "endless"), {{"eager"}, {}}),
                    Catch::Contains("must have no kernel that does not end") &&
                        Catch::Contains("endless executes more"));
}

TEST_CASE("cure: of a program that writes other things each time the exit code alone counts",
          "[unsanitized]") {
  cure::ProgramCureOptions options{{"eager", "lazy"}, {}};
  options.rerun = true;
  const auto findings = cure::cure_program(program(object("cure_kernels"), "late_wait", "clock"), options);
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().cure.verdict == cure::Cure::Verdict::cured);
  CHECK(findings.front().cure.proof.judged.find("different things each time") != std::string::npos);
}

TEST_CASE("cure: results that go by the order of atomics are no proof, and the atomic is named",
          "[unsanitized]") {
  const auto findings = cure::cure_program(program(object("cure_program_kernels"), "tickets*2"),
                                           {{"eager", "lazy,starve:0"}, {}});
  REQUIRE(findings.size() == 1);
  CAPTURE(findings.front().cure.proof.objection);
  CHECK(findings.front().cure.verdict == cure::Cure::Verdict::not_cured);
  CHECK(findings.front().cure.proof.objection.find("order of atomics: global_atomic_add") !=
        std::string::npos);
}
