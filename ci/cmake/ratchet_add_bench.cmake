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

# ratchet_compilers_library(RESULT): the static library of the compiler that stages may call, as one more of their
# objects. On AArch64 it has the atomics; elsewhere nothing of it is called that the shared library lacks.
function(ratchet_compilers_library result)
  set(library "")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-libgcc-file-name
                    OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(${result} ${library} PARENT_SCOPE)
endfunction()

# ratchet_add_bench(NAME SOURCE...): a program like ratchet-bench of stages of one's own, each source a
# stage, a reference or a check that registers itself. `ratchet gate --bench NAME` gates it.
#
# The source FAMILY/BACKEND_NN_IDEA.cpp finds its stage's name, FAMILY/BACKEND/NN_IDEA, as RATCHET_STAGE
# (ratchet_name_stages()).
#
# Beside the program lies NAME.work.json, what each stage executes, by which the gate knows what a change
# did not touch. The stage FAMILY/BACKEND/NN_IDEA is looked for in FAMILY/BACKEND_NN_IDEA.cpp or .cu; of
# one that lies elsewhere, or calls code of another library of the project, nothing is known, and it is timed.
function(ratchet_add_bench name)
  ratchet_name_stages(${ARGN})
  # A stage's file that is written and not listed would be no row, and nothing would say so.
  foreach(source IN LISTS ARGN)
    get_filename_component(source ${source} ABSOLUTE)
    get_filename_component(folder ${source} DIRECTORY)
    list(APPEND listed ${source})
    list(APPEND folders ${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    file(GLOB written CONFIGURE_DEPENDS ${folder}/cpu_[0-9]*.cpp ${folder}/cuda_[0-9]*.cu
         ${folder}/hybrid_[0-9]*.c* ${folder}/opencl_[0-9]*.cpp)
    foreach(file IN LISTS written)
      if(NOT file IN_LIST listed)
        message(WARNING "${file} is named like a stage, and ratchet_add_bench(${name} ...) does not list it: "
                "it is no row of ${name}. List it, or give it another name.")
      endif()
    endforeach()
  endforeach()
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ratchet::bench)
  target_link_options(${name} PRIVATE -Wl,--build-id=sha1)
  set(objects ${CMAKE_CURRENT_BINARY_DIR}/${name}.objects)
  ratchet_compilers_library(compilers)
  file(GENERATE OUTPUT ${objects}
       CONTENT "$<JOIN:$<TARGET_OBJECTS:${name}>,\n>\n$<TARGET_FILE:ratchet::library>\n${compilers}\n")
  set(cudart "")
  if(TARGET CUDA::cudart_static)
    set(cudart $<TARGET_FILE:CUDA::cudart_static>)
  endif()
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM
    COMMAND ratchet::work_digests $<TARGET_FILE:${name}> ${objects} ${cudart})
endfunction()
