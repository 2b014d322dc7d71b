# fmha950_implementation(NAME)
# Makes the folder it is called from an implementation: all its *.cpp, also those one folder down, become the OBJECT
# library impl_NAME, which the harness (and the tests that want it) link whole. An archive would drop the registrations, which nothing references.
# A complete impl_*/CMakeLists.txt is this one line plus its fmha950_code_object() lines.
function(fmha950_implementation NAME)
  file(GLOB sources CONFIGURE_DEPENDS *.cpp */*.cpp)
  add_library(impl_${NAME} OBJECT ${sources})
  target_link_libraries(impl_${NAME} PUBLIC fmha950_interface fmha950_attention PRIVATE precompiled_host)
  set_property(GLOBAL APPEND PROPERTY FMHA950_IMPLEMENTATIONS impl_${NAME})
endfunction()

# fmha950_link_implementations(TARGET): links every implementation that the build has found, whole.
function(fmha950_link_implementations TARGET)
  get_property(implementations GLOBAL PROPERTY FMHA950_IMPLEMENTATIONS)
  target_link_libraries(${TARGET} PRIVATE ${implementations})
endfunction()
