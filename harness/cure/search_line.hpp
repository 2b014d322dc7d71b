#pragma once
// What a search for a cure has so far, as one line of a terminal that is written anew; nothing where stderr is no terminal.

#include "harness/cure/search.hpp"

namespace fmha950::harness::cure {

class SearchLine {
 public:
  SearchLine();
  ~SearchLine() { clear(); }
  SearchLine(const SearchLine&) = delete;

  void show(const SoFar& so_far);
  void clear(); // before something else is printed

 private:
  bool terminal_, visible_ = false;
};

std::string as_text(const SoFar& so_far);

} // namespace fmha950::harness::cure
