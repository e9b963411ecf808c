# ratchet_name_stages(SOURCE...): defines RATCHET_STAGE for each source that is named as a stage is. In
# dot/cpu_01_loop.cpp it is the string "dot/cpu/01_loop", so that only the file's name says the stage's. A
# literal, as if written there: the object code, by which the gate knows a stage, does not tell them apart.
function(ratchet_name_stages)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    if(path MATCHES "/([a-z0-9_]+)/([a-z]+)_([0-9][0-9][a-z]?_[a-z0-9_]+)[.](cpp|cu)$")
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
        "RATCHET_STAGE=\"${CMAKE_MATCH_1}/${CMAKE_MATCH_2}/${CMAKE_MATCH_3}\"")
    endif()
  endforeach()
endfunction()
