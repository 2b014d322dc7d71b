// A case in a process of its own: what ends it is the outcome of one record, and nothing else is lost.
#include "fake_implementation.hpp"
#include "harness/commands/case_loop.hpp"
#include "harness/isolation/case_process.hpp"
#include "harness/output/interruption.hpp"
#include "interface/case_string.hpp"
#include "program.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <unistd.h>

using namespace fmha950;
using namespace fmha950::harness;
using Json = nlohmann::ordered_json;

namespace {

Record named(const std::string& name) {
  Record record;
  record.case_string = name;
  return record;
}

struct Seen {
  std::vector<std::string> names;
  std::optional<Outcome> death;
  bool done = false, interrupted = false;
};

Seen see(CaseProcess& process) {
  Seen seen;
  while (true) {
    const CaseProcess::Event event = process.next();
    if (const auto* record = std::get_if<Record>(&event)) {
      seen.names.push_back(record->case_string);
      continue;
    }
    if (const auto* death = std::get_if<Outcome>(&event)) seen.death = *death;
    seen.done = std::holds_alternative<CaseProcess::Done>(event);
    seen.interrupted = std::holds_alternative<CaseProcess::Interrupted>(event);
    return seen;
  }
}

Seen see(const CaseLimits& limits, const std::function<void(const CaseSender&)>& work) {
  CaseProcess process(limits, work);
  return see(process);
}

[[noreturn]] void sleep_for_good() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Records of JSON lines without what differs from run to run.
std::vector<Json> records_of(const std::vector<std::string>& lines) {
  std::vector<Json> records;
  for (const std::string& line : lines) {
    Json record = Json::parse(line);
    for (const char* key : {"emulation_wall_ms", "planning_ms"}) record.erase(key);
    for (Json& variation : record["variations"]) variation.erase("wall_ms");
    records.push_back(record);
  }
  return records;
}

std::set<std::string> names_in(const std::string& file) {
  std::set<std::string> names;
  std::ifstream stream(file);
  for (const std::string& line : lines_of(stream)) {
    const Json record = Json::parse(line);
    const std::string name = record["case"].get<std::string>() + " " + record["requested"].get<std::string>();
    CHECK(names.insert(name).second); // nothing twice
  }
  return names;
}

} // namespace

TEST_CASE("isolation: records come in order, and the process ends well") {
  const Seen seen = see({}, [](const CaseSender& sender) {
    for (const char* name : {"a", "b", "c"}) sender.send(named(name));
  });
  CHECK(seen.names == std::vector<std::string>{"a", "b", "c"});
  CHECK(seen.done);
}

TEST_CASE("isolation: a process that ends too early is an outcome with its cause and last words") {
  const auto death_of = [](const std::function<void()>& end) {
    const Seen seen = see({}, [&](const CaseSender& sender) {
      sender.send(named("before"));
      fmt::print(stderr, "first\nlast words\n\n");
      end();
    });
    CHECK(seen.names == std::vector<std::string>{"before"});
    REQUIRE(seen.death);
    CHECK(seen.death->kind() == OutcomeKind::not_run);
    return seen.death->reason();
  };
  CHECK(death_of([] {
          std::signal(SIGSEGV, SIG_DFL); // Catch and sanitizers have handlers
          std::raise(SIGSEGV);
        }) == "its process ended by signal 11 (Segmentation fault); its last words: last words");
  CHECK(death_of([] { std::raise(SIGKILL); }).find("by signal 9") != std::string::npos);
  CHECK(death_of([] { std::_Exit(7); }).find("with exit code 7") != std::string::npos);
  CHECK(death_of([] { throw std::runtime_error("thrown"); }).ends_with("its last words: thrown"));
}

TEST_CASE("isolation: a time-out and too much memory end the process") {
  const Seen late = see({.seconds = 0.3}, [](const CaseSender& sender) {
    sender.send(named("quick"));
    sender.allow(1e9); // the limit that is given holds
    sleep_for_good();
  });
  CHECK(late.names.size() == 1);
  REQUIRE(late.death);
  CHECK(late.death->kind() == OutcomeKind::timed_out);
  const Seen allowed = see({}, [](const CaseSender& sender) {
    sender.allow(0.3);
    sleep_for_good();
  });
  REQUIRE(allowed.death);
  CHECK(allowed.death->kind() == OutcomeKind::timed_out);
  const Seen large = see({.seconds = 100, .bytes = 1e9}, [](const CaseSender&) {
    std::vector<char> memory(1500000000, 'x');
    asm volatile("" : : "r"(memory.data()) : "memory"); // else nobody reads it, and it is not there
    sleep_for_good();
  });
  REQUIRE(large.death);
  CHECK(large.death->kind() == OutcomeKind::not_run);
  CHECK(large.death->reason().find("more than the 0.9 GiB that it may take") != std::string::npos);
}

TEST_CASE("isolation: a record arrives with all that it has") {
  Record record = named("case");
  record.probability =
      ProbabilityRounding{.type = ElementType::fp8, .shift = 8, .weighted = true, .linear = true};
  record.workspace_bytes = 7;
  record.planning_ms = 0.5;
  record.measured.emplace().warm = {
      .samples = 3, .throttled = 1, .runs = 2, .seconds = 0.25, .noise = 0.01, .hertz = {}};
  record.measured->cold.hertz = 2.1e9;
  record.hazards.push_back(
      {"lds_order", "kernel", "what", "missing", "a", "b", {"f", 16}, {"", 32}, 2, "{}", "error"});
  record.variations.push_back({{"lazy", "2", "fdpa", "all"}, 12.5, false, OutcomeKind::hazard});
  record.outcome = Outcome::failed(OutcomeKind::hazard, "one");
  AccuracyResult& accuracy = record.accuracy.emplace();
  accuracy.verdict.limits = {{"row", 0.5, 1, "row 3"}};
  accuracy.verdict.audit.findings = {{.place = {.request = 4}, .share = 0.5, .text = "keys"}};
  accuracy.audit_curves.tiles = {{-9, {0.5}, {0.25}}};
  accuracy.worst = WorstPlace{{1, 2}, 3, 4, KvTile{64, 64, 0.75}};
  accuracy.cache = CacheCheck{9, 8, 1, 2, "there", "here"};
  record.modelled.emplace().launches.emplace_back().assumed = {
      {"cold", 1.5, {{"valu", 0.5}}, {{"bf16", 0.25}}}};
  CHECK(to_json(unpack(pack(record))).dump() == to_json(record).dump()); // as text: no NaN is equal to one
}

