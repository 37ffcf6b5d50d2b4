#!/usr/bin/env bats
# What a finding of a varied part needs. DRYDOCK is the executable, DRYDOCK_CC its compiler, CARELESS
# a driver that is wrong where a calm run does not look, INCLUDE the headers, SCHEMAS and CHECK the
# schemas and what holds a document against one.

load common

setup() {
    work_apart "$BATS_TEST_TMPDIR"
    cp "$CARELESS" careless.so
    short="--workload render --duration 20ms --parts 3"
}

# careless HOW [options]: a run of the driver that is wrong in that way.
careless() {
    printf '%s\n"Misbehave"="%s"\n' \
        '[\Registry\Machine\System\CurrentControlSet\Services\careless]' "$1" > how.reg
    drydock run careless.so --registry how.reg --softgpu-commands $short "${@:2}"
}

@test "a finding says which variation it needs, and its command shows it with that alone" {
    careless knows_one_child --seed 3 --json --junit needs.xml > report.json 2> words || [ $? -eq 1 ]
    cat words
    jq -e '.contract.breaches | map([.rule, .needs, .parts]) ==
        [["CHILD-002", ["second-monitor"], ["varied-2"]]]' report.json
    jq -e '.contract.breaches[0].needs_text | length == 1 and (.[0] | startswith("second-monitor: "))' report.json
    python3 "$CHECK" "$SCHEMAS/report.schema.json" report.json
    grep -q '^    needs     second-monitor: .* \[PNP-003, VIDPN-011\] (https://learn.microsoft.com/.*)$' words
    grep -q '^needs: second-monitor: ' needs.xml
    command=$(jq -r '.contract.breaches[0].replay' report.json)
    [[ "$command" == *" --vary second-monitor "* ]]
    grep -qF "    replay    $command" words
    eval "$command" > again.json || [ $? -eq 1 ]
    jq -e '.parts | map(.variations) == [["second-monitor"]]' again.json
    jq -e '.contract.breaches | map([.rule, .ddi]) == [["CHILD-002", "DxgkDdiQueryChildStatus"]]' again.json
    # The part itself is told as it was run.
    jq -e '.parts[2] | (.variations | length > 5) and (.replay | test("--vary ([a-z-]+,){5}"))' report.json
}

@test "two variations that a finding needs are both found, and one is not enough" {
    careless start_remembers --json > report.json || [ $? -eq 1 ]
    jq -e '.contract.breaches[0] | .rule == "POOL" and .needs == ["failed-starts", "special-pool"]' report.json
    command=$(jq -r '.contract.breaches[0].replay' report.json)
    eval "$command" > again.json || [ $? -eq 1 ]
    jq -e '.contract.breaches[0] | .rule == "POOL"' again.json
    for list in failed-starts special-pool; do
        eval "$command --vary $list" > less.json || [ $? -eq 1 ]
        jq -e '[.contract.breaches[] | select(.ddi == "DxgkDdiStartDevice")] == []' less.json
    done
}

@test "the same run finds the same needs" {
    careless start_remembers --json > one.json || [ $? -eq 1 ]
    careless start_remembers --json > other.json || [ $? -eq 1 ]
    cmp one.json other.json
}

@test "nothing is looked for where nobody wants it, or nothing varies" {
    careless knows_one_child --no-narrow --json > report.json || [ $? -eq 1 ]
    jq -e '.contract.breaches[0] | .needs == null and .needs_text == [] and (.replay | test("--vary ([a-z-]+,){5}"))' report.json
    python3 "$CHECK" "$SCHEMAS/report.schema.json" report.json
    careless knows_one_child --vary second-monitor,late-dpcs --json > report.json || [ $? -eq 1 ]
    jq -e '.contract.breaches[0].needs == null' report.json
    "$DRYDOCK_CC" -o spin.sys "$DRIVERS/spin.c"
    drydock run spin.sys --parts 2 --watchdog-ms 300 --json > report.json || [ $? -eq 1 ]
    jq -e '.contract.breaches | map([.parts, .needs]) == [[["calm", "varied-1"], null]]' report.json
}

