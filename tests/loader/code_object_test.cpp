// What the loader reads from a code object, against llvm-objdump and llvm-readobj.
#include "emulator/loader/bundle.hpp"
#include "emulator/loader/code_object.hpp"
#include "tests/loader/code_object_file.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/source_path.hpp"
#include <cstring>
#include <map>

using namespace fmha950;
using loader::CodeObject;

TEST_CASE("kernel descriptors agree with llvm-objdump, versions 5 and 6") {
  const std::string version = GENERATE("v5", "v6");
  const CodeObject object(read_code_object(version));
  const std::string text = output_of(LLVM_OBJDUMP " -D -j .rodata " + code_object_path(version));
  REQUIRE(object.kernels().size() == 5);
  for (const loader::Kernel& kernel : object.kernels()) {
    INFO(version << " " << kernel.name);
    const auto field = [&](const char* name) {
      return number_after(text, "<" + kernel.name + ".kd>", std::string(".amdhsa_") + name + " ");
    };
    CHECK(kernel.static_lds == field("group_segment_fixed_size"));
    CHECK(kernel.private_segment == field("private_segment_fixed_size"));
    CHECK(kernel.kernarg_bytes == field("kernarg_size"));
    CHECK(kernel.accum_offset == field("accum_offset"));
    CHECK(kernel.vgpr_count == field("next_free_vgpr"));
    CHECK((kernel.mode & 3) == field("float_round_mode_32"));
    CHECK((kernel.mode >> 2 & 3) == field("float_round_mode_16_64"));
    CHECK((kernel.mode >> 4 & 3) == field("float_denorm_mode_32"));
    CHECK((kernel.mode >> 6 & 3) == field("float_denorm_mode_16_64"));
    CHECK((kernel.mode >> 8 & 1) == field("dx10_clamp"));
    CHECK((kernel.mode >> 9 & 1) == field("ieee_mode"));
    CHECK((kernel.mode >> 23 & 1) == field("fp16_overflow"));
    CHECK((kernel.rsrc2 & 1) == field("enable_private_segment"));
    CHECK((kernel.rsrc2 >> 7 & 1) == field("system_sgpr_workgroup_id_x"));
    CHECK((kernel.rsrc2 >> 8 & 1) == field("system_sgpr_workgroup_id_y"));
    CHECK((kernel.rsrc2 >> 11 & 3) == field("system_vgpr_workitem_id"));
    CHECK((kernel.properties >> 1 & 1) == field("user_sgpr_dispatch_ptr"));
    CHECK((kernel.properties >> 3 & 1) == field("user_sgpr_kernarg_segment_ptr"));
    CHECK(kernel.uses_dynamic_stack == (field("uses_dynamic_stack") != 0));
  }
  CHECK(object.find_kernel("uses_acc")->accum_offset < object.find_kernel("uses_acc")->vgpr_count);
  CHECK(object.find_kernel("uses_lds")->static_lds == 4000);
  CHECK(object.find_kernel("uses_scratch")->private_segment >= 128);
}

TEST_CASE("dynamic symbols are found by either kind of hash table") {
  const CodeObject object(read_code_object(GENERATE("sysv_hash", "gnu_hash")));
  CHECK(object.kernels().size() == 5);
  CHECK(object.find_global("counter"));
}

TEST_CASE("metadata agrees with llvm-readobj") {
  const CodeObject object(read_code_object("v6"));
  const std::string text = output_of(LLVM_READOBJ " --notes " + code_object_path("v6"));
  // llvm-readobj prints the kernels in order, each with its fields sorted: .max_flat_workgroup_size right
  // before .name.
  for (const loader::Kernel& kernel : object.kernels()) {
    INFO(kernel.name);
    const size_t name = text.find(".name:           " + kernel.name + "\n");
    REQUIRE(name != std::string::npos);
    const std::string before = text.substr(0, name);
    CHECK(kernel.max_workgroup ==
          number_after(before.substr(before.rfind(".max_flat")), ".max_flat", "_workgroup_size:"));
    CHECK(kernel.sgpr_count >= number_after(text.substr(name), ".name", ".sgpr_count:"));
    CHECK(kernel.vgpr_count >= number_after(text.substr(name), ".name", ".vgpr_count:"));
  }
  const auto& arguments = object.find_kernel("add")->arguments;
  REQUIRE(arguments.size() == 4);
  CHECK(arguments[1].kind == "global_buffer");
  CHECK(arguments[1].offset == 8);
  CHECK(arguments[3].kind == "by_value");
  CHECK(arguments[3].offset == 20);
  CHECK(arguments[3].size == 1);
}

