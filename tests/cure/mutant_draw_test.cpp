// Which mutants are drawn from the ledger to be cured.
#include "harness/cure/mutant_draw.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

TEST_CASE("cure: a mutant is drawn from a page of this build's code, and from no other's") {
  const TemporaryFolder folder;
  const LedgerFolders folders{folder.path() / "data", folder.path()};
  const std::string page = "pipelined_combine"; // code object
  Ledger ledger;
  ledger.entries = {{4,
                     page + "/combine",
                     "combine+0x40:vmcnt+1",
                     "p.hip: x",
                     {MutantVerdict::killed, "register_in_flight: x", "lazy", "n=1"}}};
  save_ledger(ledger, {{page, page_code(page)}}, folders);
  CHECK(drawn_mutants("", 0, false, folders).size() == 1);
  CHECK(drawn_mutants("no_such_kernel", 0, false, folders).empty());
  save_ledger(ledger, {{page, "of another compiler"}}, folders);
  CHECK(drawn_mutants("", 0, false, folders).empty());
}
