// `./fmha950 results`: files of records as one table, and what changed between two of them.
#include "harness/record/record.hpp"
#include "tests/harness/python.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;
using Json = nlohmann::ordered_json;

namespace {

Record judged(const std::string& name, const std::string& implementation, double of_limit = 0.5) {
  Record record;
  record.command = "accuracy";
  record.case_string = name;
  record.requested = record.resolved = implementation;
  record.outcome = Outcome::passed(7);
  record.accuracy.emplace().verdict.limits = {{"rmse", of_limit, 1, ""}};
  record.asked = record.reproduce = "./fmha950 accuracy '" + name + "' --impl " + implementation;
  return record;
}

Record modelled(Record record, double clocks, std::optional<double> sampling_error) {
  ModelledLaunch& launch = record.modelled.emplace().launches.emplace_back();
  launch.workgroups = launch.sampled = 1;
  launch.clocks = clocks;
  launch.sampling_error = sampling_error;
  return record;
}

const std::string small = "batch_prefill/h=2:1/sq=8/sk=32/d=128", fp8 = small + "/q=fp8/kv=fp8/quant=tensor";

class Files {
 public:
  std::string write(const std::string& name, const std::vector<Record>& records) const {
    std::ofstream file(folder_.path() / name);
    for (const Record& record : records) file << to_json(record).dump() << '\n';
    return quoted(folder_.path() / name);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    return quoted(folder_.path() / name);
  }
  std::string path(const std::string& name) const { return quoted(folder_.path() / name); }

 private:
  TemporaryFolder folder_;
};

bool has(const Finished& finished, const std::string& text) {
  return finished.output.find(text) != std::string::npos;
}

} // namespace

TEST_CASE("results: shards become one table, duplicates are counted, conflicts named") {
  const Files files;
  const std::string first = files.write("first", {judged(small, "baseline"), judged(fp8, "baseline")});
  Record again = judged(fp8, "baseline");
  again.outcome = Outcome::passed(99); // another time is no other result
  const std::string second = files.write("second", {again, judged(fp8, "fused")});
  const std::string all = files.path("all.sqlite");
  const Finished merged = analysis("results.py " + first + " " + second + " --to " + all);
  CAPTURE(merged.output);
  CHECK(merged.status == 0);
  CHECK(has(merged, "2 new, 0 duplicates, 0 conflicts"));
  CHECK(has(merged, "1 new, 1 duplicates, 0 conflicts"));
  CHECK(has(merged, "3 passed, 0 failed, 0 skipped"));
  const Finished conflict =
      analysis("results.py " + files.write("third", {judged(fp8, "fused", 0.9)}) + " --to " + all);
  CAPTURE(conflict.output);
  CHECK(conflict.status == 1);
  CHECK(has(conflict, "fused on " + fp8 + ": same command and environment, another result"));
  CHECK(has(conflict, "3 passed, 0 failed, 0 skipped"));
  const Finished copied =
      analysis("results.py " + all + " --columns case_string,accuracy_limits_rmse_value --csv");
  CHECK(has(copied, fp8 + ",0.5\n"));
  CHECK_FALSE(has(copied, "0.9"));
}

TEST_CASE("results: a table of version 1 becomes one of version 2 with all that it had") {
  const Files files;
  const std::string older = source_path("tests/harness/table_version_1.py"), all = files.path("all.sqlite");
  const std::string one = files.write("one", {judged(small, "baseline")});
  REQUIRE(python(older + " " + all + " " + one).status == 0);
  CHECK(has(analysis("results.py " + all), "1 passed, 0 failed, 0 skipped")); // is read as it is
  const std::string more = files.write("more", {judged(fp8, "fused"), judged(small, "baseline", 0.7)});
  const Finished added = analysis("results.py " + one + " " + more + " --to " + all);
  CAPTURE(added.output);
  CHECK(has(added, "0 new, 1 duplicates, 0 conflicts"));
  CHECK(has(added, "1 new, 0 duplicates, 1 conflicts"));
  CHECK(has(added, "more and a file of unknown name: baseline on " + small));
  const Finished shown = analysis("results.py " + all + " --columns implementation,source --csv");
  CHECK(has(shown, "baseline,\n"));
  CHECK(has(shown, "/more\n"));
  REQUIRE(python(older + " " + files.path("newer.sqlite") + " " + one + " 3").status == 0);
  const Finished newer = analysis("results.py " + files.path("newer.sqlite"));
  CHECK(newer.status == 3);
  CHECK(has(newer, "version 3 of the table: this program reads 1 to 2"));
}

