#include "emulator/loader/kernel_descriptor.hpp"

#include <fmt/format.h>
#include <llvm/Support/AMDHSAKernelDescriptor.h>

#include <cstring>

namespace fmha950::loader {

namespace hsa = llvm::amdhsa;

void read_descriptor(std::span<const std::byte, 64> bytes, Kernel& kernel) {
  hsa::kernel_descriptor_t descriptor;
  std::memcpy(&descriptor, bytes.data(), sizeof descriptor);
  kernel.entry = kernel.descriptor_address + static_cast<uint64_t>(descriptor.kernel_code_entry_byte_offset);
  kernel.static_lds = descriptor.group_segment_fixed_size;
  kernel.private_segment = descriptor.private_segment_fixed_size;
  kernel.kernarg_bytes = descriptor.kernarg_size;
  kernel.rsrc1 = descriptor.compute_pgm_rsrc1;
  kernel.rsrc2 = descriptor.compute_pgm_rsrc2;
  kernel.rsrc3 = descriptor.compute_pgm_rsrc3;
  kernel.properties = descriptor.kernel_code_properties;
  kernel.kernarg_preload = descriptor.kernarg_preload;
  kernel.uses_dynamic_stack =
      AMDHSA_BITS_GET(kernel.properties, hsa::KERNEL_CODE_PROPERTY_USES_DYNAMIC_STACK);
  if (AMDHSA_BITS_GET(kernel.properties, hsa::KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32))
    throw LoadError(fmt::format("kernel {}: descriptor asks for wave32, gfx950 has wave64", kernel.name));

  // Granules: AMDGPUUsage, "compute_pgm_rsrc1 for GFX6-GFX12" (GFX90A, GFX942: 8 VGPRs; GFX9: 16 SGPRs,
  // counted in pairs) and "compute_pgm_rsrc3 for GFX90A, GFX942" (4 VGPRs).
  using namespace hsa;
  kernel.vgpr_count =
      8 * (1 + AMDHSA_BITS_GET(kernel.rsrc1, COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT));
  kernel.sgpr_count =
      16 * (1 + AMDHSA_BITS_GET(kernel.rsrc1, COMPUTE_PGM_RSRC1_GRANULATED_WAVEFRONT_SGPR_COUNT) / 2);
  kernel.accum_offset = 4 * (1 + AMDHSA_BITS_GET(kernel.rsrc3, COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET));
  // MODE: float_mode [7:0], DX10_CLAMP 8, IEEE 9, FP16_OVFL 23 (machine_gfx950.md section 1.3).
  kernel.mode = (kernel.rsrc1 >> COMPUTE_PGM_RSRC1_FLOAT_ROUND_MODE_32_SHIFT & 0xFF) |
                AMDHSA_BITS_GET(kernel.rsrc1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_DX10_CLAMP) << 8 |
                AMDHSA_BITS_GET(kernel.rsrc1, COMPUTE_PGM_RSRC1_GFX6_GFX11_ENABLE_IEEE_MODE) << 9 |
                AMDHSA_BITS_GET(kernel.rsrc1, COMPUTE_PGM_RSRC1_GFX9_PLUS_FP16_OVFL) << 23;
}

} // namespace fmha950::loader
