#!/usr/bin/env bats
# The parts of a run, and variations. DRYDOCK is the executable, DRYDOCK_CC its compiler, DRIVERS a
# folder of small drivers.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    ln -sf "$DRYDOCK" drydock
    PATH=$PWD:$PATH
    export NO_COLOR=1
    short="--workload render --duration 20ms"
}

@test "a run has a calm part and varied ones, and each is a run of its own" {
    drydock run $short --parts 3 --json > report.json
    jq -e '[.parts[].name] == ["calm", "varied-1", "varied-2"]' report.json
    jq -e '.parts[0].variations == [] and .parts[0].seed == 1' report.json
    jq -e '[.parts[].digest] | unique | length == 3' report.json
    jq -e '[.parts[].outcome] | all(. == "pass")' report.json
    jq -e '.ddi.DxgkDdiStartDevice.calls >= 3' report.json
    jq -e '.digest as $all | all(.parts[]; .digest != $all)' report.json
}

@test "the same seed gives all parts again, another seed others" {
    one=$(drydock run $short --parts 3 --seed 4 --json | jq -c '[.digest, .parts[].digest]')
    two=$(drydock run $short --parts 3 --seed 4 --json | jq -c '[.digest, .parts[].digest]')
    other=$(drydock run $short --parts 3 --seed 5 --json | jq -c '[.digest, .parts[].digest]')
    [ "$one" = "$two" ]
    [ "$one" != "$other" ]
}

@test "the command that a part names replays that part" {
    drydock run $short --parts 3 --json > report.json
    for part in 0 1 2; do
        command=$(jq -r ".parts[$part].replay" report.json)
        [[ "$command" == *"--vary "* ]]
        eval "$command" > again.json
        jq -e '.parts | length == 1' again.json
        [ "$(jq -r ".parts[$part].digest" report.json)" = "$(jq -r .digest again.json)" ]
    done
}

@test "every variation is on in one of two varied parts, and is seen to happen" {
    drydock run --duration 20ms --parts 3 --json > report.json
    drydock variations --json > variations.json
    jq -e --slurpfile known variations.json \
        '[.parts[1, 2].variations[]] | sort == ([$known[0][].name] | sort)' report.json
    jq -e '.coverage.variations | to_entries | length > 1 and all(.value > 0)' report.json
}

@test "--vary makes one part with exactly these variations" {
    drydock run $short --vary fence-wrap --json > report.json
    jq -e '.parts | length == 1 and .[0].variations == ["fence-wrap"]' report.json
    jq -e '.coverage.variations == {"fence-wrap": 1}' report.json
    drydock run $short --vary none --json | jq -e '.parts[0].variations == []'
    count=$(drydock variations --json | jq length)
    drydock run $short --vary all --json | jq -e ".parts[0].variations | length == $count"
}

@test "a name that is no variation is a usage error" {
    for list in frob fence-wrap,frob fence-wrap, "" none,fence-wrap; do
        run drydock run $short --vary "$list"
        [ "$status" -eq 2 ]
        [[ "$output" == *"is no variation"* ]]
    done
    for parts in 0 17 x; do
        run drydock run $short --parts "$parts"
        [ "$status" -eq 2 ]
    done
}

@test "variations are listed with a sentence each" {
    drydock variations > words
    drydock variations --json > variations.json
    jq -e 'length > 1 and all(.[]; .sentence | length > 40)' variations.json
    for name in $(jq -r '.[].name' variations.json); do
        grep -qx "$name" words
    done
}

@test "a finding of several parts is told once, with the parts" {
    "$DRYDOCK_CC" -o spin.sys "$DRIVERS/spin.c"
    run drydock run spin.sys --parts 3 --watchdog-ms 300 --out result
    [ "$status" -eq 1 ]
    jq -e '[.parts[].outcome] == ["breach", "breach", "breach"]' result/report.json
    jq -e '.contract.breaches | length <= 1' result/report.json
    [[ "$output" == *"0 of 3 pass"* ]]
}
