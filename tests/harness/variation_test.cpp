#include "harness/device/variation.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::harness;

TEST_CASE("variations: schedules and threads add up, for each MFMA form") {
  VariationOptions options;
  options.schedules = {"eager", "lazy", "random:1"};
  options.threads = {"1", "2"};
  options.mfma = {"fma", "fdpa"};
  std::vector<std::string> texts;
  for (const Variation& variation : variations(options)) texts.push_back(variation.text());
  CHECK(texts == std::vector<std::string>{
                     "schedule=eager threads=1 mfma=fma", "schedule=lazy threads=1 mfma=fma",
                     "schedule=random:1 threads=1 mfma=fma", "schedule=eager threads=2 mfma=fma",
                     "schedule=eager threads=1 mfma=fdpa", "schedule=lazy threads=1 mfma=fdpa",
                     "schedule=random:1 threads=1 mfma=fdpa", "schedule=eager threads=2 mfma=fdpa"});
}

TEST_CASE("variations: nothing asked for is one run as the device is set") {
  const auto all = variations({});
  REQUIRE(all.size() == 1);
  CHECK(all[0].text().empty());
}

TEST_CASE("variations: '+' in a list stands for the schedule's own comma") {
  VariationOptions options;
  options.schedules = {"lazy+starve:3"};
  CHECK(variations(options)[0].schedule == "lazy,starve:3");
}
