# fmha950_hip_stubs(<csv> <output>)
# Writes a C++ source that exports every function of the csv (data/hip_names.csv) as a weak symbol, so that no program
# meets a loader error: it returns hipErrorNotSupported and says its name. Where the runtime defines the function, that
# definition is strong and wins. NAME_spt is NAME, unless emulator/hip/per_thread.cpp gives it the thread's own stream.
function(fmha950_hip_stubs CSV OUTPUT)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CSV})
  file(STRINGS ${CSV} rows REGEX "^[A-Za-z_0-9]+,[0-9]")
  set(stubs "")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE ",.*" "" name ${row})
    if(name MATCHES "^(.*)_spt$")
      string(APPEND stubs "FMHA950_SAME(${name}, ${CMAKE_MATCH_1})\n")
    else()
      string(APPEND stubs "FMHA950_STUB(${name})\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#include \"emulator/hip/not_supported.hpp\"\n\n@stubs@" @ONLY)
endfunction()
