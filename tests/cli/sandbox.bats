#!/usr/bin/env bats
# What a driver cannot do to the computer it runs on, and how a run ends that would not.
# DRYDOCK and DRYDOCK_CC are the executables, DRIVERS the folder of the sources, WDK the headers.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

build() {
    "$DRYDOCK_CC" -o "$1.sys" "$DRIVERS/$1.c"
}

@test "a system call of the driver's own is a finding" {
    build system_call
    run "$DRYDOCK" run system_call.sys --out result
    if jq -e '.sandbox.system_calls | not' result/report.json; then
        skip "this kernel has no seccomp"
    fi
    [ "$status" -eq 1 ]
    jq -e '.outcome == "fault" and .contract.breaches[0].rule == "FAULT"' result/report.json
    jq -e '.contract.breaches[0].actual | test("system call 41 made at system_call.sys")' result/report.json
}

@test "a module can neither read, write, connect, fork nor kill" {
    cc -shared -fPIC -mms-bitfields -fshort-wchar -fms-extensions -I "$WDK" -o burglar.so \
        "$DRIVERS/burglar.c" -Wl,--unresolved-symbols=ignore-all
    run "$DRYDOCK" run ./burglar.so --verbose --out result
    if jq -e '(.sandbox.system_calls and .sandbox.filesystem) | not' result/report.json; then
        skip "this kernel has no seccomp or no Landlock"
    fi
    for attempt in read write socket fork kill; do
        [[ "$output" == *"driver: $attempt -1"* ]]
    done
    [ ! -e stolen ]
}

# ends WHERE WORDS FUNCTION: the module calls FUNCTION there.
ends() {
    cc -shared -fPIC -mms-bitfields -fshort-wchar -fms-extensions -I "$WDK" -o ends_process.so \
        "-DWHERE=$1" "-DEND=$3(${4-0})" "$DRIVERS/ends_process.c" -Wl,--unresolved-symbols=ignore-all
    run "$DRYDOCK" run ./ends_process.so --out result
    echo "$output"
    if jq -e '.sandbox.system_calls | not' result/report.json; then
        skip "this kernel has no seccomp"
    fi
    [ "$status" -eq 1 ]
    jq -e '.outcome == "fault" and .contract.breaches[0].rule == "EXIT"' result/report.json
    jq -e --arg words "ended the process in $2 by $3.., at ends_process.so.0x" \
        '.message | test($words)' result/report.json
}

@test "a module that ends its process is told by the DDI it was in" {
    ends IN_ENTRY DriverEntry _exit
    ends IN_ENTRY DriverEntry exit
    ends IN_ENTRY DriverEntry quick_exit
    ends IN_ENTRY DriverEntry abort ""
}

@test "a module that ends its process in a routine of its own is told, too" {
    for end in _exit exit quick_exit; do
        ends IN_THREAD "a routine of its own" $end
        ends IN_WORK "a routine of its own" $end
        ends IN_DPC DriverEntry $end # which was waiting on that processor
    done
    ends IN_THREAD "a routine of its own" abort ""
}

@test "a driver that never returns is found where it is" {
    build spin
    run "$DRYDOCK" run spin.sys --watchdog-ms 200 --out result
    [ "$status" -eq 1 ]
    [[ "$output" == *"the driver never returned: DriverEntry"*"at spin.sys+0x"* ]]
    jq -e '.outcome == "fault" and .contract.breaches[0].rule == "HANG"' result/report.json
}

@test "the supervisor ends what the watchdog does not" {
    build spin
    run "$DRYDOCK" run spin.sys --watchdog-ms 60000 --real-limit 500ms --out result
    [ "$status" -eq 4 ]
    jq -e '.outcome == "inconclusive" and (.message | test("real time limit.*DriverEntry"))' \
        result/report.json
}

@test "a child that is killed leaves a report" {
    build spin
    "$DRYDOCK" run spin.sys --vary none --watchdog-ms 60000 --out result 2> talk &
    parent=$!
    child=
    for _ in $(seq 200); do
        read -r child < "/proc/$parent/task/$parent/children" || true
        [ -n "$child" ] && [ "$(cat "/proc/$child/comm")" = drydock-driver ] && break
        sleep 0.02
    done
    kill -KILL "$child"
    status=0
    wait "$parent" || status=$?
    [ "$status" -eq 4 ]
    jq -e '.outcome == "inconclusive" and (.message | test("was killed"))' result/report.json
}

@test "a deadlock says who waits in the driver and where" {
    build waits
    run "$DRYDOCK" run waits.sys --out result
    [ "$status" -eq 1 ]
    jq -e '.outcome == "fault" and .contract.breaches[0].rule == "DEADLOCK"' result/report.json
    jq -e '.contract.breaches[0].actual | test("task main waits in DriverEntry, at waits.sys")' \
        result/report.json
}

@test "a missing kernel function is unsupported, and named" {
    "$DRYDOCK_CC" -o lacking.sys "$DRIVERS/lacking.c"
    run "$DRYDOCK" run lacking.sys --out result
    [ "$status" -eq 4 ]
    jq -e '.outcome == "unsupported" and (.message | test("IoNobodyHasThisFunction"))' \
        result/report.json
}

# Files for it are made before the sandbox closes.
@test "a device that is pulled out shows ones in its memory, inside the sandbox, too" {
    "$DRYDOCK" run --workload render --vary pulled-out --duration 50ms --json > report.json
    jq -e '.outcome == "pass" and .counters.variations["pulled-out"] > 0' report.json
}
