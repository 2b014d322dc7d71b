# fmha950_unity_by_folder(TARGET)
# Sources of one folder are compiled as one, and none with those of another: that a file comes or goes changes nothing for
# other folders. So names differ within a folder, also in anonymous namespaces.
function(fmha950_unity_by_folder TARGET)
  get_target_property(sources ${TARGET} SOURCES)
  foreach(source IN LISTS sources)
    if(source MATCHES "\\.cpp$")
      get_filename_component(folder ${source} DIRECTORY)
      string(MAKE_C_IDENTIFIER "${folder}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${TARGET} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
