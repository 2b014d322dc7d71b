#pragma once
// Reads a manifest: each part in the order in which its names become known. For the files manifest_*.cpp.

#include "harness/external/case_names.hpp"
#include "harness/external/manifest.hpp"
#include "workload/json_field.hpp"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace fmha950::harness::external {

using workload::JsonField;

// The names that an expression may use where it stands.
class KnownNames {
 public:
  explicit KnownNames(const std::vector<std::string>& names,
                      std::vector<std::string> fields = request_fields())
      : names_(names.begin(), names.end()), fields_(std::move(fields)) {}
  void add(const std::string& name) { names_.insert(name); }
  void add_request(const std::string& loop); // and its fields
  void add_table(const std::string& name);   // and its length
  bool has(const std::string& name) const { return names_.contains(name); }
  void require(const Expression& expression) const; // throws InvalidInput for a name that is not known

 private:
  std::set<std::string> names_;
  std::vector<std::string> fields_; // of requests
};

bool is_manifest_name(std::string_view text);

// The folder whose files a manifest may name.
// Throws InvalidInput for a link that leads out of it: it is somebody else's file.
void require_inside(const std::filesystem::path& folder, const std::filesystem::path& path,
                    const JsonField& field);

class ManifestReader {
 public:
  ManifestReader(const std::filesystem::path& file, const JsonField& root);
  Manifest read();

 private:
  Expression checked(Expression expression, const KnownNames& known);
  Expression expression(const JsonField& field,
                        const KnownNames& known); // a text, or a number as JSON has it
  Expression expression_if(const JsonField& owner, const char* key, const KnownNames& known);
  void define_name(const std::string& name, const JsonField& at, KnownNames& known);
  Definitions definitions(const JsonField& field, KnownNames& known);
  ArgumentForm argument(const JsonField& field, const KnownNames& known);
  void require(const ArgumentForm& form, const KnownNames& known);

  void read_name();
  void read_needs();
  void read_planner();
  void require_planner_word(const JsonField& word, bool first) const;
  const std::string& planned_table(const JsonField& field) const;
  void read_loops(const JsonField& field, WorkList& list, KnownNames& known);
  void read_list(const std::string& name, const JsonField& field);
  void read_workspace(const std::string& name, const JsonField& field);
  void read_partials(const JsonField& field);
  void read_judged(const JsonField& field);
  void read_mutants(const JsonField& field);

  // manifest_launches.cpp
  void read_launch(const JsonField& field);
  const CodeObjectFile& object(const JsonField& field);
  KernelForm kernel(const JsonField& field, std::span<const ArgumentForm> arguments,
                    const std::string& arguments_place);
  void read_sizes(const JsonField& field, std::array<Expression, 3>& sizes);
  void read_rows(const JsonField& field, LaunchForm& launch);

  // manifest_conversions.cpp
  void read_prepare(const JsonField& field);
  void read_finish(const JsonField& field);
  std::string type_word(const JsonField& field);
  ConversionForm read_arrange(const JsonField& field);
  ConversionForm read_gather(const JsonField& field);
  ConversionForm read_page_table(const JsonField& field);

  const JsonField& root_;
  Manifest manifest_;
  KnownNames known_;
  std::set<std::string> tables_, used_, gathered_;
  std::map<std::string, KnownNames> inside_; // of each list: what its expressions may use
};

} // namespace fmha950::harness::external
