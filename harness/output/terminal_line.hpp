#pragma once
// A line of stderr that is written anew, where that is a terminal.

#include <string_view>

namespace fmha950::harness {

class TerminalLine {
 public:
  TerminalLine();
  ~TerminalLine() { clear(); } // leaves a clean line
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  bool is_there() const { return terminal_; }
  void show(std::string_view text); // nothing where there is no terminal
  void clear();                     // before something else is printed

 private:
  bool terminal_, visible_ = false;
};

} // namespace fmha950::harness
