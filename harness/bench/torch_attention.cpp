#include "harness/bench/torch_attention.hpp"

#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/installation.hpp"
#include "interface/operator.hpp"

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <sstream>

namespace fmha950::harness {

namespace {

std::string quoted(const std::string& text) { // for the shell
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// What it wrote on stdout and, if it failed, on stderr.
std::string output_of(const std::string& command, bool& failed) {
  std::FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string output;
  std::array<char, 256> buffer;
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) output += buffer.data();
  failed = pclose(pipe) != 0;
  return output;
}

} // namespace

std::vector<TorchTime> time_torch(const std::string& python, const Problem& problem) {
  const OperatorFacts& facts = problem.op->facts();
  const bool plain = facts.pages && !facts.appends && problem.requests.size() == 1 && !problem.causal &&
                     !problem.window && problem.soft_cap == 0 && !problem.sink_logit &&
                     !problem.value_head_dim;
  if (!plain)
    throw InvalidInput("case", print_case(problem),
                       "must be one request without mask, window, cap, sink and head_dim of V's own to be "
                       "run by torch, too");
  const Request& request = problem.requests.front();
  bool failed = false;
  const std::string output =
      output_of(fmt::format("{} -B {} --heads {}:{} --queries {} --keys {} --head-dim {}", quoted(python),
                            quoted(project_path("analysis/torch_attention.py").string()), problem.query_heads,
                            problem.kv_heads, request.query_length, request.key_length, problem.head_dim),
                failed);
  if (failed) throw InvalidInput("--torch", python, output.substr(0, output.find_last_not_of('\n') + 1));
  std::vector<TorchTime> times;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string mark;
    TorchTime time;
    if (fields >> mark >> time.type >> time.threads >> time.elapsed.wall >> time.elapsed.cpu &&
        mark == "torch")
      times.push_back(time);
  }
  return times;
}

} // namespace fmha950::harness
