# cmake -DSOURCE=DIR -DVERSION=1.2.3 -DOUTPUT=FILE.h -P revision.cmake: the version with the revision of
# the source as git describes it, as a C++ constant; the file is touched only where it changes.
find_program(git git)
set(revision "")
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --show-prefix
                  OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(git AND NOT prefix)  # else these sources lie in somebody else's repository
  execute_process(COMMAND ${git} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(archived "$Format:%H$")  # git archive puts the commit there (.gitattributes)
if(NOT revision AND archived MATCHES "^[0-9a-f]+$")
  string(SUBSTRING ${archived} 0 12 revision)
endif()
if(NOT revision)  # sources without their repository
  set(revision "revision unknown")
endif()
set(text "// Made by the build.\n#pragma once\n#define RATCHET_VERSION \"${VERSION} (${revision})\"\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
