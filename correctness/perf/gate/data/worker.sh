#!/bin/sh
# A Google Benchmark program for tests of the gate: measures nothing, and fails as it is told.
# RATCHET_FAKE_PLAN names a file with a line per row: name, mode, units per second, units, spread,
# the digest of what it executes, and the blocks that a GPU was seen to run.
# Modes: ok; failpoint, crashpoint, slowpoint, nopoint (at the check of the point); failcheck, crashcheck, checkteardown, nocheckdata (at the check); crash, hang, badjson, truncated, missing, twice,
# error, unverified, negative, wrongunit, nocounter, teardown, crash2 (second launch), grows (units
# differ between launches); unavailable; survey, set (only there with --ratchet_survey, --ratchet_set). RATCHET_FAKE_SEED varies the noise, RATCHET_FAKE_CPU and
# RATCHET_FAKE_GPU the machine, RATCHET_FAKE_WEATHER its speed beside the plan's, RATCHET_FAKE_OPENCL the device of rows with "/opencl/" in their name.
plan=${RATCHET_FAKE_PLAN:?}
filter=. list=no work=no check=no points=no survey=no sets=no out='' slowdown=0
for argument; do
  value=${argument#*=}
  case $argument in
    --help) echo "worker [--ratchet_check_only=true] ..."; exit ;;
    --benchmark_list_tests=true) list=yes ;;
    --ratchet_list_work=true) work=yes ;;
    --benchmark_filter=*) filter=$value ;;
    --benchmark_out=*) out=$value ;;
    --ratchet_check_only=true) check=yes ;;
    --ratchet_verify_in_situ=true) points=yes ;;
    --ratchet_survey=true) survey=yes ;;
    --ratchet_set=*) sets=yes ;;
    --ratchet_verified=*) proofs=$value ;;
    --ratchet_slowdown=*) slowdown=$value ;;
  esac
done

if [ $list = yes ]; then
  awk -v survey=$survey -v sets=$sets '$2 == "survey" && survey == "no" || $2 == "set" && sets == "no" { next }
       $2 == "unavailable" { print "worker: unavailable: " $1 ": no such device" > "/dev/stderr"; next }
       $2 != "gone" { print $1; any = 1 } END { exit any ? 0 : 77 }' "$plan"
  exit
fi

if [ $work = yes ]; then
  printf '{"context": {"cpu.model": "%s", "cpu.cores": "4", "build.compiler": "cc 1"' "${RATCHET_FAKE_CPU:-Fake CPU}"
  [ -z "$RATCHET_FAKE_GPU" ] || printf ', "gpu.model": "%s", "gpu.driver": "1"' "$RATCHET_FAKE_GPU"
  echo ', "os.kernel": "Test 1"}}'
  awk -v more="${RATCHET_FAKE_UNIT:+, \"unit\": \"$RATCHET_FAKE_UNIT\"}" \
    '$6 != "" { printf "{\"row\": \"%s\", \"work\": \"%s\"%s}\n", $1, $6, more }' "$plan"
  exit
fi

if [ $points = yes ]; then
  for name in $(printf %s "$filter" | tr -d '^$\\()' | tr '|' ' '); do
    mode=$(awk -v name="$name" '$1 == name { print $2 }' "$plan")
    [ "$mode" = crashpoint ] && kill -SEGV $$
    [ "$mode" = slowpoint ] && sleep 5
    state=right; [ "$mode" = failpoint ] && state=wrong; [ "$mode" = nopoint ] && state=unchecked
    echo "{\"row\": \"$name\", \"state\": \"$state\", \"detail\": \"counted 3 of 4\", \"token\": \"t\"}"
  done
  exit
fi