TEST_CASE("results: conditions and groups go by the keys of the case string, too") {
  const Files files;
  Record failed = judged(fp8, "fused");
  failed.outcome = Outcome::failed(OutcomeKind::inaccurate, "rmse");
  const std::string file =
      files.write("f", {judged(small, "baseline"), modelled(judged(fp8, "baseline"), 1000, 0.01), failed});
  const Finished chosen = analysis("results.py " + file + " --where \"key_kv = 'fp8' and key_sk > 31\"");
  CHECK(has(chosen, "1 passed, 1 failed, 0 skipped"));
  CHECK_FALSE(has(chosen, small + "\n"));
  const Finished groups =
      analysis("results.py " + file + " --group-by implementation --columns modelled_clocks --csv");
  CAPTURE(groups.output);
  CHECK(has(groups, "implementation,results,passed,failed,skipped,mean modelled_clocks\n"));
  CHECK(has(groups, "baseline,2,2,0,0,1000.0\n"));
  CHECK(has(groups, "fused,1,0,1,0,\n"));
}

TEST_CASE("results: what is wrong is said, and nothing of a bad file is taken") {
  const Files files;
  const std::string good = files.write("good", {judged(small, "baseline")});
  const std::string line = to_json(judged(fp8, "baseline")).dump();
  Json older = to_json(judged(fp8, "baseline"));
  older["schema"] = 2;
  const auto refuses = [&](const std::string& text, const std::string& complaint) {
    const std::string all = files.path("all");
    REQUIRE(analysis("results.py " + good + " --to " + all).status == 0);
    const Finished ran = analysis("results.py " + files.write("bad", text) + " --to " + all);
    CAPTURE(ran.output);
    CHECK(ran.status == 3);
    CHECK(has(ran, complaint));
    CHECK(has(analysis("results.py " + all), "1 passed, 0 failed, 0 skipped"));
  };
  refuses(line + "\n{", ":2: is not JSON");
  refuses(line + "\n" + older.dump(), ":2: schema = 2: this program reads 3");
  refuses("[1]\n", ":1: is no result record");
  refuses(R"({"schema": 3})", ":1: lacks the key 'case'");
  Json number = to_json(judged(fp8, "baseline"));
  number["case"] = 1;
  refuses(number.dump(), "must be strings");
  std::string half = line; // of a surrogate pair: JSON takes it, a database does not
  half.replace(half.find(fp8), fp8.size(), "\\ud800");
  refuses(half, "cannot be put into");
  refuses("SQLite format 3", "is not JSON");
  refuses(std::string("SQLite format 3\0nonsense", 24), "database");
  const auto complains = [&](const std::string& options, const std::string& complaint) {
    const Finished ran = analysis("results.py " + good + " " + options);
    CAPTURE(ran.output);
    CHECK(ran.status == 3);
    CHECK(has(ran, complaint));
  };
  complains("--columns outcom", "--columns outcom: is no column, perhaps outcome");
  complains("--group-by nonsense", "--group-by nonsense: is no column");
  complains("--where nonsense=1", "--where nonsense=1: no such column: nonsense");
  complains("--where \"1); drop table results; --\"", "--where 1); drop table");
  CHECK(analysis("results.py " + files.path("missing")).status == 3);
  CHECK(analysis("results.py").status == 3);
  CHECK(has(analysis("results.py " + files.write("none", "")), "0 passed, 0 failed, 0 skipped"));
}

