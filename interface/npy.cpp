#include "interface/npy.hpp"

#include "interface/error.hpp"
#include "interface/names.hpp"
#include "interface/regular_file.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/ranges.h>
#include <fstream>
#include <span>

namespace fmha950 {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr std::string_view magic = "\x93NUMPY";

// The first name is the one written.
std::vector<std::string_view> descriptors(ElementType type) {
  switch (type) {
  case ElementType::bf16: return {"<u2", "<V2", "|V2"};
  case ElementType::fp16: return {"<f2"};
  case ElementType::fp8:
  case ElementType::e8m0: return {"|u1", "|V1"};
  case ElementType::fp32: return {"<f4"};
  case ElementType::int32: return {"<i4"};
  }
  return {};
}

struct Header {
  std::string descriptor;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// The Python dictionary literal of a header:
// string keys; values are a string, True, False or a tuple of integers.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  // False for anything that is not exactly the three keys of the format.
  bool parse(Header& header) {
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

[[noreturn]] void refuse(const std::filesystem::path& path, std::string value, std::string expected) {
  throw InvalidInput("file " + path.string(), std::move(value), std::move(expected));
}

std::string read_bytes(std::ifstream& file, size_t count) {
  std::string bytes(count, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

// Leaves the file at its first data byte.
Header read_header(std::ifstream& file, const std::filesystem::path& path) {
  const std::string start = read_bytes(file, magic.size() + 2);
  if (!start.starts_with(magic) || start.size() < magic.size() + 2)
    refuse(path, "no .npy file", "must begin with \\x93NUMPY and a version");
  const int version = static_cast<unsigned char>(start[magic.size()]);
  if (version < 1 || version > 3)
    refuse(path, fmt::format(".npy version {}", version), "must be version 1, 2 or 3");
  const size_t length_bytes = version == 1 ? 2 : 4;
  const std::string length_text = read_bytes(file, length_bytes);
  size_t length = 0;
  for (size_t i = 0; i < length_text.size(); ++i)
    length |= size_t(static_cast<unsigned char>(length_text[i])) << (8 * i);
  constexpr size_t longest = 1 << 20; // NumPy itself refuses headers beyond 10,000 characters
  const std::string text =
      length_text.size() == length_bytes && length <= longest ? read_bytes(file, length) : "";
  if (text.empty() || text.size() != length)
    refuse(path, fmt::format("header of {} bytes", length), "is cut short");
  Header header;
  if (!HeaderParser(text).parse(header))
    refuse(path, fmt::format("header {}", text.substr(0, text.find_last_not_of(" \n") + 1)),
           "must be {'descr': '...', 'fortran_order': ..., 'shape': (...), }");
  return header;
}

} // namespace

Tensor read_npy(const std::filesystem::path& path, ElementType type) {
  if (std::string kind = kind_of_irregular_file(path); !kind.empty())
    refuse(path, std::move(kind), "must be a regular file, a .npy file");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "unreadable", "must be a .npy file");
  const Header header = read_header(file, path);
  const auto accepted = descriptors(type);
  if (std::find(accepted.begin(), accepted.end(), header.descriptor) == accepted.end())
    refuse(path, fmt::format("'{}' elements", header.descriptor),
           fmt::format("must be {} for {}", fmt::join(accepted, " or "), name_of(type)));
  if (header.fortran_order) refuse(path, "Fortran order", "must be in C order (numpy.ascontiguousarray)");
  const auto begin = static_cast<uintmax_t>(file.tellg());
  const uintmax_t stored = std::filesystem::file_size(path) - begin;
  Tensor tensor(type, header.shape);
  if (stored != tensor.bytes())
    refuse(path, fmt::format("{} bytes of data", stored),
           fmt::format("must be {} for shape ({})", tensor.bytes(), fmt::join(header.shape, ", ")));
  file.read(reinterpret_cast<char*>(tensor.data()), static_cast<std::streamsize>(stored));
  if (static_cast<uintmax_t>(file.gcount()) != stored)
    refuse(path, "unreadable", "must be readable to its end");
  return tensor;
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   descriptors(tensor.type())[0], fmt::join(tensor.shape(), ", "),
                                   tensor.shape().size() == 1 ? "," : "");
  constexpr size_t prefix = 10, alignment = 64; // the data starts at a multiple of 64 bytes
  header.resize((prefix + header.size() + 1 + alignment - 1) / alignment * alignment - prefix - 1, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << magic << '\x01' << '\x00' << char(header.size() & 0xFF) << char(header.size() >> 8) << header;
  file.write(reinterpret_cast<const char*>(tensor.data()), static_cast<std::streamsize>(tensor.bytes()));
  file.close();
  if (!file) refuse(path, "not written", "must be a place for a file with enough room");
}

} // namespace fmha950
