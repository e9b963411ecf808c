// The checks of a machine's CPUs and system, based on SystemFiles.
#pragma once

#include <vector>

#include "perf/measure/doctor/diagnosis.h"
#include "perf/measure/doctor/processes.h"
#include "perf/measure/doctor/system_files.h"

namespace ratchet::doctor {

/// Governor, turbo, SMT, CPU quota, thermal throttling, isolated CPUs.
std::vector<Diagnosis> check_cpus(const SystemFiles& files);

/// Virtual machine, load, swap, huge pages, NUMA balancing, address randomisation, perf events.
std::vector<Diagnosis> check_system(const SystemFiles& files);

/// Other processes and stolen time between two snapshots.
std::vector<Diagnosis> check_neighbours(const Snapshot& before, const Snapshot& after);

}  // namespace ratchet::doctor
