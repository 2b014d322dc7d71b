# Chooses the host and device compiler before project(): one clang >= 20 serves both, because the emulator's lane
# vectors are clang's extended vectors and gfx950 is unknown to older ones.
find_program(FMHA950_CLANG NAMES clang++-23 clang++-22 clang++-21 clang++-20 amdclang++ clang++
             HINTS /opt/rocm/llvm/bin REQUIRED DOC "clang++ >= 20: compiles the host code and the gfx950 kernels")
execute_process(COMMAND ${FMHA950_CLANG} -dumpversion OUTPUT_VARIABLE FMHA950_CLANG_VERSION
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(FMHA950_CLANG_VERSION VERSION_LESS 20)
  message(FATAL_ERROR "${FMHA950_CLANG} is clang ${FMHA950_CLANG_VERSION}; gfx950 needs clang >= 20 "
                      "(Debian: apt-get install clang-22)")
endif()
if(NOT DEFINED CMAKE_CXX_COMPILER)
  set(CMAKE_CXX_COMPILER ${FMHA950_CLANG})
endif()
