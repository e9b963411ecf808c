# Flags and helpers shared by all targets.
add_library(ratchet_flags INTERFACE)
target_include_directories(ratchet_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_include_directories(ratchet_flags SYSTEM INTERFACE
  ${RATCHET_BOOST_MATH} ${RATCHET_RANDOM123} ${RATCHET_HIGHWAY})
target_compile_options(ratchet_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic $<$<BOOL:${RATCHET_WERROR}>:-Werror>>)
target_link_libraries(ratchet_flags INTERFACE fmt::fmt Threads::Threads)
if(RATCHET_HAVE_CUDA)
  target_compile_definitions(ratchet_flags INTERFACE RATCHET_HAVE_CUDA=1)
  # -lineinfo lets Nsight show source; --extended-lambda is not used: bodies are templates.
  target_compile_options(ratchet_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:-lineinfo -Xcompiler=-Wall,-Wextra --expt-relaxed-constexpr>)
endif()

# Code whose own speed nobody waits for is compiled in two thirds of the time, ...
set(RATCHET_QUICK $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
# ... and with the headers precompiled that take longer to parse than such code to compile; once for all
# of it, for they fill 150 MB. GCC takes them with other macros than they were made with; Clang does not.
add_library(ratchet_headers OBJECT ${PROJECT_SOURCE_DIR}/ci/cmake/precompiled.cpp)
target_link_libraries(ratchet_headers PRIVATE ratchet_flags GTest::gtest CLI11::CLI11
  nlohmann_json::nlohmann_json)
target_compile_options(ratchet_headers PRIVATE ${RATCHET_QUICK})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_precompile_headers(ratchet_headers PRIVATE <filesystem> <fstream> <functional> <map> <memory>
    <optional> <set> <string> <vector> <CLI/CLI.hpp> <fmt/format.h> <gtest/gtest.h> <nlohmann/json.hpp>)
endif()
function(ratchet_quick target)
  target_compile_options(${target} PRIVATE ${RATCHET_QUICK})
  ratchet_precompiled(${target})
endfunction()
function(ratchet_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${target} REUSE_FROM ratchet_headers)
  endif()
endfunction()

# A fuzzer of the reader whose sources follow, in whose folder this is called: the readers' own sources,
# instrumented, and the folder's properties. Only with RATCHET_FUZZ=ON (preset "fuzz").
function(ratchet_fuzzer name)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "RATCHET_FUZZ needs clang++ with libFuzzer (package clang): use the preset \"fuzz\"")
  endif()
  file(GLOB properties CONFIGURE_DEPENDS *_properties.cpp)
  add_executable(${name} ${name}.cpp ${properties} ${ARGN})
  target_link_libraries(${name} PRIVATE ratchet_flags)
  target_compile_options(${name} PRIVATE
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
endfunction()
