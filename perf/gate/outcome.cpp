#include "perf/gate/outcome.h"

namespace ratchet::gate {

Measurements compared_with(const Measurements& measured, const BaselineStore& store) {
  Measurements base;
  const Fingerprint here = measured.fingerprint();
  for (const auto& [name, row] : measured.rows) {
    const Row* stored = store.find_row(name, here);
    if (!stored) continue;
    base.rows[name] = *stored;
    if (base.context.empty())
      base.context = store.find(family_of(name), device_of(name), here)->content.context;
  }
  return base;
}

}  // namespace ratchet::gate
