# What CMake's language HIP asks for: the targets that every program in it gets. It lies in lib/cmake/hip-lang of the folder that
# serves as ROCM_PATH (docs/without_gpu.md).
get_filename_component(hip_lang_root "${CMAKE_CURRENT_LIST_DIR}/../../.." REALPATH)
if(NOT TARGET hip-lang::device)
  add_library(hip-lang::amdhip64 SHARED IMPORTED)
  set_target_properties(hip-lang::amdhip64 PROPERTIES IMPORTED_LOCATION "${hip_lang_root}/lib/libamdhip64.so")
  add_library(hip-lang::device INTERFACE IMPORTED)
  # As clients/hipcc/compile.sh has it: no compressed bundles, and a macro that HIP's headers of before 7 ask for.
  set_target_properties(hip-lang::device PROPERTIES
                        INTERFACE_LINK_LIBRARIES hip-lang::amdhip64
                        INTERFACE_COMPILE_DEFINITIONS "$<$<COMPILE_LANGUAGE:HIP>:__AMDGCN_WAVEFRONT_SIZE=64>"
                        INTERFACE_COMPILE_OPTIONS
                        "$<$<COMPILE_LANGUAGE:HIP>:--rocm-path=${hip_lang_root};--no-offload-compress;-Wno-unused-command-line-argument>")
endif()
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET "hip-lang::device")
