# Flags and helpers shared by all targets.
include(${CMAKE_CURRENT_LIST_DIR}/ratchet_add_bench.cmake)  # ratchet_name_stages()

add_library(ratchet_flags INTERFACE)
target_include_directories(ratchet_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_include_directories(ratchet_flags SYSTEM INTERFACE
  ${RATCHET_BOOST_MATH} ${RATCHET_RANDOM123} ${RATCHET_HIGHWAY})
target_compile_options(ratchet_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic $<$<BOOL:${RATCHET_WERROR}>:-Werror>>)
target_link_libraries(ratchet_flags INTERFACE Threads::Threads)
# Of Random123 only Threefry is used, in plain integers: or else each file that draws from a counter stream
# parses the intrinsics of all of x86, 1.7 MB, two times in a .cu.
target_compile_definitions(ratchet_flags INTERFACE R123_USE_SSE=0 R123_USE_X86INTRIN_H=0)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  # Stages keep vectors in arrays. Those of SVE have no size that the compiler knows; the stages run on NEON.
  target_compile_definitions(ratchet_flags INTERFACE
    "HWY_BROKEN_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
  # Highway's NEON has the AES instructions. GCC would compile the implicit constructors of what holds vectors without
  # them, and then cannot inline. No compiler uses them by itself: CpuStage::availability() asks for them.
  if(NOT CMAKE_CXX_FLAGS MATCHES "-m(arch|cpu)=")
    target_compile_options(ratchet_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=armv8-a+crypto>)
  endif()
endif()
if(RATCHET_STATIC)  # Debian has no archive of fmt
  target_link_libraries(ratchet_flags INTERFACE fmt::fmt-header-only)
else()
  target_link_libraries(ratchet_flags INTERFACE fmt::fmt)
endif()
if(RATCHET_HAVE_CUDA)
  target_compile_definitions(ratchet_flags INTERFACE RATCHET_HAVE_CUDA=1)
  # -lineinfo lets Nsight show source; --extended-lambda is not used: bodies are templates.
  target_compile_options(ratchet_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo -Xcompiler=-Wall,-Wextra --expt-relaxed-constexpr>)
endif()

# Code whose own speed nobody waits for: compiled in two thirds of the time, ...
set(_quick -O1)
if(RATCHET_TOOL_ALONE)  # in half of it, the garbage of a source of 10 000 lines kept till its end
  set(_quick -Og "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=524288>")
endif()
function(ratchet_quick target)
  target_compile_options(${target} PRIVATE
    "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${_quick}>")
endfunction()
# ... and where a build is made once, as in ci/, a folder at a time: to parse the headers takes longer
# than to compile what uses them. (Precompiled they were no faster: GCC 12 takes as long to load 150 MB
# as to parse nlohmann-json.) RATCHET_TOGETHER, where a folder's CMakeLists.txt sets it, names several
# folders that are compiled together. The tool alone, which its users build once, is compiled a layer at a time.
function(ratchet_by_folder target)
  if(NOT RATCHET_BY_FOLDER AND NOT RATCHET_TOOL_ONLY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    get_filename_component(extension ${source} LAST_EXT)
    if(NOT extension STREQUAL ".cpp")
      continue()
    endif()
    get_filename_component(folder ${source} ABSOLUTE)
    get_filename_component(folder ${folder} DIRECTORY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    if(RATCHET_TOOL_ALONE AND NOT target STREQUAL ratchet_gate)  # which is two sources, for two cores
      set(folder ${target})
    elseif(RATCHET_TOGETHER)
      set(folder ${RATCHET_TOGETHER})
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${folder}")
  endforeach()
endfunction()

# Adds sources of the calling folder to a target.
function(ratchet_program_sources target)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(${target} PRIVATE ${ARGN})
  ratchet_by_folder(${target} ${ARGN})
endfunction()

# The same to a layer of perf. CLOCK: what runs next to a clock is optimized, each file by itself.
function(ratchet_sources layer)
  cmake_parse_arguments(PARSE_ARGV 1 arg CLOCK "" "")
  list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  target_sources(ratchet_${layer} PRIVATE ${files})
  if(arg_CLOCK AND NOT RATCHET_TOOL_ALONE)  # no stage runs in it
    set_source_files_properties(${files} TARGET_DIRECTORY ratchet_${layer} PROPERTIES
      COMPILE_OPTIONS $<$<CONFIG:Release>:-O3>)
  else()
    ratchet_by_folder(ratchet_${layer} ${files})
  endif()
endfunction()

# (Not so CUDA stages, though half of what nvcc does with one is parsing the same headers: rule D17 of the
# work digest, identity/digests/README.md in perf.)

# A fuzzer of the reader whose sources follow, in whose folder this is called: the readers' own sources,
# instrumented, and the folder's properties. Only with RATCHET_FUZZ=ON (preset "fuzz").
function(ratchet_fuzzer name)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "RATCHET_FUZZ needs clang++ with libFuzzer (package clang): use the preset \"fuzz\"")
  endif()
  file(GLOB properties CONFIGURE_DEPENDS *_properties.cpp)
  add_executable(${name} ${properties} ${ARGN})
  target_link_libraries(${name} PRIVATE ratchet_flags)
  target_compile_options(${name} PRIVATE
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
endfunction()
