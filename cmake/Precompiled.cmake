# Headers of others that many files include, precompiled: without that most files spend more time on them than on their
# own text.
option(FMHA950_PRECOMPILE "precompile headers" ON)

# fmha950_precompile(NAME HEADERS <header>... [FLAGS <flag>...])
# Makes the library precompiled_NAME. Sources of a target that links it begin with HEADERS. FLAGS are those of such targets
# beyond the options of the folder that calls this: clang refuses a precompiled header of another optimisation or machine.
function(fmha950_precompile NAME)
  cmake_parse_arguments(PRE "" "" "HEADERS;FLAGS" ${ARGN})
  add_library(precompiled_${NAME} INTERFACE)
  if(NOT FMHA950_PRECOMPILE)
    return()
  endif()
  list(TRANSFORM PRE_HEADERS REPLACE "(.+)" "#include \\1\n")
  list(JOIN PRE_HEADERS "" text)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/${NAME}.hpp CONTENT "#pragma once\n${text}" @ONLY)

  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  get_directory_property(options COMPILE_OPTIONS)
  set(compile ${CMAKE_CXX_COMPILER} ${CMAKE_CXX20_EXTENSION_COMPILE_OPTION} ${flags} ${options} ${PRE_FLAGS} -fPIC
      -I${PROJECT_SOURCE_DIR} -x c++-header ${CMAKE_BINARY_DIR}/precompiled/${NAME}.hpp)
  # The result names the build's folder. A compiler cache hashes .sum in its place (CCACHE_PCH_EXTSUM), so that clones and
  # presets share what they compile with it.
  set(output ${CMAKE_BINARY_DIR}/precompiled/${NAME}.pch)
  add_custom_command(
    OUTPUT ${output} ${output}.sum
    COMMAND ${compile} -P -E -o ${NAME}.i
    COMMAND ${CMAKE_COMMAND} -E sha256sum ${NAME}.i > ${output}.sum
    COMMAND ${CMAKE_COMMAND} -E rm ${NAME}.i
    COMMAND ${compile} -fpch-instantiate-templates -MD -MF ${output}.d -MT ${output} -o ${output}
    DEPENDS ${CMAKE_BINARY_DIR}/precompiled/${NAME}.hpp DEPFILE ${output}.d
    WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/precompiled COMMENT "Precompiled headers ${NAME}" VERBATIM)
  add_custom_target(precompile_${NAME} DEPENDS ${output})
  add_dependencies(precompiled_${NAME} precompile_${NAME})
  # Programs would be compiled as PIE, which clang tells from PIC.
  target_compile_options(precompiled_${NAME} INTERFACE -fPIC "SHELL:-include-pch ${output}")
endfunction()

set(FMHA950_STANDARD_HEADERS
    <algorithm> <array> <atomic> <bit> <charconv> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <deque>
    <filesystem> <fstream> <functional> <iterator> <limits> <map> <memory> <mutex> <numbers> <numeric> <optional> <set>
    <shared_mutex> <span> <sstream> <stdexcept> <string> <string_view> <thread> <tuple> <type_traits> <unordered_map>
    <utility> <variant> <vector>)
set(FMHA950_HOST_HEADERS ${FMHA950_STANDARD_HEADERS} <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>)
