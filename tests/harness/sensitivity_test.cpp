// The programs of analysis/ that say how sharp the judges are: sensitivity.py on a ledger as the harness
// writes it, and the simulation of the audit, which knows nothing of the harness.
#include "harness/sabotage/sabotage_ledger.hpp"
#include "tests/harness/python.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"
#include <limits>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

constexpr const char* header = "{\"sabotage\":2,\"list\":\"sabotage\"}\n";

SabotageEntry entry(const std::string& kind, double z, SabotageVerdict verdict) {
  SabotageEntry entry;
  entry.case_string = "batch_prefill/h=8:2/sq=64/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor/lse=1";
  entry.implementation = "pipelined";
  entry.kind = kind;
  entry.place = "somewhere";
  entry.z = z;
  entry.seen_by = "audit";
  entry.verdict = verdict;
  entry.noticed = verdict == SabotageVerdict::caught;
  return entry;
}

std::string ledger(const std::vector<SabotageEntry>& entries) {
  std::string text = header;
  for (const SabotageEntry& one : entries) text += to_line(one) + "\n";
  return text;
}

Finished sensitivity(const std::filesystem::path& file) { return analysis("sensitivity.py " + quoted(file)); }

} // namespace

TEST_CASE("sensitivity: a line that misses the origin makes no mistake of nothing") {
  using enum SabotageVerdict;
  const TemporaryFolder folder;
  const Finished finished = sensitivity(folder.write(
      "ledger.jsonl", ledger({entry("v_tile_x1.1", 100, caught), entry("v_tile_x2", 500, caught)})));
  INFO(finished.output);
  REQUIRE(finished.status == 0);
  CHECK(finished.output.find("| 1,024 | 64 | fp8 | 0.9 % |") != std::string::npos);
}

TEST_CASE("sensitivity: verdicts by kind, and the smallest mistake that is certain to be noticed") {
  using enum SabotageVerdict;
  const TemporaryFolder folder;
  SabotageEntry of_prepass = entry("v_row_elsewhere", 40, caught);
  of_prepass.implementation = "prepass"; // whose P is bf16
  SabotageEntry counting = entry("v_tile_x2", 1, missed);
  counting.case_string += "/values=count"; // which says nothing of noise
  const Finished finished = sensitivity(
      folder.write("ledger.jsonl",
                   ledger({entry("v_tile_x1.1", 4, below_sensitivity), entry("v_tile_x2", 94, caught),
                           entry("k_tile_x1.1", 900, caught), entry("v_row_elsewhere", 3, below_sensitivity),
                           entry("v_tile_elsewhere", 96, caught), entry("k_row_elsewhere", 12, caught),
                           entry("mask_one_less", std::numeric_limits<double>::infinity(), caught),
                           entry("page_ids_swapped", 0, without_effect), of_prepass, counting}) +
                       "{\"case\":\"torn"));
  INFO(finished.output);
  REQUIRE(finished.status == 0);
  const auto shows = [&](const std::string& line) { return finished.output.find(line) != std::string::npos; };
  CHECK(shows("| `v_tile_x2` | 1 | 1 | 0 | 0 | 0 | 1 |"));
  CHECK(shows("| `mask_one_less` | 1 | 0 | 0 | 0 | 0 | 1 |"));
  CHECK(shows("| `page_ids_swapped` | 0 | 0 | 0 | 0 | 1 | 0 |"));
  CHECK(shows("6 caught, 1 missed, 2 below sensitivity, 1 without effect"));
  // From z = 4 at 10 % and 94 at 100 %: 9 at 15 %. A tile's 64 keys at 96: six at 9.
  CHECK(shows("| 1,024 | 64 | fp8 | 15 % | 0.1 % |  | 6 | 1 | 8 |"));
  CHECK(shows("| 1,024 | 64 | bf16 |  |  |  | 1 |  | 1 |"));
}

TEST_CASE("sensitivity: what is no ledger is refused with file and line") {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& text) {
    const Finished finished = sensitivity(folder.write("l", text));
    CHECK(finished.status != 0);
    return finished.output;
  };
  const std::string name = "sensitivity.py: " + (folder.path() / "l").string();
  CHECK(refusal("") == name + ":1: is no header of a ledger\n");
  CHECK(refusal(to_line(entry("a", 1, SabotageVerdict::caught)) + "\n") ==
        name + ":1: is no header of a ledger\n");
  CHECK(refusal("{\"sabotage\":7}\n") == name + ": sabotage = 7: this program reads 2\n");
  CHECK(refusal(header) == name + ": holds no entries\n");
  CHECK_THAT(refusal(std::string(header) + "{}\n{}\n"), Catch::StartsWith(name + ":2: is no entry"));
}

TEST_CASE("the simulated audit: right runs pass, a large mistake is heard and a tiny one is not") {
  const Finished finished = analysis("audit_simulation.py --keys 128 --trials 2");
  INFO(finished.output);
  CHECK(finished.status == 0);
  CHECK(finished.output.find("0 false alarms in 8 right runs") != std::string::npos);
  CHECK(finished.output.find("| 128 | bf16 | sharp | ") != std::string::npos);

  const Finished mistakes =
      python("-c 'import sys; sys.path.insert(0, \"" + source_path("analysis") +
             "\")\n"
             "import numpy, simulated_audit as audit\n"
             "run = audit.Trial(256, 1, audit.FORMATS[0], numpy.random.default_rng(1))\n"
             "heard = run.wrong_scales(2)\n"
             "print(heard[:, 0].tolist(), heard[:, -1].tolist())\n"
             "print(run.wrong_keys(1, numpy.random.default_rng(2))[-1].tolist())'");
  CHECK(mistakes.output == "[False, False, False, False] [True, True, True, True]\n"
                           "[True, True, True, True, True, True, True]\n");

  const Finished refused = analysis("audit_simulation.py --keys 100");
  CHECK(refused.status != 0);
  CHECK_THAT(refused.output, Catch::Contains("--keys 100: must be multiples of 64 from 128 on"));
}
