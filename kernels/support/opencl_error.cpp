// Errors of OpenCL calls as one line for the user.
#include <map>

#include "kernels/support/opencl.h"

namespace ratchet::opencl {
namespace {

#define RATCHET_NAME(code) \
  { code, #code }
const std::map<cl_int, const char*> names = {
    RATCHET_NAME(CL_DEVICE_NOT_FOUND),
    RATCHET_NAME(CL_DEVICE_NOT_AVAILABLE),
    RATCHET_NAME(CL_COMPILER_NOT_AVAILABLE),
    RATCHET_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    RATCHET_NAME(CL_OUT_OF_RESOURCES),
    RATCHET_NAME(CL_OUT_OF_HOST_MEMORY),
    RATCHET_NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    RATCHET_NAME(CL_MEM_COPY_OVERLAP),
    RATCHET_NAME(CL_BUILD_PROGRAM_FAILURE),
    RATCHET_NAME(CL_MAP_FAILURE),
    RATCHET_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    RATCHET_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    RATCHET_NAME(CL_COMPILE_PROGRAM_FAILURE),
    RATCHET_NAME(CL_LINKER_NOT_AVAILABLE),
    RATCHET_NAME(CL_LINK_PROGRAM_FAILURE),
    RATCHET_NAME(CL_INVALID_VALUE),
    RATCHET_NAME(CL_INVALID_DEVICE_TYPE),
    RATCHET_NAME(CL_INVALID_PLATFORM),
    RATCHET_NAME(CL_INVALID_DEVICE),
    RATCHET_NAME(CL_INVALID_CONTEXT),
    RATCHET_NAME(CL_INVALID_QUEUE_PROPERTIES),
    RATCHET_NAME(CL_INVALID_COMMAND_QUEUE),
    RATCHET_NAME(CL_INVALID_HOST_PTR),
    RATCHET_NAME(CL_INVALID_MEM_OBJECT),
    RATCHET_NAME(CL_INVALID_BINARY),
    RATCHET_NAME(CL_INVALID_BUILD_OPTIONS),
    RATCHET_NAME(CL_INVALID_PROGRAM),
    RATCHET_NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    RATCHET_NAME(CL_INVALID_KERNEL_NAME),
    RATCHET_NAME(CL_INVALID_KERNEL_DEFINITION),
    RATCHET_NAME(CL_INVALID_KERNEL),
    RATCHET_NAME(CL_INVALID_ARG_INDEX),
    RATCHET_NAME(CL_INVALID_ARG_VALUE),
    RATCHET_NAME(CL_INVALID_ARG_SIZE),
    RATCHET_NAME(CL_INVALID_KERNEL_ARGS),
    RATCHET_NAME(CL_INVALID_WORK_DIMENSION),
    RATCHET_NAME(CL_INVALID_WORK_GROUP_SIZE),
    RATCHET_NAME(CL_INVALID_WORK_ITEM_SIZE),
    RATCHET_NAME(CL_INVALID_GLOBAL_OFFSET),
    RATCHET_NAME(CL_INVALID_EVENT_WAIT_LIST),
    RATCHET_NAME(CL_INVALID_EVENT),
    RATCHET_NAME(CL_INVALID_OPERATION),
    RATCHET_NAME(CL_INVALID_BUFFER_SIZE),
    RATCHET_NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    RATCHET_NAME(CL_INVALID_PROPERTY),
    RATCHET_NAME(CL_INVALID_COMPILER_OPTIONS),
    RATCHET_NAME(CL_INVALID_LINKER_OPTIONS),
    RATCHET_NAME(CL_PLATFORM_NOT_FOUND_KHR),
};
#undef RATCHET_NAME

const char* advice(cl_int code) {
  switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
      return "; out of memory: choose a smaller size";
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE:
      return "; choose a smaller work-group";
    case CL_DEVICE_NOT_AVAILABLE:
      return "; is another process holding it?";
    default:
      return "";
  }
}

}  // namespace

std::string code_name(cl_int code) {
  const auto name = names.find(code);
  return name == names.end() ? "error " + std::to_string(code) : name->second;
}

Error translated(const cl::Error& error, std::string_view place) {
  const auto device = opencl_device();
  return Error(std::string(place) + ": " + error.what() + " failed with " + code_name(error.err()) +
               (device ? " on " + describe(*device) : "") + advice(error.err()));
}

}  // namespace ratchet::opencl
