# What the stages and their tests need besides.
find_package(GTest QUIET)
ratchet_need(GTest_FOUND "GoogleTest" libgtest-dev)
find_path(RATCHET_RANDOM123 Random123/threefry.h)
ratchet_need(RATCHET_RANDOM123 "Random123 headers" librandom123-dev)
find_package(TBB QUIET)
ratchet_want(TBB_FOUND "oneTBB" libtbb-dev "the work-stealing stages are left out")
find_package(OpenMP QUIET COMPONENTS CXX)
ratchet_want(OpenMP_CXX_FOUND "OpenMP" libgomp1 "the fork-join stages are left out")
find_package(MPI QUIET COMPONENTS CXX)
set(RATCHET_HAVE_MPI ${MPI_CXX_FOUND})
# As root in a container, and with more ranks than CPUs, which Open MPI otherwise refuses.
set(RATCHET_MPIRUN ${MPIEXEC_EXECUTABLE} --allow-run-as-root --oversubscribe --bind-to none)
ratchet_want(RATCHET_HAVE_MPI "MPI" "libopenmpi-dev and openmpi-bin"
             "the stages of several processes are unavailable")
if(RATCHET_HAVE_CUDA AND RATCHET_HAVE_MPI)
  find_path(RATCHET_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  find_library(RATCHET_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR})
  ratchet_want(RATCHET_NCCL_INCLUDE "NCCL's header" "libnccl-dev, or nvidia-nccl-cu13 of Python"
               "stages of several processes talk through MPI alone")
endif()
find_package(OpenCL QUIET)
find_path(RATCHET_OPENCL_BINDINGS CL/opencl.hpp HINTS ${OpenCL_INCLUDE_DIRS})
if(OpenCL_FOUND AND RATCHET_OPENCL_BINDINGS)
  set(RATCHET_HAVE_OPENCL ON)
endif()
ratchet_want(RATCHET_HAVE_OPENCL "OpenCL" "ocl-icd-opencl-dev and opencl-headers"
             "the OpenCL stages are left out")
