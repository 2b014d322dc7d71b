#pragma once
// What an implementation of an operator offers. An impl_* folder derives from these and registers itself with
// RegisterImplementation; there is no list elsewhere.

#include "interface/device_tensors.hpp"
#include "interface/features.hpp"
#include "interface/hip.hpp"
#include "interface/oracle.hpp"
#include "interface/problem.hpp"
#include "interface/tensors.hpp"
#include "interface/tile_shape.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950 {

// A launch restricted to these workgroups (linear ids, x fastest); empty: none of this launch is needed.
struct LaunchWorkgroups {
  std::string kernel;
  std::vector<uint32_t> workgroups;
  // What decides how long a workgroup takes, in any unit: of every workgroup of the launch's grid, restricted or not. Empty
  // where the plan does not know.
  std::vector<uint32_t> work = {};
  bool converts = false; // only brings tensors into a form that other launches want
};

// For a plan that gives the keys of a row to several workgroups: the weight that one part of the keys has when the parts
// are joined.
struct PartialWeight {
  size_t launch = 0;    // the one that reads it; an earlier one writes it
  float* lse = nullptr; // on the device
  bool natural = false; // to the base of e instead of 2
  QueryRow row;
  int head = 0;
  int tile = 0;                    // rows of a tile have parts of the same keys
  int first_key = 0, last_key = 0; // [first, last)
};

// One prepared problem. enqueue() only launches and never synchronises. A launch reads nothing through one pointer of its
// kernel's arguments that it writes through another: the caller lets outputs overlap no input, and a cache that is written to
// is read through the pointer that writes it. An entry of a table that a kernel scales as it scales the table's count names
// something that there is: validate() and the plans see to it. Ids of sparse lists may be out of range: kernels compare them
// first. The bytes of a buffer fit into num_records, and numbers of keys, tiles and rows into 31 bits, so that what kernels
// compare with a sign does not overflow. Proofs about mutants rest on all this (docs/static_check.md).
class Plan {
 public:
  virtual ~Plan() = default;
  virtual std::string variant() const = 0;    // resolved variant, as results name it
  virtual size_t workspace_bytes() const = 0; // reserved device memory
  // Wall time that plan() spent on finding which rows or pages to prepare, where it has to look for them.
  virtual std::optional<double> planning_milliseconds() const { return {}; }
  virtual ProbabilityRounding probability_rounding() const = 0; // words p= and sum= of results
  virtual int query_tile() const = 0;                           // rows per query tile, for sampling
  virtual TileShape score_tile() const = 0; // what a kernel computes although one pair is seen
  // Whether the bits of a result are the same in every run; where they are not, each run is judged by itself.
  virtual bool deterministic() const { return true; }
  // All workgroups of every launch, in launch order, that the given rows depend on
  // (splits, dequantisation, combine).
  virtual std::vector<LaunchWorkgroups> workgroups_for(const std::vector<QueryRow>& rows) const = 0;
  // The weights for these rows; none if the plan splits no keys. Used to make them wrong on purpose (docs/sabotage.md).
  virtual std::vector<PartialWeight> partial_weights(const std::vector<QueryRow>&) const { return {}; }
  virtual void enqueue(hip::Stream stream) = 0;
  // As enqueue, but only the given workgroups of each launch, in order:
  // by the embedded device's extension.
  virtual void enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) = 0;
};

// Names of implementations, and of their code objects, that are no part of this program begin so.
inline constexpr std::string_view external_prefix = "external:";
inline bool is_external(std::string_view name) { return name.starts_with(external_prefix); }

// Which implementations `auto` chooses among. Where no estimate decides, it takes them in this order, and those of one rank in the
// order of their names.
enum class Rank : uint8_t {
  first,
  usual,  // with the first, those whose estimates decide
  others, // only where none of those above supports the problem: they approximate more, or are there to be compared with
  by_name_only // never
};

// Problems on which the mutants of a kernel are judged.
struct MutantProblems {
  std::string code_object, kernel; // as hip::load_kernel() takes them
  std::vector<std::string> cases;
};

// Where an implementation comes from that is no part of this program; empty for one that is.
struct Origin {
  std::string arguments = {}; // what a command line needs to find it
  std::string digest = {};    // of all that it is made of
  std::vector<MutantProblems> mutants = {};
};

class Implementation {
 public:
  virtual ~Implementation() = default;
  virtual std::string_view name() const = 0;                       // "prepass"
  virtual std::string_view description() const = 0;                // one line for `fmha950 list`
  virtual Rank rank(const Problem&) const { return Rank::others; } // among those that support the problem
  virtual const Origin& origin() const {
    static const Origin of_this_program;
    return of_this_program;
  }
  // All that it has; what is not here is refused.
  virtual const std::vector<FeatureSet>& features() const = 0;
  virtual Support supports(const Problem& problem) const {
    return support_of(required_features(problem), features());
  }
  // How long a problem takes that it supports, in the cycle model, by its lengths alone: runs nothing, and is the same on every
  // device. Nothing for forms that no estimate was made for.
  virtual std::optional<double> estimated_seconds(const Problem&) const { return {}; }
  // Validates every input (validate.hpp), then reserves workspace. Throws InvalidInput or DeviceError.
  virtual std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                                     const DeviceTensors& device) const = 0;
};

// Registration happens before main; folders are linked as OBJECT libraries so that none is dropped.
void register_implementation(std::unique_ptr<Implementation> implementation);
const std::vector<std::unique_ptr<Implementation>>& implementations(); // ordered by name
const Implementation& find_implementation(std::string_view name); // throws InvalidInput listing the names

template <class T> struct RegisterImplementation {
  RegisterImplementation() { register_implementation(std::make_unique<T>()); }
};

} // namespace fmha950
