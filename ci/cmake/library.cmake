# What benchmarks of other projects link, by add_subdirectory, FetchContent or, installed, by
# find_package(ratchet):
#   ratchet::timing   times of the GPU's own and of pinned CPUs in any Google Benchmark program
#                     (perf/measure/google_benchmark.h)
#   ratchet::bench    ratchet-bench without ratchet's stages: main(), checks, timing; the stages are the
#                     linking program's own (kernels/contract/)
#   ratchet_add_bench(NAME SOURCE...)   ratchet_add_bench.cmake
# One archive for both, of which a program takes what it refers to.
add_library(ratchet_library STATIC
  $<TARGET_OBJECTS:ratchet_measure> $<TARGET_OBJECTS:ratchet_identity> $<TARGET_OBJECTS:ratchet_stats>
  $<TARGET_OBJECTS:ratchet_support> $<TARGET_OBJECTS:ratchet_kernels_base>
  $<TARGET_OBJECTS:ratchet_kernels_ranks>)
set(RATCHET_BENCH_TARGET ratchet_library)
add_subdirectory(perf/measure/bench)
ratchet_quick(ratchet_library)
set_target_properties(ratchet_library PROPERTIES OUTPUT_NAME ratchet EXPORT_NAME library)
target_compile_features(ratchet_library PUBLIC cxx_std_20)
# Not the feature cuda_std_20, of which CMake 3.25 knows nothing for nvcc 13.
target_compile_options(ratchet_library INTERFACE
  "$<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<VERSION_GREATER:$<TARGET_PROPERTY:CUDA_STANDARD>,20>>>:-std=c++20>")
target_include_directories(ratchet_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/ratchet>)
target_link_libraries(ratchet_library
  PRIVATE $<BUILD_INTERFACE:ratchet_flags> $<BUILD_INTERFACE:CLI11::CLI11>
  PUBLIC fmt::fmt nlohmann_json::nlohmann_json benchmark::benchmark Threads::Threads
         $<BUILD_INTERFACE:${RATCHET_ELF_LIBRARY}> $<INSTALL_INTERFACE:elf>
         $<BUILD_INTERFACE:${RATCHET_HIGHWAY_LIBRARY}> $<INSTALL_INTERFACE:hwy> ${CMAKE_DL_LIBS})
if(RATCHET_HAVE_CUDA)
  target_link_libraries(ratchet_library PUBLIC CUDA::cudart_static)
  target_compile_definitions(ratchet_library INTERFACE RATCHET_HAVE_CUDA=1)
endif()
# Headers under the names of release 0.1, so that what was written against it builds.
set(_moved kernels/stage.h kernels/contract/stage.h  correctness/check.h kernels/contract/check.h
  perf/timing/google_benchmark.h perf/measure/google_benchmark.h)
foreach(header error:perf/support parameters:kernels/contract row_filter:kernels/contract
        stage_part:kernels/contract preparing_stage:kernels/contract)
  string(REPLACE ":" ";" header ${header})
  list(GET header 0 name)
  list(GET header 1 folder)
  list(APPEND _moved kernels/support/${name}.h ${folder}/${name}.h)
endforeach()
# What a program includes: <ratchet/kernel.h>, ...
list(APPEND _moved ratchet/kernel.h kernels/contract/kernel.h  ratchet/stage.h kernels/contract/stage.h
  ratchet/check.h kernels/contract/check.h  ratchet/timing.h perf/measure/google_benchmark.h)
set(_forwarding ${PROJECT_BINARY_DIR}/generated/forwarding)
while(_moved)
  list(POP_FRONT _moved old new)
  file(WRITE ${_forwarding}/${old} "#pragma once\n#include \"${new}\"\n")
endwhile()
file(APPEND ${_forwarding}/correctness/check.h
  "namespace ratchet {\nusing PointState = InSituState;\nusing PointResult = InSituResult;\n"
  "using PointCheckRegistration = InSituCheckRegistration;\n}\n")
target_include_directories(ratchet_library INTERFACE $<BUILD_INTERFACE:${_forwarding}>)
add_library(ratchet::library ALIAS ratchet_library)
foreach(part timing bench)
  add_library(ratchet_${part} INTERFACE)
  target_link_libraries(ratchet_${part} INTERFACE ratchet_library)
  set_target_properties(ratchet_${part} PROPERTIES EXPORT_NAME ${part})
  add_library(ratchet::${part} ALIAS ratchet_${part})
endforeach()
# A section each, so that what a stage executes can be told from what lies beside it, and does not run at
# another speed because of it.
target_compile_options(ratchet_bench INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffunction-sections -fdata-sections -falign-functions=64>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffunction-sections,-fdata-sections>)
add_executable(ratchet::work_digests ALIAS work_digests)

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/ratchet)
install(TARGETS ratchet_library ratchet_timing ratchet_bench EXPORT ratchetTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
target_link_options(work_digests PRIVATE -Wl,--gc-sections)
install(TARGETS work_digests EXPORT ratchetTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/ratchet COMPONENT library)
install(EXPORT ratchetTargets NAMESPACE ratchet:: DESTINATION ${_package} COMPONENT library)
configure_package_config_file(ci/cmake/ratchetConfig.cmake.in ${PROJECT_BINARY_DIR}/ratchetConfig.cmake
  INSTALL_DESTINATION ${_package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ratchetConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ratchetConfig.cmake ${PROJECT_BINARY_DIR}/ratchetConfigVersion.cmake
        ci/cmake/ratchet_add_bench.cmake DESTINATION ${_package} COMPONENT library)
foreach(folder kernels/contract kernels/support perf/support perf/measure)
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${folder} DESTINATION include/ratchet/${parent} COMPONENT library
          FILES_MATCHING PATTERN "*.h" PATTERN "*.cuh")
endforeach()
install(DIRECTORY ${_forwarding}/ DESTINATION include/ratchet COMPONENT library)