# Tests start this thousands of times: what the shell does itself starts no further process.
name='' rest=$filter
while [ -n "$rest" ]; do  # without ^, $ and backslashes
  word=${rest%%[\\^$]*} name=$name$word rest=${rest#"$word"}
  rest=${rest#?}
done
set --
while read -r first others; do
  # shellcheck disable=SC2086  # a word a field
  if [ "$first" = "$name" ]; then set -- "$first" $others; fi
done < "$plan"
mode=$2 speed=$3 units=$4 spread=${5:-0.001} blocks=$7
[ "$mode$survey" = surveyno ] && { echo "worker: no row matches '$filter'" >&2; exit 2; }
if [ $check = yes ]; then
  [ "$mode" = crashcheck ] && kill -SEGV $$
  [ "$mode" = nocheckdata ] && { echo "worker: /nowhere/known.tsv: cannot be read; set RATCHET_DATA_DIR" >&2; exit 2; }
  passed=true; [ "$mode" = failcheck ] && passed=false
  echo "{\"name\": \"$name\", \"passed\": $passed, \"detail\": \"counted 3 of 4\", \"token\": \"t\"}"
  [ "$mode" = checkteardown ] && exit 3
  [ $passed = true ]; exit
fi

launches=$plan.$(printf %s "$name" | tr / _)
echo >> "$launches"
launch=0
while read -r _; do launch=$((launch + 1)); done < "$launches"
echo "$name" >> "$plan.order"
verified=1; point=0; time_unit=ms; extra=; count=1
case $mode in
  crash) kill -SEGV $$ ;;
  crash2) [ "$launch" -ge 2 ] && kill -ABRT $$ ;;
  hang) sleep 60 ;;
  badjson) echo '{"context": {}, "benchmarks": [{"name": NaN}]}' > "$out"; exit ;;
  truncated) printf '{"context": {}, "benchmarks": [{"name": "x", ' > "$out"; exit ;;
  missing) count=0 ;;
  twice) count=2 ;;
  error) extra='"error_occurred": true, "error_message": "out of memory",' ;;
  unverified) verified=0 ;;
  negative) extra=negative ;;
  wrongunit) time_unit=us ;;
  grows) units=$((units * launch)) ;;
esac
proven=0
while read -r line; do
  case $line in *"\"$name\""*) proven=1 ;; esac
  case $line in *"\"row\": \"$name\", \"state\": \"right\""*) point=1 ;; esac
done < "$proofs"
[ $proven = 1 ] || verified=0
[ "$mode" = nocheckline ] && verified=1

seed=$(printf %s "$name $launch ${RATCHET_FAKE_SEED:-1}" | cksum)
awk -v name="$name" -v speed="$speed" -v units="$units" -v spread="$spread" -v seed="${seed%% *}" \
    -v slowdown="$slowdown" -v verified=$verified -v point=$point -v unit=$time_unit -v extra="$extra" -v count=$count -v mode="$mode" \
    -v blocks="$blocks" -v cpu="${RATCHET_FAKE_CPU:-Fake CPU}" -v gpu="$RATCHET_FAKE_GPU" \
    -v weather="${RATCHET_FAKE_WEATHER:-1}" -v survey=$survey -v opencl="${RATCHET_FAKE_OPENCL:-Fake CL}" '
BEGIN {
  srand(seed % 1000003); for (i = 0; i < 12; i++) x += rand()
  speed *= weather * (1 + spread * (x - 6)) / (1 + slowdown); ms = units / speed * 1000
  if (extra == "negative") { ms = -ms; extra = "" }
  printf "{\"context\": {\"date\": \"2026-01-01\", \"host_name\": \"secret\", \"caches\": [], "
  printf "\"cpu.model\": \"%s\", \"cpu.cores\": \"4\", \"build.compiler\": \"cc 1\", ", cpu
  if (gpu != "") printf "\"gpu.model\": \"%s\", \"gpu.driver\": \"1\", ", gpu
  if (name ~ "/opencl/")
    printf "\"opencl.device\": \"%s\", \"opencl.type\": \"cpu\", ", opencl
  if (survey == "yes") printf "\"ratchet.revision\": \"of a survey\", "
  printf "\"os.kernel\": \"Test 1\"}, \"benchmarks\": ["
  for (i = 0; i < count; i++) {
    printf "%s{\"name\": \"%s/manual_time\", \"run_type\": \"iteration\", %s", i ? "," : "", name, extra
    printf "\"iterations\": 1, \"real_time\": %.9g, \"cpu_time\": 0, \"time_unit\": \"%s\", ", ms, unit
    if (mode != "nocounter") printf "\"units_per_second\": %.9g, ", speed
    printf "\"units\": %d, \"limit_percent\": 50, \"verified\": %d, ", units, verified
    if (blocks != "") printf "\"blocks\": %d, \"device_work\": %d, ", blocks, blocks
    printf "\"verified_in_situ\": %d}", point
  }
  print "]}"
}' > "$out"
[ "$mode" = teardown ] && exit 3
exit 0
