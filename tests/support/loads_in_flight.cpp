#include "tests/support/loads_in_flight.hpp"

#include <algorithm>
#include <deque>
#include <regex>
#include <set>

namespace fmha950::test {
namespace {

// Of a pair of FP32 values both results may take the same: the other one is not read.
std::string without_unread_halves(const std::string& text) {
  static const std::regex form("(v_pk_[a-z]+_f32 )(\\S+, )(\\S+)(?:, (\\S+))(?:, (\\S+))? "
                               "op_sel_hi:\\[([01,]+)\\]( neg_(lo|hi):\\[[01,]+\\])*");
  static const std::regex pair("v\\[([0-9]+):[0-9]+\\],?");
  std::smatch match;
  if (text.find("op_sel:") != std::string::npos || !std::regex_match(text, match, form)) return text;
  std::string read = match[1].str() + match[2].str();
  for (size_t source = 0; source < 3; ++source) {
    const std::string operand = match[3 + source];
    const bool low_only = 2 * source < match[6].str().size() && match[6].str()[2 * source] == '0';
    read += (low_only ? std::regex_replace(operand, pair, "v$1") : operand) + ", ";
  }
  return read;
}

// Numbers of the vector registers that an operand list names.
std::set<int> registers_of(const std::string& text) {
  static const std::regex form("\\bv(?:([0-9]+)\\b|\\[([0-9]+):([0-9]+)\\])");
  std::set<int> registers;
  for (std::sregex_iterator match(text.begin(), text.end(), form), end; match != end; ++match) {
    const int first = std::stoi((*match)[1].matched ? (*match)[1] : (*match)[2]);
    const int last = std::stoi((*match)[1].matched ? (*match)[1] : (*match)[3]);
    for (int r = first; r <= last; ++r) registers.insert(r);
  }
  return registers;
}

// Loads in flight that count in one counter, oldest first; LDS DMA has no registers.
struct InFlight {
  std::deque<std::set<int>> loads;
  std::regex wait;
  void finish(const std::string& text) {
    std::smatch match;
    if (!std::regex_search(text, match, wait)) return;
    while (static_cast<int>(loads.size()) > std::stoi(match[1])) loads.pop_front();
  }
  bool holds(const std::set<int>& registers) const {
    return std::any_of(loads.begin(), loads.end(), [&](const std::set<int>& load) {
      return std::any_of(registers.begin(), registers.end(), [&](int r) { return load.contains(r); });
    });
  }
};

} // namespace

std::string touches_load_in_flight(const MachineCode& loop) {
  InFlight vector{{}, std::regex("vmcnt\\(([0-9]+)\\)")}, lds{{}, std::regex("lgkmcnt\\(([0-9]+)\\)")};
  for (int round = 0; round < 2; ++round) // the second goes on from what the first left in flight
    for (const Instruction& instruction : loop) {
      const std::string& text = instruction.text;
      vector.finish(text);
      lds.finish(text);
      const auto registers = registers_of(without_unread_halves(text));
      if (vector.holds(registers) || lds.holds(registers)) return text;
      const bool is_vector = text.starts_with("global_load") || text.starts_with("buffer_load");
      if (!is_vector && !text.starts_with("ds_read")) continue;
      const bool to_lds =
          text.find(" lds") != std::string::npos || text.find("load_lds_") != std::string::npos;
      const auto destination = to_lds ? std::set<int>{} : registers_of(text.substr(0, text.find(',')));
      (is_vector ? vector : lds).loads.push_back(destination);
    }
  return "";
}

} // namespace fmha950::test
