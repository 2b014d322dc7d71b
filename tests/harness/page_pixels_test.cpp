// What a page cuts, or lets out of its column, is seen in its pixels (tests/harness/page_pixels.py).
#include "tests/harness/opened_page.hpp"
#include "tests/support/temporary_folder.hpp"

namespace {

// As analysis/report_page.py lays a page out.
std::string page_of(const std::string& inside, const std::string& style = "") {
  return "<!doctype html><html><head><style>* { box-sizing: border-box } body { max-width: 1240px; margin: "
         "1.5rem "
         "auto; padding: 0 1rem; background: #fefefe; color: #1a202c } " +
         style + "</style></head><body><section>" + inside + "</section></body></html>";
}

const std::string wide = "<p style='width: 1500px; text-align: right'>this ends far on the right</p>";
const std::string long_line = "<b style='white-space: nowrap'>" + std::string(300, 'x') + "</b>";

} // namespace

TEST_CASE("pixels tell what of a page is cut or outside, whatever hides it", "[slow]") {
  if (!chromium_found()) return;
  struct Page {
    std::string name, html, fault; // "": none
  };
  const std::vector<Page> pages{
      {"a paragraph", page_of("<p>a few words that have a line for themselves</p>"), ""},
      {"what can be scrolled", page_of("<div style='overflow-x: auto'>" + long_line + "</div>"), ""},
      {"wider than the window", page_of(long_line), "pixels right of the column of text: x"},
      {"hidden by the window", page_of(long_line, "body { overflow-x: hidden }"),
       "pixels right of the column of text: x"},
      {"all of it hidden by the window", page_of(wide, "html, body { overflow-x: hidden }"),
       "pixels beyond the window: x"},
      {"hidden by a box", page_of("<div style='overflow: hidden'>" + long_line + "</div>"),
       "pixels beyond the window: x"},
      {"clipped by a box", page_of("<div style='overflow: clip'>" + long_line + "</div>"),
       "pixels beyond the window: x"},
      {"hidden by a narrow box",
       page_of("<div style='overflow: hidden; width: 100px'>a word and " + std::string(12, 'x') + "</div>"),
       "pixels that a box hides: x"},
      {"a letter left of the column", page_of("<p style='margin-left: -10px'>out</p>"),
       "pixels left of the column of text: x"},
      {"outside of a picture",
       page_of("<svg width='200' height='40'><text x='150' y='20'>goes on and on</text></svg>"),
       "pixels that a box hides: x"},
  };
  const TemporaryFolder folder;
  for (const Page& page : pages) {
    const Finished opened = python(fmha950::source_path("tests/harness/open_page.py") + " " +
                                   quoted(folder.write("page.html", page.html)));
    INFO(page.name << ":\n" << opened.output);
    CHECK(opened.status == 1); // it has no tables to filter, either
    for (const std::string look : {"light, 1280: ", "light, 420: "})
      if (page.fault.empty())
        CHECK_THAT(opened.output, !Catch::Contains("pixels"));
      else
        CHECK_THAT(opened.output, Catch::Contains(look + page.fault));
  }
}
