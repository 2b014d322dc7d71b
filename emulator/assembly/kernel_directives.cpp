#include "emulator/assembly/kernel_directives.hpp"

#include <fmt/format.h>
#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/Support/AMDHSAKernelDescriptor.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cstring>

namespace fmha950::assembly {
namespace {

namespace hsa = llvm::amdhsa;

// SGPRs that the assembler has to be told so that it comes to this field: it counts in eights, and adds six for VCC,
// FLAT_SCRATCH and XNACK_MASK on a device with architected flat scratch (LLVM, AMDGPUBaseInfo.cpp, getNumExtraSGPRs).
uint32_t sgprs_told(uint32_t granules) {
  constexpr uint32_t granule = 8, extra = 6, most = 102;
  return std::min(granule * (granules + 1) - extra, most);
}

} // namespace

std::string descriptor_directives(const loader::Kernel& kernel, const std::string& quoted_name) {
  using namespace hsa;
  std::string text = fmt::format("\t.amdhsa_kernel {}\n", quoted_name);
  const auto say = [&](const char* what, uint32_t value) {
    text += fmt::format("\t\t.amdhsa_{} {}\n", what, value);
  };
  kernel_descriptor_t descriptor;
  std::memcpy(&descriptor, reinterpret_cast<const void*>(kernel.descriptor_address), sizeof descriptor);
  say("group_segment_fixed_size", descriptor.group_segment_fixed_size);
  say("private_segment_fixed_size", descriptor.private_segment_fixed_size);
  say("kernarg_size", descriptor.kernarg_size);

  const uint32_t rsrc1 = descriptor.compute_pgm_rsrc1, rsrc2 = descriptor.compute_pgm_rsrc2,
                 rsrc3 = descriptor.compute_pgm_rsrc3, uses = descriptor.kernel_code_properties;
  say("user_sgpr_count", rsrc2 >> 1 & 0x1F); // LLVM's headers call it by another name in each version
  say("user_sgpr_dispatch_ptr", AMDHSA_BITS_GET(uses, KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR));
  say("user_sgpr_queue_ptr", AMDHSA_BITS_GET(uses, KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR));
  say("user_sgpr_kernarg_segment_ptr",
      AMDHSA_BITS_GET(uses, KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR));
  say("user_sgpr_dispatch_id", AMDHSA_BITS_GET(uses, KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID));
  say("user_sgpr_kernarg_preload_length",
      AMDHSA_BITS_GET(descriptor.kernarg_preload, KERNARG_PRELOAD_SPEC_LENGTH));
  say("user_sgpr_kernarg_preload_offset",
      AMDHSA_BITS_GET(descriptor.kernarg_preload, KERNARG_PRELOAD_SPEC_OFFSET));
  say("user_sgpr_private_segment_size",
      AMDHSA_BITS_GET(uses, KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE));
  say("uses_dynamic_stack", AMDHSA_BITS_GET(uses, KERNEL_CODE_PROPERTY_USES_DYNAMIC_STACK));
  say("enable_private_segment", AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_PRIVATE_SEGMENT));
  say("system_sgpr_workgroup_id_x", AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X));
  say("system_sgpr_workgroup_id_y", AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y));
  say("system_sgpr_workgroup_id_z", AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z));
  say("system_sgpr_workgroup_info", AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_INFO));
  say("system_vgpr_workitem_id", AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_VGPR_WORKITEM_ID));
  say("next_free_vgpr", kernel.vgpr_count);
  say("next_free_sgpr",
      sgprs_told(AMDHSA_BITS_GET(rsrc1, COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT)));
  say("accum_offset", kernel.accum_offset);
  say("reserve_vcc", 0);
  say("float_round_mode_32", AMDHSA_BITS_GET(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32));
  say("float_round_mode_16_64", AMDHSA_BITS_GET(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_16_64));
  say("float_denorm_mode_32", AMDHSA_BITS_GET(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_32));
  say("float_denorm_mode_16_64", AMDHSA_BITS_GET(rsrc1, COMPUTE_PGM_RSRC1_FLOAT_DENORM_MODE_16_64));
  say("dx10_clamp", AMDHSA_BITS_GET(rsrc1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP));
  say("ieee_mode", AMDHSA_BITS_GET(rsrc1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE));
  say("fp16_overflow", AMDHSA_BITS_GET(rsrc1, COMPUTE_PGM_RSRC1_GFX9_PLUS_FP16_OVFL));
  say("tg_split", AMDHSA_BITS_GET(rsrc3, COMPUTE_PGM_RSRC3_GFX90A_TG_SPLIT));
  say("exception_fp_ieee_invalid_op",
      AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION));
  say("exception_fp_denorm_src",
      AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_FP_DENORMAL_SOURCE));
  say("exception_fp_ieee_div_zero",
      AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO));
  say("exception_fp_ieee_overflow",
      AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW));
  say("exception_fp_ieee_underflow",
      AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW));
  say("exception_fp_ieee_inexact",
      AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_IEEE_754_FP_INEXACT));
  say("exception_int_div_zero",
      AMDHSA_BITS_GET(rsrc2, COMPUTE_PGM_RSRC2_ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO));
  return text + "\t.end_amdhsa_kernel\n";
}

std::string metadata_of(std::span<const std::byte> note, const std::string& kernel) {
  namespace msgpack = llvm::msgpack;
  msgpack::Document document;
  document.readFromBlob({reinterpret_cast<const char*>(note.data()), note.size()}, false);
  msgpack::DocNode& kernels = document.getRoot().getMap()["amdhsa.kernels"];
  msgpack::ArrayDocNode one = document.getArrayNode();
  for (msgpack::DocNode& each : kernels.getArray())
    if (each.getMap()[".name"].getString() == kernel) one.push_back(each);
  kernels = one;
  std::string text;
  llvm::raw_string_ostream out(text);
  document.toYAML(out);
  return text;
}

} // namespace fmha950::assembly