TEST_CASE("variables are initialised, zeroed and relocated") {
  const CodeObject object(read_code_object("v6"));
  const auto* counter = object.find_global("counter");
  const auto* pointer = object.find_global("pointer_to_counter");
  const auto* zeros = object.find_global("zeros");
  REQUIRE((counter && pointer && zeros));
  CHECK(*reinterpret_cast<int*>(counter->address) == 7);
  CHECK(*reinterpret_cast<uint64_t*>(pointer->address) == counter->address);
  CHECK(zeros->bytes == 4000);
  for (int i = 0; i < 1000; ++i) REQUIRE(reinterpret_cast<int*>(zeros->address)[i] == 0);
  CHECK(object.find_global("add") == nullptr);
  CHECK(object.find_global("add.kd") == nullptr);
}

TEST_CASE("an unknown kernel is not found") {
  const CodeObject object(read_code_object("v6"));
  CHECK(object.find_kernel("multiply") == nullptr);
  CHECK(object.find_kernel("add") != nullptr);
}

TEST_CASE("two loads of one code object do not share memory") {
  const CodeObject first(read_code_object("v6")), second(read_code_object("v6"));
  *reinterpret_cast<int*>(first.find_global("counter")->address) = 8;
  CHECK(*reinterpret_cast<int*>(second.find_global("counter")->address) == 7);
}

TEST_CASE("functions: extents from the symbols, with and without a symbol table") {
  const std::string variant = GENERATE("v6", "stripped");
  const CodeObject object(read_code_object(variant));
  const loader::Kernel& kernel = *object.find_kernel("add");
  const auto function = object.function_at(kernel.entry + 8);
  REQUIRE(function);
  CHECK(function->name == "add");
  CHECK(function->begin == kernel.entry);
  // llvm-objdump starts a line with the address of each instruction: the last one before the next function.
  const std::string symbols = output_of(LLVM_READOBJ " --dyn-symbols " + code_object_path(variant));
  CHECK(function->end - function->begin ==
        static_cast<uint64_t>(number_after(symbols, "Name: add (", "Size: ")));
  if (variant == "v6") {
    const auto helper = object.function_at(function->begin - 0x100); // 256-byte aligned, right before
    REQUIRE(helper);
    CHECK(helper->name == "helper");
  }
  CHECK_FALSE(object.function_at(0));
  CHECK_FALSE(object.function_at(kernel.descriptor_address));
}

TEST_CASE("source lines name file and line of the kernel") {
  const CodeObject object(read_code_object("v6"));
  const uint64_t entry = object.find_kernel("nothing")->entry;
  std::ifstream file(source_path("tests/loader/kernels.hip"));
  int line = 0, expected = 0;
  for (std::string text; std::getline(file, text);) {
    ++line;
    if (text.find("void nothing()") != std::string::npos) expected = line;
  }
  REQUIRE(expected > 0);
  const std::string found = object.source_line(entry);
  CHECK_THAT(found, Catch::EndsWith("tests/loader/kernels.hip:" + std::to_string(expected)));
  CHECK(object.source_line(0).empty());
  const CodeObject stripped(read_code_object("stripped"));
  CHECK(stripped.source_line(stripped.find_kernel("nothing")->entry).empty());
}

TEST_CASE("an offload bundle gives its gfx950 entry, an ELF file its own size") {
  const auto bundle = read_code_object("bundle");
  const CodeObject object(loader::select_code_object(bundle.data(), bundle.size()));
  CHECK(object.find_kernel("add") != nullptr);
  const CodeObject unsized(loader::select_code_object(bundle.data()));
  CHECK(unsized.kernels().size() == 5);
  const auto elf = read_code_object("v6");
  CHECK(loader::select_code_object(elf.data()).size() == elf.size());
}
