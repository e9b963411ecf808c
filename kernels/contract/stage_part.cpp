#include "kernels/contract/stage_part.h"

namespace ratchet {

const Stage* find_stage_part(const char* name) { return find_stage(name); }

}  // namespace ratchet
