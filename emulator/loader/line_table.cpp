#include "emulator/loader/line_table.hpp"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace fmha950::loader {
namespace {

namespace dwarf = llvm::dwarf;

// Reads little-endian numbers until the bytes end; from then on everything is 0 and the cursor has failed.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool failed() const { return failed_; }
  bool at_end() const { return failed_ || offset_ == bytes_.size(); }

  std::span<const std::byte> take(uint64_t count) {
    if (failed_ || count > bytes_.size() - offset_) {
      failed_ = true;
      return {};
    }
    const auto taken = bytes_.subspan(offset_, count);
    offset_ += count;
    return taken;
  }
  uint64_t number(unsigned size) {
    const auto bytes = take(size);
    uint64_t value = 0;
    for (size_t i = 0; i < bytes.size() && i < 8; ++i) value |= std::to_integer<uint64_t>(bytes[i]) << 8 * i;
    return value;
  }
  uint8_t byte() { return static_cast<uint8_t>(number(1)); }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint8_t part = byte();
      if (shift < 64) value |= uint64_t{part & 0x7Fu} << shift;
      if (!(part & 0x80)) return value;
    }
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const uint8_t part = byte();
      if (shift < 64) value |= uint64_t{part & 0x7Fu} << shift;
      shift += 7;
      if (part & 0x80) continue;
      if (shift < 64 && part & 0x40) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }
  std::span<const std::byte> text() { // up to a zero byte, which is passed
    const auto rest = bytes_.subspan(offset_);
    const auto zero = std::find(rest.begin(), rest.end(), std::byte{0});
    return take(static_cast<size_t>(zero - rest.begin()) + 1);
  }

 private:
  std::span<const std::byte> bytes_;
  size_t offset_ = 0;
  bool failed_ = false;
};

// Up to its first zero byte.
std::string_view path_text(std::span<const std::byte> name) {
  const auto zero = std::find(name.begin(), name.end(), std::byte{0});
  return {reinterpret_cast<const char*>(name.data()), static_cast<size_t>(zero - name.begin())};
}

std::span<const std::byte> from(uint64_t offset, std::span<const std::byte> strings) {
  return strings.subspan(std::min<uint64_t>(offset, strings.size()));
}

} // namespace

// One table: its header, then the program that makes the rows.
class LineTable::Reader {
 public:
  Reader(LineTable& result, const LineSections& sections, std::span<const std::byte> table,
         unsigned offset_bytes)
      : result_(result), sections_(sections), table_(table), offset_bytes_(offset_bytes) {}

  void read() {
    version_ = static_cast<unsigned>(table_.number(2));
    if (version_ < 2 || version_ > 5) return;
    if (version_ == 5) table_.number(2); // sizes of addresses and segment selectors: set_address has its own
    const uint64_t header_bytes = table_.number(offset_bytes_);
    Cursor header(table_.take(header_bytes));
    instruction_bytes_ = header.byte();
    if (version_ >= 4) header.byte(); // operations per instruction: 1 but for VLIW
    header.byte();                    // default of is_stmt
    line_base_ = static_cast<int8_t>(header.byte());
    line_range_ = header.byte();
    opcode_base_ = header.byte();
    for (unsigned opcode = 1; opcode < opcode_base_; ++opcode) operands_[opcode] = header.byte();
    if (version_ == 5) {
      read_entries(header, false);
      read_entries(header, true);
    } else {
      directories_.emplace_back(); // of the compilation
      for (Name name = header.text(); name.size() > 1; name = header.text()) directories_.push_back(name);
      result_.files_.emplace_back(); // files are counted from 1
      for (Name name = header.text(); name.size() > 1; name = header.text()) {
        add_file(name, header.uleb());
        for (int i = 0; i < 2; ++i) header.uleb(); // time, size
      }
    }
    if (!header.failed() && line_range_ > 0) run();
  }

 private:
  // Directories or files of version 5: a format, then entries in it.
  void read_entries(Cursor& header, bool are_files) {
    struct Field {
      uint64_t content, form;
    };
    std::vector<Field> format(header.byte());
    for (Field& field : format) {
      field.content = header.uleb();
      field.form = header.uleb();
    }
    const uint64_t count = format.empty() ? 0 : header.uleb(); // without fields an entry would take no bytes
    for (uint64_t i = 0; i < count && !header.at_end(); ++i) {
      Name name;
      uint64_t in_directory = 0;
      for (const Field& field : format) {
        const Form read = read_form(header, field.form);
        if (field.content == dwarf::DW_LNCT_path) name = read.text;
        if (field.content == dwarf::DW_LNCT_directory_index) in_directory = read.number;
      }
      if (are_files)
        add_file(name, in_directory);
      else
        directories_.push_back(name);
    }
  }

  // Directories are relative to the first one, that of the compilation.
  void add_file(Name name, uint64_t directory) {
    const bool is_other = directory > 0 && directory < directories_.size();
    result_.files_.push_back({name, is_other ? directories_[directory] : Name(),
                              directories_.empty() ? Name() : directories_.front()});
  }

