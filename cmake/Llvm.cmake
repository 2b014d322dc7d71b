# LLVM's libraries of the same major version as the compiler, as the target fmha950_llvm. Debian's LLVMConfig.cmake
# accepts only an exact minor version and asks for packages that the shared library does not need, hence llvm-config.
string(REGEX MATCH "^[0-9]+" llvm_major "${FMHA950_CLANG_VERSION}")
get_filename_component(clang_folder ${FMHA950_CLANG} REALPATH)
get_filename_component(clang_folder ${clang_folder} DIRECTORY)
find_program(LLVM_CONFIG NAMES llvm-config-${llvm_major} llvm-config HINTS ${clang_folder} REQUIRED
             DOC "llvm-config of llvm-dev >= 20 (Debian: apt-get install llvm-22-dev)")
execute_process(COMMAND ${LLVM_CONFIG} --includedir OUTPUT_VARIABLE llvm_include OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LLVM_CONFIG} --libdir OUTPUT_VARIABLE llvm_libdir OUTPUT_STRIP_TRAILING_WHITESPACE)
# Static: programs that load the device have LLVMs of their own, of other versions, whose symbols have the same names.
execute_process(COMMAND ${LLVM_CONFIG} --link-static --libs amdgpuasmparser amdgpudisassembler debuginfodwarf object demangle
                OUTPUT_VARIABLE llvm_libs OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(llvm_libs)
foreach(name IN ITEMS z zstd) # LLVM's compression
  find_library(llvm_${name} NAMES lib${name}.a REQUIRED DOC "static library of zlib1g-dev, libzstd-dev")
endforeach()
add_library(fmha950_llvm INTERFACE)
target_include_directories(fmha950_llvm SYSTEM INTERFACE ${llvm_include})
target_link_directories(fmha950_llvm INTERFACE ${llvm_libdir})
target_link_libraries(fmha950_llvm INTERFACE ${llvm_libs} ${llvm_z} ${llvm_zstd} ${CMAKE_DL_LIBS})
