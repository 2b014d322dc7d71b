#include "harness/record/environment.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/ranges.h>
#include <link.h>
#include <span>
#include <string_view>

namespace fmha950::harness {
namespace {

std::filesystem::path canonical(const std::string& file) {
  std::error_code unreadable;
  return file.empty() ? std::filesystem::path() : std::filesystem::weakly_canonical(file, unreadable);
}

size_t aligned(size_t bytes) { return (bytes + 3) / 4 * 4; }

// Of the notes of a segment; empty: there is none.
std::span<const unsigned char> id_in(std::span<const unsigned char> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(notes.data());
    const size_t id = sizeof note + aligned(note.n_namesz), end = id + aligned(note.n_descsz);
    const std::string_view owner(reinterpret_cast<const char*>(&note + 1), note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID && owner.starts_with("GNU")) return notes.subspan(id, note.n_descsz);
    notes = notes.subspan(std::min(end, notes.size()));
  }
  return {};
}

struct Search {
  std::filesystem::path file;
  std::string id = "none";
};

int look(dl_phdr_info* info, size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  if (canonical(info->dlpi_name) != search.file) return 0;
  for (const auto& segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    if (segment.p_type != PT_NOTE) continue;
    const auto* const begin = reinterpret_cast<const unsigned char*>(info->dlpi_addr + segment.p_vaddr);
    const auto id = id_in({begin, segment.p_memsz});
    if (!id.empty())
      search.id = fmt::format("{:02x}", fmt::join(id.first(std::min<size_t>(id.size(), 8)), ""));
  }
  return 1;
}

} // namespace

std::string build_id(const std::string& file) {
  Search search{.file = canonical(file)};
  dl_iterate_phdr(look, &search);
  return search.id;
}

} // namespace fmha950::harness