@test "variations that were named are narrowed when it is said" {
    careless knows_one_child --vary late-dpcs,second-monitor,hot-plug --narrow --json > report.json || [ $? -eq 1 ]
    jq -e '.contract.breaches[0].needs == ["second-monitor"]' report.json
    command=$(jq -r '.contract.breaches[0].replay' report.json)
    eval "$command" > again.json || [ $? -eq 1 ]
    # Nothing can be left out, and nothing more is said than without it.
    jq -e '.contract.breaches[0] | .rule == "CHILD-002" and .needs == null' again.json
}

@test "a finding that needs no variation says so" {
    changed leaky.sys device.c -e \
        's/^ *found->vram_bytes = .*;/&\n            if (found->vram_bytes <= 0x2000000) {\n                (void)ExAllocatePoolWithTag(NonPagedPool, 16, 0x6B61654C);\n            }/'
    drydock run leaky.sys $short --seed 2 --json > report.json 2> words || [ $? -eq 1 ]
    jq -e '.contract.breaches[0] | .rule == "LEAK" and .needs == [] and
        .needs_text == ["no variation: this seed alone shows it, with the device vram_mb=32"]' report.json
    grep -q '^    needs     no variation: ' words
    command=$(jq -r '.contract.breaches[0].replay' report.json)
    [[ "$command" == *" --vary none "*" --device vram_mb=32"* ]]
    eval "$command" > again.json || [ $? -eq 1 ]
    jq -e '.contract.breaches[0].rule == "LEAK" and .parts[0].variations == []' again.json
}

@test "what the kernel refused inside a failing call stands beside the answer that a client got" {
    careless opens_what_it_opens --vary none --json > report.json || [ $? -eq 1 ]
    jq -e '[.contract.breaches[] | select(.rule == "WORKLOAD")][0] | (.actual | test("the answer of DxgkDdiOpenAllocation, in which DxgkCbGetHandleData, called at .*careless.so.*, was answered NULL for hObject 0x"))' report.json
}

@test "wrong bytes stand beside the submission they came from, what a client read beside the work that wrote it" {
    careless transfers_from_the_start --workload pressure --vary split-transfers --json > report.json || [ $? -eq 1 ]
    jq -e '[.contract.breaches[] | select(.rule == "XFER-020")][0].actual | test("its commands are bytes 0x[0-9A-F]+ to 0x[0-9A-F]+ of the paging buffer, submitted as fence [0-9]+")' report.json
    jq -e '[.contract.breaches[] | select(.rule == "WORKLOAD")][0].actual | test("what it read last was written last by fence [0-9]+ of node [0-9]+: DxgkDdi(Render|Present), and Patch and SubmitCommand of bytes 0x")' report.json
}

@test "vertical syncs of two targets that tell each other's pictures are named" {
    drydock_options="--workload desktop --duration 50ms --vary second-monitor"
    short="$drydock_options" careless vsync_names_the_source --json > report.json || [ $? -eq 1 ]
    jq -e '.contract.breaches | any(.rule == "INT-010" and (.actual | contains("is no source")))' report.json
}

@test "no part is run behind the first one with a finding, where that is asked for" {
    careless knows_one_child --seed 3 --parts 6 --no-narrow --json > whole.json || [ $? -eq 1 ]
    for time in 1 2; do
        careless knows_one_child --seed 3 --parts 6 --no-narrow --until-finding --json > few.$time || [ $? -eq 1 ]
    done
    cmp few.1 few.2
    count=$(jq '[.parts[].outcome == "breach"] | index(true) + 1' whole.json)
    [ "$count" -lt 6 ]
    jq -e --argjson count "$count" --slurpfile whole whole.json \
        '[.parts[].digest] == [$whole[0].parts[:$count][].digest]' few.1
    jq -e --argjson left "$((6 - count))" '.notes | any(contains("the \($left) parts behind it were not run"))' few.1
    python3 "$CHECK" "$SCHEMAS/report.schema.json" few.1
    # Without a finding all of them.
    drydock run --workload render --duration 20ms --parts 3 --until-finding --json | jq -e '.parts | length == 3'
}