  struct Form {
    Name text;
    uint64_t number = 0;
  };
  Form read_form(Cursor& entry, uint64_t form) {
    switch (form) {
    case dwarf::DW_FORM_string: return {entry.text()};
    case dwarf::DW_FORM_line_strp: return {from(entry.number(offset_bytes_), sections_.line_strings)};
    case dwarf::DW_FORM_strp: return {from(entry.number(offset_bytes_), sections_.strings)};
    case dwarf::DW_FORM_udata: return {{}, entry.uleb()};
    case dwarf::DW_FORM_data1: return {{}, entry.number(1)};
    case dwarf::DW_FORM_data2: return {{}, entry.number(2)};
    case dwarf::DW_FORM_data4: return {{}, entry.number(4)};
    case dwarf::DW_FORM_data8: return {{}, entry.number(8)};
    case dwarf::DW_FORM_data16: entry.take(16); break;
    case dwarf::DW_FORM_block: entry.take(entry.uleb()); break;
    default: entry.take(UINT64_MAX); // a form that has no place here: the cursor fails
    }
    return {};
  }

  void run() {
    while (!table_.at_end()) {
      const uint8_t opcode = table_.byte();
      if (opcode >= opcode_base_) {
        const unsigned adjusted = opcode - opcode_base_;
        advance(adjusted / line_range_);
        line_ += static_cast<uint32_t>(line_base_ + static_cast<int>(adjusted % line_range_));
        add_row();
      } else if (opcode == 0) {
        Cursor operands(table_.take(table_.uleb()));
        extended(operands);
      } else
        standard(opcode);
    }
  }

  void extended(Cursor& operands) {
    switch (operands.byte()) {
    case dwarf::DW_LNE_end_sequence: end_sequence(); break;
    case dwarf::DW_LNE_set_address: address_ = operands.number(8); break;
    case dwarf::DW_LNE_define_file: {
      const Name name = operands.text();
      add_file(name, operands.uleb());
      break;
    }
    default: break;
    }
  }

  void standard(uint8_t opcode) {
    switch (opcode) {
    case dwarf::DW_LNS_copy: return add_row();
    case dwarf::DW_LNS_advance_pc: return advance(table_.uleb());
    case dwarf::DW_LNS_advance_line: line_ += static_cast<uint32_t>(table_.sleb()); return;
    case dwarf::DW_LNS_set_file: file_ = table_.uleb(); return;
    case dwarf::DW_LNS_const_add_pc: return advance((255u - opcode_base_) / line_range_);
    case dwarf::DW_LNS_fixed_advance_pc: address_ += table_.number(2); return;
    default:
      for (unsigned i = 0; i < operands_[opcode]; ++i) table_.uleb();
    }
  }

  void advance(uint64_t operations) { address_ += operations * instruction_bytes_; }

  void add_row() {
    const uint64_t index = first_file_ + file_;
    const bool known = index < result_.files_.size() && index >= first_file_;
    result_.rows_.push_back({address_, known ? static_cast<uint32_t>(index) : 0, known ? line_ : 0});
  }

  void end_sequence() {
    auto& rows = result_.rows_;
    if (first_row_ < rows.size() && rows[first_row_].address < address_)
      result_.sequences_.push_back({rows[first_row_].address, address_, first_row_, rows.size()});
    first_row_ = rows.size();
    address_ = 0;
    file_ = line_ = 1;
  }

  LineTable& result_;
  const LineSections& sections_;
  Cursor table_;
  unsigned offset_bytes_, version_ = 0;
  uint8_t instruction_bytes_ = 0, line_range_ = 0, opcode_base_ = 0;
  int8_t line_base_ = 0;
  std::array<uint8_t, 256> operands_{};

  std::vector<Name> directories_;
  size_t first_file_ = result_.files_.size(), first_row_ = result_.rows_.size();
  uint64_t address_ = 0, file_ = 1;
  uint32_t line_ = 1;
};

LineTable::LineTable(const LineSections& sections) {
  Cursor all(sections.line);
  while (!all.at_end()) {
    uint64_t bytes = all.number(4);
    const bool is_dwarf64 = bytes == dwarf::DW_LENGTH_DWARF64;
    if (is_dwarf64) bytes = all.number(8);
    Reader(*this, sections, all.take(bytes), is_dwarf64 ? 8 : 4).read();
  }
  std::sort(sequences_.begin(), sequences_.end(),
            [](const Sequence& a, const Sequence& b) { return a.begin < b.begin; });
}

const LineTable::Row* LineTable::row_at(uint64_t address) const {
  const auto after = std::upper_bound(sequences_.begin(), sequences_.end(), address,
                                      [](uint64_t a, const Sequence& s) { return a < s.begin; });
  if (after == sequences_.begin() || address >= (after - 1)->end) return nullptr;
  const Sequence& sequence = *(after - 1);
  const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(sequence.first);
  auto row = std::upper_bound(first + 1, rows_.begin() + static_cast<std::ptrdiff_t>(sequence.last), address,
                              [](uint64_t a, const Row& r) { return a < r.address; }) -
             1;
  while (row->line == 0 && row != first) --row;
  return row->line == 0 ? nullptr : &*row;
}

std::string LineTable::at(uint64_t address) const {
  const Row* row = row_at(address);
  return row ? fmt::format("{}:{}", path_text(files_[row->file].name), row->line) : std::string();
}

std::string LineTable::path_at(uint64_t address) const {
  const Row* row = row_at(address);
  if (!row) return {};
  const File& file = files_[row->file];
  const std::filesystem::path path =
      std::filesystem::path(path_text(file.base)) / path_text(file.directory) / path_text(file.name);
  return fmt::format("{}:{}", path.lexically_normal().string(), row->line);
}

} // namespace fmha950::loader
