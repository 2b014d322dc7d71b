# fmha950_new_variants(<harness> <test> <arguments of new-variant>...)
# Makes a variant of each of the last arguments, "NAME --operator OPERATOR ...", and builds it without an edit elsewhere: as
# part of <harness>, a program like the product's, and with its tests as part of the target <test>. Variants are no part of
# what other targets call all implementations, nor of all code objects.
function(fmha950_new_variants HARNESS TEST)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(root ${CMAKE_CURRENT_BINARY_DIR}/written)
  file(REMOVE_RECURSE ${root})
  foreach(property FMHA950_IMPLEMENTATIONS FMHA950_CODE_OBJECTS FMHA950_INSTALLED_CODE_OBJECTS)
    get_property(${property} GLOBAL PROPERTY ${property})
  endforeach()
  set(FMHA950_COMPILE_KERNEL ${FMHA950_COMPILE_KERNEL} -I${root})
  include_directories(${root})
  # Compiled as the product is, not as tests are.
  get_directory_property(options COMPILE_OPTIONS)
  list(REMOVE_ITEM options -O1)
  set_directory_properties(PROPERTIES COMPILE_OPTIONS "${options}")
  foreach(arguments IN LISTS ARGN)
    separate_arguments(arguments UNIX_COMMAND "${arguments}")
    list(GET arguments 0 name)
    execute_process(COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/templates/new_variant.py ${arguments} --root ${root}
                    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    add_subdirectory(${root}/impl_${name} ${CMAKE_CURRENT_BINARY_DIR}/impl_${name})
    file(GLOB tests ${root}/tests/impl_${name}/*_test.cpp)
    target_sources(${TEST} PRIVATE ${tests})
  endforeach()
  add_executable(${HARNESS} ${PROJECT_SOURCE_DIR}/harness/main.cpp)
  target_compile_definitions(${HARNESS} PRIVATE FMHA950_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${HARNESS} PRIVATE fmha950_harness_core CLI11::CLI11 fmt::fmt-header-only)
  fmha950_link_implementations(${HARNESS})
  add_dependencies(${HARNESS} amdhip64) # resolved at run time
  fmha950_link_test_support(${TEST})
  foreach(property FMHA950_IMPLEMENTATIONS FMHA950_CODE_OBJECTS FMHA950_INSTALLED_CODE_OBJECTS)
    set_property(GLOBAL PROPERTY ${property} ${${property}})
  endforeach()
endfunction()

# The scripts of new-variant and the files that it makes others of.
file(GLOB_RECURSE written_from CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/templates/*)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${written_from})
