#include "kernels/contract/preparing_stage.h"

namespace ratchet {

const Stage* find_preparing_stage(std::string_view name) { return find_stage(name); }

}  // namespace ratchet