TEST_CASE("isolation: a signal to the run ends the case that runs") {
  const Interruption interruption;
  CaseProcess process({.seconds = 100}, [](const CaseSender&) { sleep_for_good(); });
  std::raise(SIGTERM);
  CHECK(see(process).interrupted);
  CHECK(interrupting_signal() == SIGTERM);
}

TEST_CASE("isolation: only a process of one thread is forked") {
  const std::jthread other([](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  CHECK_THROWS_WITH(see({}, [](const CaseSender&) {}), Catch::Contains("a single thread, not"));
}

TEST_CASE("isolation: the run goes on behind a crash, on the same case too") {
  const TemporaryFolder folder;
  fake::reset_behaviours();
  CaseLoop loop{.command = "accuracy", .implementation = "fake_a,fake_b", .arguments = "", .output = {}};
  loop.output.file = folder.path() / "out.jsonl";
  loop.isolation.on = true;
  std::vector<CaseItem> items;
  for (const char* text : {"batch_prefill/h=2:1/sq=8/sk=32", "batch_prefill/h=2:1/sq=9/sk=32",
                           "batch_prefill/h=2:1/sq=10/sk=32", "nonsense"})
    items.push_back({text, text, "", [text] { return parse_case(text); },
                     [](const Problem& problem) { return workload::make_tensors(problem); }});
  const int code = loop.run(items, [](size_t index, const PreparedCase&) {
    CaseBody body;
    body.run = [index](const PreparedCase&, const Implementation& implementation, Record& record) {
      if (index == 0 && implementation.name() == "fake_a") std::raise(SIGKILL);
      record.resolved = implementation.name();
      record.outcome = Outcome::passed({});
    };
    body.finish = [index](const PreparedCase&) {
      if (index == 1) throw std::runtime_error("the end failed");
      if (index == 2) std::raise(SIGKILL);
    };
    return body;
  });
  CHECK(code == exit_code(OutcomeKind::invalid_input)); // before not_run in the table's order
  std::ifstream file(loop.output.file);
  std::vector<std::string> outcomes;
  for (const std::string& line : lines_of(file)) {
    const Json record = Json::parse(line);
    outcomes.push_back(record["outcome"].get<std::string>());
  }
  CHECK(outcomes == std::vector<std::string>{"not_run", "passed", "passed", "passed", "not_run", "passed",
                                             "passed", "not_run", "invalid_input", "invalid_input"});
}

TEST_CASE("isolation: records are those of a run in one process") {
  const std::string command = GENERATE(
      as<std::string>(),
      "accuracy batch_prefill/h=2:1/sq=40/sk=70/d=128/q=fp8/kv=fp8/quant=page/causal=1/lse=1 "
      "append_prefill/h=2:1/sq=20/sk=50/d=128/page=16/calls=2 --impl all --schedules eager,lazy --json",
      "perf batch_prefill/h=2:1/sq=40/sk=70/d=128/q=fp8/kv=fp8/quant=tensor --impl all --json",
      "accuracy --list nonesuch", "accuracy batch_prefill/h=2:1/sq=0/sk=8/d=7 --json");
  CAPTURE(command);
  const Ran apart = run_fmha950(command + " --isolate"), together = run_fmha950(command + " --no-isolate");
  CHECK(apart.exit_code == together.exit_code);
  CHECK(apart.out.empty() == (command.find("nonesuch") != std::string::npos));
  CHECK(records_of(apart.out) == records_of(together.out));
}

TEST_CASE("isolation: what was killed in the middle goes on to the same records") {
  const TemporaryFolder folder;
  const std::string whole = folder.path() / "whole", killed = folder.path() / "killed";
  const std::string command = "accuracy --list gaps --filter page=32/ --impl prepass,baseline --output ";
  REQUIRE(run_fmha950(command + whole).exit_code == 0);
  const auto names = names_in(whole);
  REQUIRE(names.size() > 4);
  for (const char* signal : {"KILL", "INT", "TERM"}) {
    std::filesystem::remove(killed);
    const std::string text = folder.path() / "text"; // of a run that is cut behind its first record
    const int status = std::system(
        fmt::format("env -u FMHA950_HIP_LIBRARY {} {}{} >/dev/null 2>{} & run=$!; "
                    "until [ -s {} ] || ! kill -0 $run; do sleep 0.02; done; kill -{} $run; wait $run",
                    FMHA950_HARNESS, command, killed, text, killed, signal)
            .c_str());
    std::ifstream text_file(text);
    const std::string words = joined(lines_of(text_file));
    if (std::string(signal) != "KILL") {
      CHECK(words.find("the same command with --resume goes on") != std::string::npos);
      CHECK(exit_code_of(status) == 128 + (std::string(signal) == "INT" ? SIGINT : SIGTERM));
    }
    CHECK(names_in(killed).size() < names.size());
    REQUIRE(run_fmha950(command + killed + " --resume").exit_code == 0);
    CHECK(names_in(killed) == names);
  }
}
