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
# For code whose own speed nobody waits for: compiled in two thirds of the time.
set(RATCHET_QUICK $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
