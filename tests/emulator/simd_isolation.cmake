# cmake -DNM=llvm-nm -DSIMD=simd_avx512 -DOBJECTS=a.o;b.o -P simd_isolation.cmake
# A function that several vector widths' objects define under one name is merged by the linker, and a host without
# AVX-512 could be handed AVX-512 code. So every weak symbol of the wider objects must carry its width's namespace.
set(shared "")
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} --demangle --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," symbols "${symbols}")
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    if(symbol MATCHES " [WVu] " AND NOT symbol MATCHES "${SIMD}")
      list(APPEND shared "${object}: ${symbol}")
    endif()
  endforeach()
endforeach()
if(shared)
  list(JOIN shared "\n" shared)
  message(FATAL_ERROR "weak symbols outside ${SIMD}:\n${shared}")
endif()
