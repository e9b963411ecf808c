# ratchet_add_bench(NAME SOURCE...): a program like ratchet-bench of stages of one's own, each source a
# stage, a reference or a check that registers itself. `ratchet gate --bench NAME` gates it.
function(ratchet_add_bench name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ratchet::bench)
  target_link_options(${name} PRIVATE -Wl,--build-id=sha1)
endfunction()
