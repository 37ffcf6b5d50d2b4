#!/usr/bin/env bats
# Kernel services as a driver meets them in a run of the command line, sandbox and all.
# DRYDOCK and DRYDOCK_CC are the executables, DRIVERS the folder of the sources.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# Every check of the driver's own holds, and nothing is found against it.
run_services() {
    run "$DRYDOCK" run services.sys --verbose --out result "$@"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" != *"wrong:"* ]]
    [[ "$output" == *"driver: checks "*", wrong 0"* ]]
    jq -e '.outcome == "refused" and (.contract.breaches | length == 0)' result/report.json
}

@test "services keep the promises of their pages" {
    "$DRYDOCK_CC" -o services.sys "$DRIVERS/services.c"
    run_services
}

@test "services keep them outside the sandbox, too" {
    "$DRYDOCK_CC" -O2 -o services.sys "$DRIVERS/services.c"
    run_services --in-process
}

@test "a driver registers through the device of the graphics kernel" {
    "$DRYDOCK_CC" -o displib.sys "$DRIVERS/displib.c"
    run "$DRYDOCK" run displib.sys --out result
    echo "$output"
    [ "$status" -eq 1 ]
    # The function was the one that takes registrations: this one lacks everything.
    [[ "$output" == *"DxgkInitialize: DxgkDdiAddDevice is missing"* ]]
}
