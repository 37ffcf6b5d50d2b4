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