TEST_CASE("results diff: what fails now, and what moved beyond what is known of it, is worse") {
  const Files files;
  const auto diff = [&](const Record& before, const Record& after) {
    return analysis("results.py diff " + files.write("old", {before}) + " " + files.write("new", {after}));
  };
  const Record right = judged(fp8, "fused");
  Record wrong = right;
  wrong.outcome = Outcome::failed(OutcomeKind::inaccurate, "audit");
  CHECK(diff(right, right).status == 0);
  const Finished failed = diff(right, wrong);
  CHECK(failed.status == 1);
  CHECK(has(failed,
            "WORSE: fused on " + fp8 + ": passed before, inaccurate now: audit\n    ./fmha950 accuracy"));
  CHECK(diff(wrong, right).status == 0);
  CHECK(diff(right, judged(fp8, "fused", 0.54)).status == 0); // within five points
  CHECK(has(diff(right, judged(fp8, "fused", 0.56)), "WORSE: fused"));
  Record other_limit = right; // the largest share stays, another one grows
  other_limit.accuracy->verdict.limits.push_back({"row", 0.1, 1, ""});
  Record grown = other_limit;
  grown.accuracy->verdict.limits[1].value = 0.4;
  CHECK(has(diff(other_limit, grown), "of the limit `row`"));
  CHECK(diff(other_limit, grown).status == 1);
  CHECK(has(diff(right, judged(fp8, "fused", 0.44)), "changed: "));
  const Record timed = modelled(right, 1000, 0.01); // +-2.8 % with another of one percent
  CHECK(diff(timed, modelled(right, 1027, 0.01)).status == 0);
  CHECK(has(diff(timed, modelled(right, 1030, 0.01)), "WORSE: fused"));
  CHECK(has(diff(timed, modelled(right, 900, 0.01)), "changed: "));
  // All workgroups were followed.
  CHECK(has(diff(modelled(right, 1000, 0.0), modelled(right, 1002, 0.0)), "WORSE: fused"));
  const Finished unknown = diff(timed, modelled(right, 1500, {}));
  CHECK(unknown.status == 0);
  CHECK(has(unknown, "of unknown sampling error"));
  const Finished others = diff(right, judged(fp8, "baseline"));
  CHECK(has(others, "WORSE: fused on " + fp8 + ": passed before, gone now"));
  CHECK(has(others, "new: baseline"));
  CHECK(has(others, "WORSE: the two have no result in common"));
  CHECK(has(others, "0 results in both, 2 worse, 1 gone, 1 new"));
  const auto gate = [&](const std::vector<Record>& before, const std::vector<Record>& after) {
    return analysis("results.py diff " + files.write("old", before) + " " + files.write("new", after)).status;
  };
  Record new_failure = judged(fp8, "baseline");
  new_failure.outcome = Outcome::failed(OutcomeKind::hazard, "lds_order");
  CHECK(gate({right}, {right, judged(fp8, "baseline")}) == 0);
  CHECK(gate({right}, {right, new_failure}) == 1);
  CHECK(gate({right}, {right, wrong}) == 1); // now so, now so
  CHECK(gate({right}, {}) == 1);
  Record elsewhere = wrong; // of another host
  elsewhere.environment.host_cpu = "another";
  CHECK(gate({right}, {elsewhere, right}) == 1);
  Record skipped = right;
  skipped.outcome = Outcome::failed(OutcomeKind::unsupported, "no");
  CHECK(gate({skipped}, {wrong}) == 1);
  CHECK(gate({skipped}, {skipped}) == 0);
}

TEST_CASE("results history: a line for each commit, the oldest first, with clocks against the one before") {
  const Files files;
  const auto of_commit = [](const char* commit, int64_t committed, double clocks, const char* name) {
    Record record = modelled(judged(name, "fused"), clocks, 0.01);
    record.environment.commit = commit;
    record.environment.committed = committed;
    record.environment.build = commit; // of other code
    return record;
  };
  const char *one = small.c_str(), *two = fp8.c_str();
  const auto older = [&] {
    return std::vector{
        of_commit("second", 1'700'100'000, 900, one), of_commit("second", 1'700'100'000, 3'600, two),
        of_commit("first", 1'700'000'000, 1'000, one), of_commit("first", 1'700'000'000, 4'000, two),
        of_commit("other", 1'700'200'000, 5, "batch_prefill/h=1:1/sq=1/sk=1/d=128")};
  };
  Record failed = of_commit("third", 1'700'300'000, 945, one);
  failed.outcome = Outcome::failed(OutcomeKind::hazard, "lds_order");
  const auto history = [&](const std::vector<Record>& records) {
    return analysis("results.py history " + files.write("records", records) + " --figure " +
                    files.path("history.svg"));
  };
  std::vector<Record> records = older();
  const Finished good = history(records);
  CHECK(good.status == 0);
  const std::string lines = "\nfirst   2023-11-14 22:13  2       0       0        50 %        -\n"
                            "second  2023-11-16 02:00  2       0       0        50 %        -10.00 % of 2\n"
                            "other   2023-11-17 05:46  1       0       0        50 %        -\n";
  CHECK_THAT(good.output, Catch::Contains(lines));
  CHECK(has(good, "3 commits; other: 1 passed, 0 failed, 0 skipped"));
  CHECK(has(good, "figure: "));
  records.push_back(failed);
  const Finished bad = history(records);
  CHECK(bad.status == 1);
  CHECK(has(bad,
            "third   2023-11-18 09:33  0       1       0        50 %        +5.00 % of 1\n")); // of second's
  CHECK(has(bad, "4 commits; third: 0 passed, 1 failed, 0 skipped"));
}
