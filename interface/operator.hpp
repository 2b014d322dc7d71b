#pragma once
// What an operator is: its problems, their tensors, and what is true of them. A folder of operators/ derives from
// this and registers itself; there is no list elsewhere. All else in the project asks an operator, never which it is.

#include "interface/input_bytes.hpp"
#include "interface/oracle.hpp"
#include "interface/part_names.hpp"
#include "interface/query_row.hpp"
#include "interface/tensor_table.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace fmha950 {

namespace case_keys {
struct OperatorKeys; // case_keys.hpp
}

// Of the tokens that a call stores: K and V, unquantised, [total_q, Hkv, D], and [total_q] positions, empty where none are asked for.
struct AppendedRows {
  Tensor& (*k)(Tensors& tensors);
  Tensor& (*v)(Tensors& tensors);
  Tensor& (*positions)(Tensors& tensors);
};

// To whom keys belong: the rows of one owner share their keys.
enum class KeyOwner : uint8_t {
  request,
  query, // of the only request
};

struct OperatorFacts {
  std::string_view name;
  const case_keys::OperatorKeys& keys;         // of its case strings
  std::span<const TensorEntry> tensors;        // in the order of case folders and messages
  const std::type_info* own = nullptr;         // the type of Problem::own, if it has one
  const std::type_info* own_tensors = nullptr; // and of Tensors::own
  bool pages = false;                          // keys are in pages of k_pool and v_pool, found by page tables
  const AppendedRows* appends =
      nullptr; // the last query_length keys of a request are new: the call stores them
  KeyOwner key_owner = KeyOwner::request;
  int fewest_judged_rows = 64; // of a large problem: the judges need as many
  int fewest_rows_to_run = 0;  // of a large problem; for tiles so small that a few of them are too few rows
  int tile_keys = 64;          // that a kernel takes together, at least
  int products = 2;            // of a row and a key: of Q and K, of P and V
  const char* stored_in = "page"; // what V is constant over in a probe that shows what was read
  int order = 100;                // in lists of operators; those of one number go by name
};

// One of the calls that a problem comes in (Problem::calls).
struct OperatorCall {
  Problem problem; // of one call
  Tensors tensors;
  std::vector<int> first_query; // of each request, in its whole chunk
};

class Operator {
 public:
  explicit Operator(const OperatorFacts& facts) : facts_(facts) {}
  virtual ~Operator() = default;
  const OperatorFacts& facts() const { return facts_; }
  std::string_view name() const { return facts_.name; }

  // The owner of the keys of a row: its request or its query (AuditOwner::request), and how many queries that follow
  // each other have the same one, at least 1.
  int owner_of(QueryRow row) const;
  int queries_of_owner(const Request& request) const;

  // Throw InvalidInput. Tensors are checked against a problem that is valid itself; values are those that are read.
  virtual void check(const Problem& problem) const = 0;
  virtual void check(const Problem& problem, const Tensors& tensors) const = 0;
  virtual void check_values(const Problem& problem, const Tensors& tensors) const = 0;

  // The problem is valid, and its trace resolved.
  virtual Tensors make(const Problem& problem) const = 0;
  virtual InputBytes bytes(const Problem& problem) const = 0;
  // Call `index` of a problem that comes in several, after those before it have left `tensors`.
  virtual OperatorCall call(const Problem& problem, const Tensors& tensors, int index) const;

  virtual const Oracle& oracle() const = 0;
  virtual const PartNames& parts() const;

 private:
  OperatorFacts facts_;
};

// Tokens of a request whose keys are stored before the call.
int old_tokens(const Problem& problem, const Request& request);

// Registration happens before main; the archive of operators is linked whole, so that none is dropped.
void register_operator(std::unique_ptr<Operator> op);
std::vector<const Operator*> all_operators();         // in order
const Operator* find_operator(std::string_view name); // null: there is none

template <class T> struct RegisterOperator {
  RegisterOperator() { register_operator(std::make_unique<T>()); }
};

} // namespace fmha950
