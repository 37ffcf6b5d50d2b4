#!/usr/bin/env bats
# Drivers that a variation does not make look wrong. DRYDOCK is the executable, CARELESS has rows of
# drivers, some of which break no rule.

load common

setup() {
    work_apart "$BATS_TEST_TMPDIR"
    cp "$CARELESS" careless.so
}

# calm HOW SETTINGS [options]: a run of the driver that is so, of which nothing is said.
calm() {
    printf '%s\n"Misbehave"="%s"\n%s\n' \
        '[\Registry\Machine\System\CurrentControlSet\Services\careless]' "$1" "$2" > how.reg
    run drydock run careless.so --registry how.reg --softgpu-commands --duration 30ms --out calm "${@:3}"
    echo "$output"
    [ "$status" -eq 0 ]
    jq -e '(.contract.breaches | length) == 0' calm/report.json
}

@test "pointers at last are those of what is seen" {
    calm shapes_of_what_is_seen '"PowerComponents"=dword:00000002' --workload desktop --vary resting-parts
    jq -e '.counters.variations["resting-parts"] > 0' calm/report.json
}

@test "a Present that is refused for want of memory tells nothing of members behind its structure" {
    for seed in 1 2 3; do
        calm present_wants_memory "" --workload desktop --wddm 1.3 --vary short-memory --seed $seed
    done
}

@test "a driver's history buffer has a cursor, or has no room for what comes next" {
    for how in formats_by_a_cursor next_has_no_room; do
        calm $how "" --workload desktop --workload render --vary odd-questions
        jq -e '.ddi.DxgkDdiFormatHistoryBuffer.calls > 1' calm/report.json
    done
}

@test "memory that was not there at the start is wanted in each request" {
    calm starts_without_low_memory "" --workload desktop --vary none
}

@test "a system without features leaves on what a driver cannot do without, and nothing else" {
    settings='"WddmVersion"=dword:00003200
"HardwareScheduling"=dword:00000002
"OverlayPlanes"=dword:00000002
"FlipQueue"=dword:00000008
"GpuMmu"=dword:00000001'
    found=0
    for seed in 1 2 3 4; do
        calm flips_always_need_it "$settings" --workload desktop --vary second-start --seed $seed
        sed -i s/flips_always_need_it/flips_need_a_queue/ how.reg
        drydock run careless.so --registry how.reg --softgpu-commands --duration 30ms --workload desktop \
            --vary second-start --seed $seed > found.txt 2>&1 || true
        ! grep "^BUGCHECK in DxgkDdiStartDevice" found.txt || found=$((found + 1))
    done
    [ "$found" -gt 0 ]
    [ "$found" -lt 4 ]
}
