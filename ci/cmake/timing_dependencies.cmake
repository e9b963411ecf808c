# What programs that time need besides the tool: ratchet's own, and those that link ratchet::bench.
find_package(benchmark QUIET)
ratchet_need(benchmark_FOUND "Google Benchmark" libbenchmark-dev)
find_path(RATCHET_HIGHWAY hwy/highway.h)
find_library(RATCHET_HIGHWAY_LIBRARY NAMES libhwy.a hwy)
ratchet_need(RATCHET_HIGHWAY_LIBRARY "Google Highway" libhwy-dev)

if(RATCHET_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      # The GPU at hand, or Hopper where there is none to ask.
      execute_process(COMMAND nvidia-smi -L OUTPUT_VARIABLE _gpus ERROR_QUIET)
      if(_gpus MATCHES "GPU 0")
        set(CMAKE_CUDA_ARCHITECTURES native)
      else()
        set(CMAKE_CUDA_ARCHITECTURES 90)
      endif()
    endif()
    enable_language(CUDA)
    # CMake 3.25 does not know how nvcc 13 is asked for C++20.
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
    find_package(CUDAToolkit 12 REQUIRED)
    set(RATCHET_HAVE_CUDA ON)
    find_path(RATCHET_CUPTI_INCLUDE cupti.h
              HINTS ${CUDAToolkit_INCLUDE_DIRS} ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include)
    find_library(RATCHET_CUPTI_LIBRARY cupti
                 HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/lib64)
    ratchet_need(RATCHET_CUPTI_INCLUDE "CUPTI headers" "cuda-cupti-dev of the CUDA Toolkit")
    ratchet_want(RATCHET_CUPTI_LIBRARY "libcupti" "cuda-cupti of the CUDA Toolkit"
                 "kernels are timed with CUDA events")
  endif()
endif()
ratchet_want(RATCHET_HAVE_CUDA "CUDA Toolkit 12 or newer" "cuda-toolkit of NVIDIA's repository"
             "the CUDA stages are left out")
