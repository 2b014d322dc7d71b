#pragma once
// Opens pages of analysis/ in headless Chromium: tests/harness/open_page.py.

#include "tests/harness/python.hpp"

// Where there is none, ctest reports the test as skipped by what this says. So it stands in front of everything else of a test.
inline bool chromium_found() {
  const Finished looked_for = python(fmha950::source_path("tests/harness/chromium.py"));
  INFO(looked_for.output);
  REQUIRE((looked_for.status == 0 || looked_for.status == 77));
  if (looked_for.status == 77) WARN(looked_for.output);
  return looked_for.status == 0;
}

// `sections`: ids with spaces between. `has`: what each look at the page finds.
inline void check_opens(const std::filesystem::path& page, const std::string& sections,
                        const std::string& has) {
  const Finished opened =
      python(fmha950::source_path("tests/harness/open_page.py") + " " + quoted(page) + " " + sections);
  std::string expected;
  for (const char* look : {"light, 1280", "dark, 1280", "light, 420", "dark, 420"})
    expected += std::string(look) + ": " + has + "\n";
  CHECK(opened.output == expected);
  CHECK(opened.status == 0);
}
