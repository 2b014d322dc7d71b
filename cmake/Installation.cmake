# `cmake --install build --prefix P` and `cpack -G DEB` (docs/install.md). What the programs need at run time lies as in a
# build folder, under lib/fmha950; interface/installation.hpp finds share/fmha950 from there.
if(FMHA950_ONE_WIDTH)
  install(CODE "message(FATAL_ERROR \"built for ${FMHA950_ONE_WIDTH} only, which other machines may lack: \"
                                    \"configure with FMHA950_WIDTHS=all\")")
endif()
set(home lib/fmha950)
install(TARGETS fmha950_harness RUNTIME DESTINATION ${home}/bin)
# Executable, as CPack looks for the packages that only such files need.
install(TARGETS amdhip64 LIBRARY DESTINATION ${home}/lib/device
        PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# The other names under which programs ask for it.
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/device DESTINATION ${home}/lib FILES_MATCHING PATTERN "libamdhip64.so.*")
install(PROGRAMS fmha950 DESTINATION bin)
install(FILES emulator/hip/extensions.hpp emulator/hip/hip_abi.hpp DESTINATION include/fmha950/emulator/hip)
install(DIRECTORY data analysis clients DESTINATION share/fmha950 PATTERN __pycache__ EXCLUDE)
install(DIRECTORY python/fmha950 DESTINATION share/fmha950/python PATTERN __pycache__ EXCLUDE)
# The harness has them in it, too: as files, pages of kernels tell their registers and loops.
get_property(code_objects GLOBAL PROPERTY FMHA950_INSTALLED_CODE_OBJECTS)
install(FILES ${code_objects} DESTINATION ${home}/code_objects)
install(FILES README.md CONTRIBUTING.md LICENSE CHANGELOG.md DESTINATION share/fmha950) # beside docs/, to which they lead
install(DIRECTORY docs DESTINATION share/fmha950)
install(FILES ${CMAKE_BINARY_DIR}/source_commit.txt DESTINATION share/fmha950)
install(FILES LICENSE DESTINATION share/doc/fmha950 RENAME copyright)

include(CMakePackageConfigHelpers)
set(package lib/cmake/fmha950)
set(headers include/fmha950)
configure_package_config_file(cmake/fmha950Config.cmake.in ${CMAKE_BINARY_DIR}/fmha950Config.cmake INSTALL_DESTINATION ${package}
                              PATH_VARS home headers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/fmha950ConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/fmha950Config.cmake ${CMAKE_BINARY_DIR}/fmha950ConfigVersion.cmake DESTINATION ${package})

set(CPACK_PACKAGE_NAME fmha950)
set(CPACK_PACKAGE_CONTACT "the fmha950 project")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # needs dpkg-dev, and looks at the programs only
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-matplotlib, python3-numpy")
include(CPack)
