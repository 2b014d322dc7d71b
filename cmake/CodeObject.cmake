# fmha950_code_object(NAME <variant> SOURCE <file.hip> [KERNEL_FLAGS <flag>...] [FOR <target>])
# Builds one gfx950 code object, ${CMAKE_BINARY_DIR}/code_objects/<variant>.co, from one .hip file, and embeds it under
# its name (fmha950::hip::load_kernel finds it there). Without FOR it is part of every binary that links the
# implementations; with FOR only of that target, which keeps a test's mutants out of the product. CMake's own HIP
# language expects ROCm's folder layout and fails with Debian's, hence a custom command. Line tables stay in, so that
# faults and hazards name source lines. clang's driver drops -MF for device-only HIP, hence -Xclang.
function(fmha950_code_object)
  cmake_parse_arguments(CO "" "NAME;SOURCE;FOR" "KERNEL_FLAGS" ${ARGN})
  set(output ${CMAKE_BINARY_DIR}/code_objects/${CO_NAME}.co)
  get_filename_component(source ${CO_SOURCE} ABSOLUTE)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/code_objects
    COMMAND ${FMHA950_COMPILER_LAUNCHER} ${FMHA950_CLANG} -x hip --offload-arch=gfx950 --offload-device-only
            --no-gpu-bundle-output -nogpulib -nogpuinc -std=c++20 -O3 -gline-tables-only -Wall -Wextra -Werror
            -I${PROJECT_SOURCE_DIR} ${CO_KERNEL_FLAGS} -Xclang -dependency-file -Xclang ${output}.d
            -Xclang -MT -Xclang ${output} ${source} -o ${output}
    DEPENDS ${source} DEPFILE ${output}.d
    COMMENT "gfx950 code object ${CO_NAME}" VERBATIM)
  add_custom_target(code_object_${CO_NAME} ALL DEPENDS ${output})
  set_property(GLOBAL APPEND PROPERTY FMHA950_CODE_OBJECTS ${output})

  string(MAKE_C_IDENTIFIER ${CO_NAME} symbol)
  set(embedding ${CMAKE_CURRENT_BINARY_DIR}/embedded_${CO_NAME}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/EmbeddedCodeObject.cpp.in ${embedding} @ONLY)
  set_source_files_properties(${embedding} PROPERTIES OBJECT_DEPENDS ${output})
  add_library(embedded_${CO_NAME} OBJECT ${embedding})
  # A compiler cache does not see the bytes behind .incbin.
  set_target_properties(embedded_${CO_NAME} PROPERTIES CXX_COMPILER_LAUNCHER "")
  add_dependencies(embedded_${CO_NAME} code_object_${CO_NAME})
  if(CO_FOR)
    target_link_libraries(${CO_FOR} PRIVATE embedded_${CO_NAME})
  else()
    set_property(GLOBAL APPEND PROPERTY FMHA950_IMPLEMENTATIONS embedded_${CO_NAME})
  endif()
endfunction()
