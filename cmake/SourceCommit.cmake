# cmake -DSOURCE=FOLDER -DOUTPUT=FILE -P: writes "COMMIT SECONDS": what is built and when it was committed (UNIX time), for the
# records of results. Changes that are not committed add a digest of theirs: COMMIT+DIGEST. Outside of git: "unknown 0".
function(git result)
  execute_process(COMMAND git -C ${SOURCE} ${ARGN} OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE code)
  set(${result} "${output}" PARENT_SCOPE)
  set(code ${code} PARENT_SCOPE)
endfunction()

git(top rev-parse --show-toplevel)
set(text "unknown 0")
if(code STREQUAL 0 AND top STREQUAL SOURCE)
  git(text log -1 "--format=%h %ct" --abbrev=12)
  git(changes diff HEAD)
  git(new ls-files --others --exclude-standard) # by their names
  string(APPEND changes "${new}")
  if(NOT changes STREQUAL "")
    string(SHA1 digest "${changes}")
    string(SUBSTRING ${digest} 0 8 digest)
    string(REPLACE " " "+${digest} " text "${text}")
  endif()
endif()
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL "${text}\n")
  file(WRITE ${OUTPUT} "${text}\n")
endif()
