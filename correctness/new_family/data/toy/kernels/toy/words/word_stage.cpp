#include "kernels/toy/words/word_stage.h"

namespace ratchet::toy {

StageInfo stage_info(const std::string& name, const std::string& summary) {
  return {.name = name,
          .summary = summary,
          .source = "ratchet",
          .unit = "words",
          .parameters = {{"words", 1 << 16, 1, 1 << 30, "words counted in one run"},
                         {"seed", 1, 0, 1 << 30, "seed of the words"}},
          .size = "words",
          .sanitizer_run = {{"words", 65}}};
}

}  // namespace ratchet::toy
