# fmha950_code_object(NAME <variant> SOURCE <file.hip> [KERNEL_FLAGS <flag>...] [FOR <target>])
# Builds one gfx950 code object, ${CMAKE_BINARY_DIR}/code_objects/<variant>.co, from one .hip file, and embeds it under
# its name (fmha950::hip::load_kernel finds it there). Without FOR it is part of every binary that links the
# implementations; with FOR only of that target.
function(fmha950_code_object)
  cmake_parse_arguments(CO "" "NAME;SOURCE;FOR" "KERNEL_FLAGS" ${ARGN})
  set(output ${CMAKE_BINARY_DIR}/code_objects/${CO_NAME}.co)
  get_filename_component(source ${CO_SOURCE} ABSOLUTE)
  fmha950_compile_kernel(${output} ${source} "gfx950 code object ${CO_NAME}" ${CO_KERNEL_FLAGS})
  add_custom_target(code_object_${CO_NAME} ALL DEPENDS ${output})
  set_property(GLOBAL APPEND PROPERTY FMHA950_CODE_OBJECTS ${output})
  # For its mutants, which are the same source with one more flag.
  set_property(GLOBAL PROPERTY FMHA950_SOURCE_OF_${CO_NAME} ${source})
  set_property(GLOBAL PROPERTY FMHA950_FLAGS_OF_${CO_NAME} ${CO_KERNEL_FLAGS})

  string(MAKE_C_IDENTIFIER ${CO_NAME} symbol)
  set(embedding ${CMAKE_CURRENT_BINARY_DIR}/embedded_${CO_NAME}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/EmbeddedCodeObject.cpp.in ${embedding} @ONLY)
  set_source_files_properties(${embedding} PROPERTIES OBJECT_DEPENDS ${output})
  add_library(embedded_${CO_NAME} OBJECT ${embedding})
  # A compiler cache does not see the bytes behind .incbin.
  set_target_properties(embedded_${CO_NAME} PROPERTIES CXX_COMPILER_LAUNCHER "" UNITY_BUILD OFF)
  add_dependencies(embedded_${CO_NAME} code_object_${CO_NAME})
  if(CO_FOR)
    target_link_libraries(${CO_FOR} PRIVATE embedded_${CO_NAME})
  else()
    set_property(GLOBAL APPEND PROPERTY FMHA950_IMPLEMENTATIONS embedded_${CO_NAME})
    set_property(GLOBAL APPEND PROPERTY FMHA950_INSTALLED_CODE_OBJECTS ${output})
  endif()
endfunction()

# The source mutants of all folders. They are half of all there is to compile, and only tests and `probe --mutants` load
# them: `all` does not build them. A folder of tests may do without.
add_custom_target(mutants)
set(FMHA950_SOURCE_MUTANTS ON)

# fmha950_source_mutants(<folder> <list>...)
# Target mutants builds mutants of code objects (gfx950/mutant.hpp), which are no part of any binary, as
# <folder>/<code object>/<mutant>.co in the build's folder, beside a copy of the lists in one, mutants.txt; the harness
# loads those of an implementation from mutants/<implementation> when it is asked to run them. A line of the list is the
# mutant's name, the code object it stands in for, and what breaks; those behind a line `operator NAME` are of kernels of
# that operator. Call it after the fmha950_code_object() lines.
function(fmha950_source_mutants FOLDER)
  if(NOT FMHA950_SOURCE_MUTANTS)
    return()
  endif()
  get_filename_component(name ${FOLDER} NAME)
  set(folder ${CMAKE_BINARY_DIR}/${FOLDER})
  set(lines)
  foreach(list IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} of_list REGEX "^[a-z]")
    list(APPEND lines ${of_list})
  endforeach()
  list(JOIN lines "\n" text)
  file(CONFIGURE OUTPUT ${folder}/mutants.txt CONTENT "${text}\n" @ONLY)
  list(FILTER lines EXCLUDE REGEX "^operator ")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z_0-9]+) +([a-z_0-9]+) " matched "${line}")
    set(mutant ${CMAKE_MATCH_1})
    set(code_object ${CMAKE_MATCH_2})
    get_property(source GLOBAL PROPERTY FMHA950_SOURCE_OF_${code_object})
    get_property(flags GLOBAL PROPERTY FMHA950_FLAGS_OF_${code_object})
    if(NOT source)
      message(FATAL_ERROR "${ARGN}: mutant ${mutant} names no code object of this build: ${code_object}")
    endif()
    set(output ${folder}/${code_object}/${mutant}.co)
    fmha950_compile_mutant(${output} ${source} ${CMAKE_BINARY_DIR}/code_objects/${code_object}.co
                           "mutant ${mutant} of ${code_object}" ${flags} -DFMHA950_MUTANT=${mutant})
    list(APPEND outputs ${output})
  endforeach()
  add_custom_target(mutants_${name} DEPENDS ${outputs})
  add_dependencies(mutants mutants_${name})
endfunction()

# How every kernel is compiled: the compiler and its options, in the source folder, by relative names and without a
# CUID, so that neither the code object nor what a compiler cache keeps depends on where the clone or the build lies.
set(FMHA950_COMPILE_KERNEL ${FMHA950_CLANG} -x hip --offload-arch=gfx950 --offload-device-only --no-gpu-bundle-output
    -nogpulib -nogpuinc -fuse-cuid=none -std=c++20 -O3 -gline-tables-only -fdebug-compilation-dir=. -Wall -Wextra -Werror)

# fmha950_compile_kernel(<output.co> <source.hip> <comment> [<flag>...])
# CMake's own HIP language expects ROCm's folder layout and fails with Debian's, hence a custom command. Line tables
# stay in, so that faults and hazards name source lines. clang's driver drops -MF for device-only HIP, hence -Xclang; a
# compiler cache would not restore that file, hence a command of its own. With -c, which changes nothing for device code,
# a cache takes the compilation for one.
function(fmha950_compile_kernel OUTPUT SOURCE TEXT)
  get_filename_component(folder ${OUTPUT} DIRECTORY)
  file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${SOURCE})
  set(compile ${FMHA950_COMPILE_KERNEL} ${ARGN})
  add_custom_command(
    OUTPUT ${OUTPUT}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${compile} -I${PROJECT_SOURCE_DIR} ${SOURCE} -Wno-unused-command-line-argument -E -Xclang -dependency-file -Xclang ${OUTPUT}.d -Xclang -MT -Xclang ${OUTPUT} -o ${OUTPUT}.i
    COMMAND ${CMAKE_COMMAND} -E rm ${OUTPUT}.i
    COMMAND ${FMHA950_COMPILER_LAUNCHER} ${compile} -I. ${source} -c -o ${OUTPUT}
    DEPENDS ${SOURCE} DEPFILE ${OUTPUT}.d WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMENT ${TEXT} VERBATIM)
endfunction()

# fmha950_compile_mutant(<output.co> <source.hip> <code object> <comment> [<flag>...])
# Made again whenever the code object is that it stands in for: its headers are the same, and need no list of their own.
function(fmha950_compile_mutant OUTPUT SOURCE ORIGINAL TEXT)
  get_filename_component(folder ${OUTPUT} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${SOURCE})
  add_custom_command(
    OUTPUT ${OUTPUT}
    COMMAND ${FMHA950_COMPILER_LAUNCHER} ${FMHA950_COMPILE_KERNEL} ${ARGN} -I. ${source} -c -o ${OUTPUT}
    DEPENDS ${ORIGINAL} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMENT ${TEXT} VERBATIM)
endfunction()
