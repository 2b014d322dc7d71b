#pragma once
// The text of an expression as tokens. For its parser.

#include "harness/external/expression_node.hpp"

#include <cctype>
#include <string>
#include <string_view>

namespace fmha950::harness::external {

struct Token {
  enum class Kind : uint8_t { end, number, text, word, sign };
  Kind kind = Kind::end;
  size_t begin = 0, end = 0; // in the text
  std::string spelling;      // of a text: what is between the quotes
};

inline bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
inline bool in_word(char c) { return begins_word(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

class Lexer {
 public:
  explicit Lexer(const std::string& text) : text_(text) { advance(); }
  const Token& token() const { return token_; }
  void advance() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    token_ = {Token::Kind::end, at_, at_, ""};
    if (at_ == text_.size()) return;
    const char c = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || (c == '.' && digit_at(at_ + 1)))
      take(Token::Kind::number, end_of_number());
    else if (begins_word(c))
      take(Token::Kind::word, end_of_word());
    else if (c == '\'' || c == '"')
      take_text(c);
    else
      take(Token::Kind::sign, end_of_sign());
  }

 private:
  bool digit_at(size_t at) const {
    return at < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at])) != 0;
  }
  size_t end_of_number() const {
    size_t end = at_;
    while (end < text_.size() && (in_word(text_[end]) || text_[end] == '.' ||
                                  ((text_[end] == '+' || text_[end] == '-') &&
                                   (text_[end - 1] == 'e' || text_[end - 1] == 'E') && !is_hex())))
      ++end;
    return end;
  }
  bool is_hex() const {
    return text_[at_] == '0' && at_ + 1 < text_.size() && (text_[at_ + 1] | 0x20) == 'x';
  }
  // A field of a request is one word: r.query_length.
  size_t end_of_word() const {
    size_t end = at_;
    while (end < text_.size() && (in_word(text_[end]) || (text_[end] == '.' && end + 1 < text_.size() &&
                                                          begins_word(text_[end + 1]))))
      ++end;
    return end;
  }
  size_t end_of_sign() const {
    for (const std::string_view two : {"//", "==", "!=", "<=", ">="})
      if (text_.compare(at_, 2, two) == 0) return at_ + 2;
    if (text_[at_] == '?')
      throw ParseMistake{at_ + 1, "?", "must be filled in: only the kernel's author knows it"};
    if (std::string_view("+-*/%<>(),").find(text_[at_]) == std::string_view::npos)
      throw ParseMistake{at_ + 1, text_.substr(at_, bytes_of_character()), "is no sign of expressions"};
    return at_ + 1;
  }
  // Of UTF-8: a part of one could not be printed.
  size_t bytes_of_character() const {
    size_t bytes = 1;
    while (at_ + bytes < text_.size() && (text_[at_ + bytes] & 0xc0) == 0x80) ++bytes;
    return bytes;
  }
  void take(Token::Kind kind, size_t end) {
    token_ = {kind, at_, end, text_.substr(at_, end - at_)};
    at_ = end;
  }
  void take_text(char quote) {
    const size_t end = text_.find(quote, at_ + 1);
    if (end == text_.npos) throw ParseMistake{at_ + 1, text_.substr(at_), "has no closing quote"};
    token_ = {Token::Kind::text, at_, end + 1, text_.substr(at_ + 1, end - at_ - 1)};
    at_ = end + 1;
  }

  const std::string& text_;
  size_t at_ = 0;
  Token token_;
};

} // namespace fmha950::harness::external
