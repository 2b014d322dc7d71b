#include "harness/cure/weakest.hpp"

#include <algorithm>

namespace fmha950::harness::cure {
namespace {

class Weakening {
 public:
  Weakening(const Changes& strongest, const std::function<bool(const Protections&)>& works)
      : now_(strongest), works_(works) {}

  Changes result() {
    drop_places();
    for (size_t i = 0; i < now_.size(); ++i) weaken(i);
    return std::move(now_);
  }

 private:
  template <class Change> bool keep_if_it_works(Change change) {
    Changes weaker = now_;
    change(weaker);
    const Protections all = joined(weaker);
    if (all.empty() || !works_(all)) return false;
    now_ = std::move(weaker);
    return true;
  }

  // Whole changes first, then single copies, until none can go: a barrier that had to stay where all waves have one may go once
  // another has gone.
  void drop_places() {
    const auto erase_at = [](auto& list, size_t i) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    };
    for (bool dropped = true; dropped;) {
      dropped = false;
      for (size_t i = 0; now_.size() > 1 && i < now_.size();)
        if (keep_if_it_works([&](Changes& fewer) { erase_at(fewer, i); }))
          dropped = true;
        else
          ++i;
      for (size_t i = 0; i < now_.size(); ++i)
        for (size_t k = 0; now_[i].size() > 1 && k < now_[i].size();)
          if (keep_if_it_works([&](Changes& fewer) { erase_at(fewer[i], k); }))
            dropped = true;
          else
            ++k;
    }
  }

  void weaken(size_t i) {
    const auto try_with = [&](auto change) {
      return keep_if_it_works([&](Changes& weaker) { std::ranges::for_each(weaker[i], change); });
    };
    const auto now = [&]() -> const Protection& { return now_[i].front(); };
    if (now().barrier && now().waits()) try_with([](Protection& p) { p.vmcnt = p.lgkmcnt = std::nullopt; });
    for (const auto counter : {&Protection::vmcnt, &Protection::lgkmcnt}) {
      if (!(now().*counter)) continue;
      const bool alone = !now().barrier && !(now().vmcnt && now().lgkmcnt);
      if (!alone && try_with([&](Protection& p) { p.*counter = std::nullopt; })) continue;
      int works = 0, fails = counter == &Protection::vmcnt ? 63 : 15; // what waits for nothing
      while (works + 1 < fails) { // doubling first: counts are small as a rule
        const int tried = works == 0 && fails > 8 ? 4 : (works + fails) / 2;
        (try_with([&](Protection& p) { p.*counter = tried; }) ? works : fails) = tried;
      }
    }
    for (int fails = 0; now().states - fails > 1;) {
      const int tried = (now().states + fails) / 2;
      if (!try_with([&](Protection& p) { p.states = tried; })) fails = tried;
    }
  }

  Changes now_;
  const std::function<bool(const Protections&)>& works_;
};

} // namespace

Protections joined(const Changes& changes) {
  Protections all;
  for (const Protections& change : changes) all.insert(all.end(), change.begin(), change.end());
  return all;
}

Changes weakest(const Changes& strongest, const std::function<bool(const Protections&)>& works) {
  return Weakening(strongest, works).result();
}

} // namespace fmha950::harness::cure
