# fmha950_operator_passes(NAME FOLDER WIDTH...)
# Of the operator in FOLDER what the oracle computes on vectors, once for each width: its *gather.cpp, and where it has a
# gather.hpp the door to the passes over what OperatorGather gives, as NAME_passes. Makes OBJECT libraries NAME_passes_WIDTH.
# Eigen's namespace is renamed for each width, so that no template of one can stand in for that of another.
function(fmha950_operator_passes NAME FOLDER)
  file(GLOB sources CONFIGURE_DEPENDS ${FOLDER}/*gather.cpp)
  cmake_path(RELATIVE_PATH FOLDER BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
  if(EXISTS ${FOLDER}/gather.hpp)
    list(APPEND sources ${PROJECT_SOURCE_DIR}/impl_reference/passes_of_gather.cpp)
  endif()
  foreach(width IN LISTS ARGN)
    add_library(${NAME}_passes_${width} OBJECT ${sources})
    target_compile_definitions(${NAME}_passes_${width} PRIVATE FMHA950_SIMD=simd_${width} Eigen=Eigen_${width}
                               FMHA950_GATHER="${path}/gather.hpp" FMHA950_PASSES=${NAME}_passes)
    target_compile_options(${NAME}_passes_${width} PRIVATE ${FMHA950_FLAGS_OF_${width}} -O3 -fvisibility=hidden)
    target_link_libraries(${NAME}_passes_${width} PUBLIC fmha950_interface PRIVATE precompiled_passes_${width} Eigen3::Eigen Threads::Threads)
  endforeach()
endfunction()
