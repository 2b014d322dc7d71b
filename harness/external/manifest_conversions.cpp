// The conversions of a manifest.
#include "harness/external/manifest_reader.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <fmt/ranges.h>

namespace fmha950::harness::external {

namespace {

ConversionForm begun(ConversionForm::Kind kind, const JsonField& field) {
  ConversionForm form;
  form.kind = kind;
  form.place = field.path();
  return form;
}

} // namespace

std::string ManifestReader::type_word(const JsonField& field) {
  static constexpr std::string_view words[] = {"fp8", "bf16", "fp16", "fp32", "int32", "query", "kv", "out"};
  if (std::ranges::find(words, field.text()) == std::end(words))
    field.refuse(fmt::format("must be one of {}", fmt::join(words, ", ")));
  used_.insert(field.text()); // query, kv and out are names, too
  return field.text();
}

ConversionForm ManifestReader::read_arrange(const JsonField& field) {
  ConversionForm form = begun(ConversionForm::Kind::arrange, field);
  form.source = expression(field.at("arrange"), known_);
  form.from_type = type_word(field.at("from"));
  form.type = field.has("type") ? type_word(field.at("type")) : form.from_type;
  const auto sizes = [&](const char* key, std::vector<Expression>& to) {
    for (const JsonField& each : field.at(key).items()) to.push_back(expression(each, known_));
    if (to.empty() || to.size() > conversion_axes) field.at(key).refuse("must have one to four axes");
  };
  sizes("shape", form.shape);
  if (field.has("strides")) {
    sizes("strides", form.strides);
    if (form.strides.size() != form.shape.size()) field.at("strides").refuse("must be as many as in shape");
  }
  form.scale = expression_if(field, "scale", known_);
  const bool whole = form.from_type == "int32" || form.type == "int32";
  if (whole && (form.from_type != form.type || !form.scale.empty()))
    field.refuse("must keep int32 as it is: without another type and without scale");
  return form;
}

ConversionForm ManifestReader::read_gather(const JsonField& field) {
  field.allow({"name", "gather", "type", "rows", "all_rows", "scale", "descale"});
  ConversionForm form = begun(ConversionForm::Kind::gather, field);
  if (const std::string pool = field.at("gather").text(); pool != "k_pool" && pool != "v_pool")
    field.at("gather").refuse("must be k_pool or v_pool");
  form.source = expression(field.at("gather"), known_);
  gathered_.insert(field.at("gather").text());
  // What a kernel gets whose keys are gathered is the same for all layouts, strides, pages and tables.
  if (gathered_.size() == 2) used_.insert({"layout", "k_page_stride", "page_size", "page_ids"});
  form.type = field.has("type") ? type_word(field.at("type")) : "kv";
  used_.insert("kv"); // whatever its pools hold
  KnownNames of_request = known_;
  of_request.add_request("r");
  form.rows = expression(field.at("rows"), of_request);
  form.all_rows = expression(field.at("all_rows"), known_);
  form.scale = expression_if(field, "scale", known_);
  form.descale = expression_if(field, "descale", known_);
  return form;
}

ConversionForm ManifestReader::read_page_table(const JsonField& field) {
  field.allow({"name", "page_table", "fill"});
  ConversionForm form = begun(ConversionForm::Kind::page_table, field);
  KnownNames of_request = known_;
  of_request.add_request("r");
  form.length = expression(field.at("page_table"), of_request);
  form.fill = expression_if(field, "fill", known_);
  used_.insert("page_ids");
  return form;
}

void ManifestReader::read_prepare(const JsonField& field) {
  ConversionForm form;
  if (field.has("arrange")) {
    field.allow({"name", "arrange", "from", "type", "shape", "strides", "scale"});
    form = read_arrange(field);
  } else if (field.has("gather")) {
    form = read_gather(field);
  } else if (field.has("page_table")) {
    form = read_page_table(field);
  } else {
    field.refuse("must have one of arrange, gather, page_table");
  }
  form.name = field.at("name").text();
  define_name(form.name, field.at("name"), known_);
  manifest_.prepare.push_back(std::move(form));
}

// What it writes has the case's type and shape.
void ManifestReader::read_finish(const JsonField& field) {
  field.allow({"into", "arrange", "from", "strides", "scale"});
  ConversionForm form = begun(ConversionForm::Kind::arrange, field);
  form.name = field.at("into").text();
  if (form.name != "output" && form.name != "lse") field.at("into").refuse("must be output or lse");
  used_.insert(form.name);
  form.source = expression(field.at("arrange"), known_);
  form.from_type = type_word(field.at("from"));
  form.type = form.name == "lse" ? "fp32" : "out";
  for (const char* extent : {"total_queries", "query_heads", "value_head_dim"})
    if (form.name == "output" || std::string_view(extent) != "value_head_dim")
      form.shape.emplace_back(field.path(), extent);
  for (const JsonField& each : field.at("strides").items()) form.strides.push_back(expression(each, known_));
  if (form.strides.size() != form.shape.size())
    field.at("strides").refuse(fmt::format("must be {}: of {}, query head{}", form.shape.size(), "query",
                                           form.shape.size() == 3 ? ", column" : ""));
  form.scale = expression_if(field, "scale", known_);
  manifest_.finish.push_back(std::move(form));
}

} // namespace fmha950::harness::external
