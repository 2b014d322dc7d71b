#include "interface/npy_header.hpp"

#include "interface/regular_file.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/ranges.h>
#include <string_view>

namespace fmha950 {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

// The Python dictionary literal of a header:
// string keys; values are a string, True, False or a tuple of integers.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  // False for anything that is not exactly the three keys of the format.
  bool parse(NpyHeader& header) {
    if (!take('{')) return false;
    int descriptors = 0, orders = 0, shapes = 0;
    while (!take('}')) {
      std::string key;
      if (!string(key) || !take(':')) return false;
      if (key == "descr" && string(header.descriptor))
        ++descriptors;
      else if (key == "fortran_order" && boolean(header.fortran_order))
        ++orders;
      else if (key == "shape" && tuple(header.shape))
        ++shapes;
      else
        return false;
      if (!take(',') && peek() != '}') return false;
    }
    return peek() == 0 && descriptors == 1 && orders == 1 && shapes == 1;
  }

 private:
  char peek() {
    const size_t start = text_.find_first_not_of(" \n");
    text_.remove_prefix(std::min(start, text_.size()));
    return text_.empty() ? 0 : text_[0];
  }
  bool take(char expected) {
    if (peek() != expected) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_word(std::string_view word) {
    peek();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool string(std::string& value) {
    const char quote = peek();
    const size_t end = text_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == text_.npos) return false;
    value = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }
  bool boolean(bool& value) {
    value = take_word("True");
    return value || take_word("False");
  }
  bool tuple(std::vector<int64_t>& values) {
    if (!take('(')) return false;
    while (!take(')')) {
      peek();
      int64_t value = -1;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0) return false;
      values.push_back(value);
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      if (!take(',') && peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
};

std::string read_bytes(std::ifstream& file, size_t count) {
  std::string bytes(count, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

} // namespace

NpyHeader read_npy_header(std::ifstream& file, const std::filesystem::path& path) {
  const std::string start = read_bytes(file, magic.size() + 2);
  if (!start.starts_with(magic) || start.size() < magic.size() + 2)
    refuse_file(path, "no .npy file", "must begin with \\x93NUMPY and a version");
  const int version = static_cast<unsigned char>(start[magic.size()]);
  if (version < 1 || version > 3)
    refuse_file(path, fmt::format(".npy version {}", version), "must be version 1, 2 or 3");
  const size_t length_bytes = version == 1 ? 2 : 4;
  const std::string length_text = read_bytes(file, length_bytes);
  size_t length = 0;
  for (size_t i = 0; i < length_text.size(); ++i)
    length |= size_t(static_cast<unsigned char>(length_text[i])) << (8 * i);
  constexpr size_t longest = 1 << 20; // NumPy itself refuses headers beyond 10,000 characters
  const std::string text =
      length_text.size() == length_bytes && length <= longest ? read_bytes(file, length) : "";
  if (text.empty() || text.size() != length)
    refuse_file(path, fmt::format("header of {} bytes", length), "is cut short");
  NpyHeader header;
  if (!HeaderParser(text).parse(header))
    refuse_file(path, fmt::format("header {}", text.substr(0, text.find_last_not_of(" \n") + 1)),
                "must be {'descr': '...', 'fortran_order': ..., 'shape': (...), }");
  return header;
}

std::string npy_header(const std::string& descriptor, const std::vector<int64_t>& shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descriptor,
                                 fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr size_t prefix = 10, alignment = 64;
  text.resize((prefix + text.size() + 1 + alignment - 1) / alignment * alignment - prefix - 1, ' ');
  text += '\n';
  std::string header(magic);
  for (const size_t byte : {size_t{1}, size_t{0}, text.size() & 0xFF, text.size() >> 8})
    header += static_cast<char>(byte);
  return header + text;
}

} // namespace fmha950
