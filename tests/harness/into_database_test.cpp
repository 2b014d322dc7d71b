// --output FILE.sqlite, with a harness that only writes lines: what becomes of the database however the run ends.
#include "harness/record/record.hpp"
#include "tests/harness/python.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

// Appends the record of file `NAME` to the file of --output, as a shell script, and then does `end`.
struct Stub {
  explicit Stub(const std::string& end) {
    std::ofstream script(harness());
    script << "#!/bin/sh\necho \"$*\" >" << folder.path() / "called"
           << "\ncase \"$*\" in *bad*) exit 3;; esac\nfor word in \"$@\"; do case $word in *.jsonl) cat "
              "\"$RECORD\" >>\"$word\";; "
              "esac; done\n"
           << end << "\n";
    script.close();
    std::filesystem::permissions(harness(), std::filesystem::perms::owner_all);
  }
  std::filesystem::path harness() const { return folder.path() / "harness"; }
  std::filesystem::path database() const { return folder.path() / "r.sqlite"; }

  std::string record(const std::string& implementation) const {
    Record record;
    record.command = "accuracy";
    record.case_string = "batch_prefill/h=2:1/sq=8/sk=32/d=128";
    record.requested = record.resolved = implementation;
    record.outcome = Outcome::passed(7);
    record.asked = record.reproduce = "./fmha950 accuracy --impl " + implementation;
    std::ofstream(folder.path() / implementation) << to_json(record).dump() << '\n';
    return quoted(folder.path() / implementation);
  }
  int run(const std::string& implementation, const std::string& options) const {
    const std::string command = "RECORD=" + record(implementation) + " /usr/bin/python3 -B " +
                                source_path("analysis/into_database.py") + " " + quoted(harness()) +
                                " accuracy " + options + " >" + quoted(folder.path() / "said") + " 2>&1";
    return std::system(command.c_str());
  }
  bool holds(const std::string& implementations) const {
    return analysis("results.py " + quoted(database()) + " --columns implementation --csv")
               .output.find("implementation\n" + implementations) != std::string::npos;
  }

  TemporaryFolder folder;
};

} // namespace

TEST_CASE("into a database: lines become it, --resume keeps what others put there, --overwrite begins anew") {
  const Stub stub("exit 1");
  const std::string output = "--output " + quoted(stub.database());
  CHECK(WEXITSTATUS(stub.run("prepass", output)) == 1); // the harness's own
  CHECK(contents(stub.folder.path() / "called").find("r.jsonl") != std::string::npos);
  CHECK(stub.holds("prepass\n"));
  CHECK(WEXITSTATUS(stub.run("fused", output)) == 3);
  CHECK(contents(stub.folder.path() / "said").find("is there already") != std::string::npos);
  std::filesystem::remove(stub.folder.path() / "r.jsonl"); // as if the database came from elsewhere
  CHECK(WEXITSTATUS(stub.run("fused", "--output=" + quoted(stub.database()) + " --resume")) == 1);
  CHECK(stub.holds("fused\nprepass\n"));
  CHECK(WEXITSTATUS(stub.run("bad", output + " --overwrite bad")) == 3); // wrote nothing
  CHECK(stub.holds("fused\nprepass\n"));
  std::filesystem::remove(stub.folder.path() / "r.jsonl");
  CHECK(WEXITSTATUS(stub.run("baseline", output + " --overwrite")) == 1);
  CHECK(stub.holds("baseline\n"));
}

TEST_CASE("into a database: a run that a signal ends has its results there, and ends by the signal") {
  const Stub stub("kill -TERM $$; sleep 5");
  const int status = stub.run("prepass", "--output " + quoted(stub.database()));
  CHECK((WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128) == SIGTERM);
  CHECK(stub.holds("prepass\n"));
}

TEST_CASE("into a database: lines that are none are said, and stay") {
  const Stub stub("echo nonsense >>\"$(dirname \"$0\")/r.jsonl\"");
  CHECK(WEXITSTATUS(stub.run("prepass", "--output " + quoted(stub.database()))) == 3);
  CHECK(contents(stub.folder.path() / "said").find("the results are in") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(stub.database()));
}
