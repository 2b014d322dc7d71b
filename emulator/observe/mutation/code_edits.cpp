#include "emulator/observe/mutation/code_edits.hpp"

#include "emulator/observe/mutation/internal_instruction.hpp"
#include "emulator/program/row.hpp"

namespace fmha950::observe {
namespace {

using isa::Instruction;
using Block = isa::Program::Block;

size_t target_of(const Block& code, size_t branch) {
  return static_cast<size_t>(static_cast<int64_t>(branch) + code.instructions[branch].target);
}
bool branches_to(const Block& code, size_t from, size_t to) {
  return isa::is_relative_branch(code.instructions[from]) && target_of(code, from) == to;
}
bool falls_to(const Block& code, size_t from, size_t to) {
  using Role = isa::ControlRole;
  const Role role = isa::control_of(code.instructions[from]);
  return from + 1 == to && role != Role::branch && role != Role::end && role != Role::jump &&
         role != Role::call && role != Role::call_relative;
}

// Builds the copy from front to back.
class Copy {
 public:
  explicit Copy(const CodeEdits& edits)
      : edits_(edits), original_(edits.original), entry_(original_.instructions.size()), body_(entry_) {}

  std::unique_ptr<Block> make() {
    block_->begin = original_.begin;
    block_->end = original_.end;
    const size_t guard = original_.instructions.size() - 1;
    for (size_t i = 0; i <= guard; ++i) {
      if (i > 0 && falls_to(original_, i - 1, i)) put_inserted(edits_.on_edge, {i - 1, i}, i);
      entry_[i] = size();
      put_inserted(edits_.before, i, i);
      body_[i] = size();
      if (!edits_.removed[i]) block_->instructions.push_back(edits_.own[i]);
    }
    point_branches();
    put_taken_edges();
    lay_out();
    block_->index_of = original_.index_of;
    for (int32_t& index : block_->index_of)
      if (index >= 0) index = static_cast<int32_t>(entry_[static_cast<size_t>(index)]);
    return std::move(block_);
  }

 private:
  size_t size() const { return block_->instructions.size(); }

  // A barrier on a wave's first way and one on every way have one address: they are told apart by their number.
  template <class Map> bool put_inserted(const Map& map, const typename Map::key_type& key, size_t next) {
    const auto found = map.find(key);
    if (found == map.end()) return false;
    uint16_t number = 0;
    for (size_t i = size(); i > 0 && block_->instructions[i - 1].inserted; --i)
      if (block_->instructions[i - 1].address == original_.instructions[next].address)
        number = std::max(number, block_->instructions[i - 1].inserted);
    for (Instruction in : found->second) {
      in.address = original_.instructions[next].address;
      in.inserted = ++number;
      block_->instructions.push_back(in);
    }
    return true;
  }

  void point(size_t branch, size_t to) {
    block_->instructions[branch].target =
        static_cast<int32_t>(static_cast<int64_t>(to) - static_cast<int64_t>(branch));
  }

  void point_branches() {
    for (size_t i = 0; i < edits_.own.size(); ++i)
      if (!edits_.removed[i] && isa::is_relative_branch(edits_.own[i]))
        point(body_[i], entry_[target_of(original_, i)]);
  }

  void put_taken_edges() {
    for (const auto& [edge, unused] : edits_.on_edge) {
      const auto [from, to] = edge;
      if (!branches_to(original_, from, to)) continue;
      point(body_[from], size());
      put_inserted(edits_.on_edge, edge, to);
      Instruction back = s_branch(original_.instructions[to].address);
      back.inserted = static_cast<uint16_t>(block_->instructions.back().inserted + 1);
      block_->instructions.push_back(back);
      point(size() - 1, entry_[to]);
    }
    if (block_->instructions.back().bytes != 0) block_->instructions.push_back(original_.instructions.back());
  }

  void lay_out() {
    uint64_t at = original_.begin;
    for (Instruction& in : block_->instructions) {
      in.laid_out_at = at;
      at += in.bytes;
    }
  }

  const CodeEdits& edits_;
  const Block& original_;
  std::vector<size_t> entry_,
      body_; // of each instruction of the original: where ways to it lead, and itself or the next
  std::unique_ptr<Block> block_ = std::make_unique<Block>();
};

} // namespace

bool is_edge(const Block& code, size_t from, size_t to) {
  return falls_to(code, from, to) || branches_to(code, from, to);
}

std::unique_ptr<Block> copy_with(const CodeEdits& edits) { return Copy(edits).make(); }

} // namespace fmha950::observe
