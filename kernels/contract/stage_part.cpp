#include "kernels/contract/stage_part.h"

namespace ratchet {

const Stage* StagePart::find(const char* name) { return find_stage(name); }

}  // namespace ratchet
