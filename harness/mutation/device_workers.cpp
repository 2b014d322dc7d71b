#include "harness/mutation/device_workers.hpp"

#include "harness/output/progress.hpp"
#include "harness/probe/workers.hpp"
#include "interface/error.hpp"
#include "interface/hip.hpp"

#include <algorithm>
#include <fcntl.h>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace fmha950::harness {

namespace {

constexpr char failed = '!'; // begins the answer of a worker that could not go on

// Mutants fault by the hundred, and the device says so each time.
void silence_device() {
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
}

std::string answer_of(const std::function<std::string()>& work) {
  silence_device();
  try {
    return work();
  } catch (const std::exception& error) {
    return failed + std::string(error.what());
  }
}

} // namespace

void require_mutants() {
  if (!hip::runtime().embedded || hip::api().Mutants == nullptr)
    throw InvalidInput("mutants", hip::runtime().device, "are made by the embedded device only");
}

std::vector<std::string> lines_of_workers(size_t total, const std::string& what,
                                          const std::function<std::string(const WorkerShare&)>& work) {
  const size_t count = std::max(1u, std::thread::hardware_concurrency());
  Progress progress(total);
  progress.begin(what);
  const auto answers = run_workers(
      count, 0,
      [&](size_t worker, SharedState& state) {
        return answer_of([&] { return work({worker, count, [&] { state.did_one(); }}); });
      },
      [&](size_t done) { progress.show(done, what); });
  progress.clear();
  std::vector<std::string> all;
  for (const std::string& answer : answers) {
    if (answer.starts_with(failed)) throw std::runtime_error(answer.substr(1));
    std::istringstream lines(answer);
    for (std::string line; std::getline(lines, line);) all.push_back(line);
  }
  return all;
}

} // namespace fmha950::harness
