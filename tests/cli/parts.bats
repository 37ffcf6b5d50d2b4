#!/usr/bin/env bats
# The parts of a run, and variations. DRYDOCK is the executable, DRYDOCK_CC its compiler, DRIVERS a
# folder of small drivers.

load common

setup() {
    work_apart "$BATS_TEST_TMPDIR"
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
    drydock run --duration 20ms --parts 5 --json > report.json
    drydock variations --json > variations.json
    # Of four parts one has paging-overlaps.
    jq -e --slurpfile known variations.json \
        '[.parts[1, 2].variations[], "paging-overlaps"] | unique == ([$known[0][].name] | sort)' report.json
    # In two pairs, for paging by GPU virtual addresses leaves some of them out of the first.
    # The driver has no thread that could come late, and shares nothing without a lock. Clients by virtual address are
    # those of a part that draws gpu-addresses with a version that validates; so is paging by virtual address.
    jq -e '.coverage.variations | .["late-threads"] == 0 and .["starved-threads"] == 0 and .["clients-within"] == 0' report.json
    jq -e '.coverage.variations | del(.["late-threads"], .["starved-threads"], .["clients-within"], .["wide-rows"], .["validated-elsewhere"], .["moved-tables"], .["split-virtual"], .["evicted-at-once"], .["suspended-contexts"], .["companion-contexts"]) | to_entries | length > 1 and all(.value > 0)' \
        report.json
}

# What a workload counts is what it did: one that came to nothing would still pass.
@test "each workload of a run does its work, and looks at what came of it" {
    drydock run --vary none --json > report.json
    jq -e '.counters | .surfaces.formats == 2 and .surfaces.empty_taken > 0 and .surfaces.resets > 0' report.json
    jq -e '.counters | .empty.taken > 0 and .modes.turned == 3 and .modes.changed > 0' report.json
    jq -e '.counters | .render.checks > 0 and .render.wrong_results == 0' report.json
    jq -e '.counters | .hang.engines_hung == 2 and .hang.neighbour_results > 0' report.json
    jq -e '.counters.pressure | .bytes_checked > 16777216 and .offers_kept > 0 and .bytes_wrong == 0' report.json
    drydock run --vary gpu-addresses --workload virtual --addresses WddmVersion=0x3000 --addresses GpuMmu=1 \
        --addresses ContextState=2 --json > report.json
    jq -e '.counters.virtual | .words_checked > 0 and .refused == 7 and .faults == 6 and .fault_pairs == 1 and .discarded > 0' report.json
    jq -e '.counters.submissions.context_switches > 0' report.json
    drydock run --vary gpu-addresses,bad-private-data --workload virtual --seed 2 --addresses WddmVersion=0x3000 \
        --addresses GpuMmu=1 --json > report.json
    jq -e '.counters.submissions.spoiled > 0' report.json
    drydock run --vary gpu-addresses --workload virtual --addresses WddmVersion=0x3000 --addresses GpuMmu=1 \
        --addresses HardwareScheduling=1 --json > report.json
    jq -e '.counters.virtual | .faults == 6 and .queue_faults == 4 and .queue_refused == 3' report.json
    jq -e '.counters.resets.of_one_engine == 4' report.json
}

# bats test_tags=whole
@test "a driver with little to do is met in more parts" {
    cp "$SOFTGPU_SYS" foreign.sys
    drydock run foreign.sys --device outputs=0 --json > report.json
    jq -e '.outcome == "pass" and (.parts | length) == 13' report.json
}

@test "--vary makes one part with exactly these variations" {
    drydock run $short --vary fence-wrap --json > report.json
    jq -e '.parts | length == 1 and .[0].variations == ["fence-wrap"]' report.json
    jq -e '.coverage.variations | keys == ["fence-wrap"] and .["fence-wrap"] > 0' report.json
    drydock run $short --vary none --json | jq -e '.parts[0].variations == []'
    count=$(drydock variations --json | jq length)
    drydock run $short --vary all --json | jq -e ".parts[0].variations | length == $count"
}

@test "of several ends in its set a part has another one with two of four seeds" {
    ends="--vary shut-down,release-display,stop-screen --workload desktop --duration 20ms --json"
    for seed in 4 5; do
        drydock run $ends --seed $seed > report.json
        jq -e '.coverage.variations["release-display"] == 1' report.json
        jq -e '.coverage.variations["stop-screen"] == 0' report.json
    done
    for seed in 6 7; do
        drydock run $ends --seed $seed > report.json
        jq -e '.coverage.variations["release-display"] == 0' report.json
        jq -e '.coverage.variations["stop-screen"] == 1' report.json
    done
}

@test "who hands no picture on is switched off where others do" {
    ends="--vary shut-down,release-display --workload desktop --duration 20ms --seed 4 --json"
    drydock run $ends --wddm 1.1 | jq -e '.coverage.variations["shut-down"] == 1'
    drydock run $ends | jq -e '.coverage.variations["shut-down"] == 0'
}

@test "of failed starts that are to end with the system a driver is unloaded with two of four seeds" {
    ends="--vary failed-starts,shut-down,stop-screen --workload desktop --duration 20ms --json"
    drydock run $ends --seed 4 | jq -e '.coverage.variations |
        ."failed-starts" > 0 and ."shut-down" == 0 and ."stop-screen" == 0'
    drydock run $ends --seed 6 | jq -e '.coverage.variations |
        ."failed-starts" > 0 and ."shut-down" + ."stop-screen" == 1'
}

@test "each second part with addresses has a second monitor" {
    drydock run --json > report.json
    jq -e '[.parts[] | select(.name | startswith("addresses")) |
            (.variations | index("second-monitor") != null)] ==
           [false, true, false, true, false, true, false, true]' report.json
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
    jq -e '[.parts[].outcome] == ["fault", "fault", "fault"]' result/report.json
    jq -e '.contract.breaches | length <= 1' result/report.json
    [[ "$output" == *"0 of 3 pass"* ]]
}

@test "coverage names what a run reached and what it never did" {
    drydock run $short --parts 1 --json > report.json 2> words
    jq -e '.coverage.ddis.DxgkDdiRender > 0 and .coverage.paging_operations.FILL > 0' report.json
    jq -e '.coverage.members["SUBMITCOMMAND.DmaBufferSize"] > 0' report.json
    # Bytes that came out right were looked at.
    jq -e '.coverage.rules | .["FILL-003"] > 0 and .["XFER-020"] > 0' report.json
    jq -e '.coverage.callbacks.DxgkCbNotifyDpc > 0 and .coverage.exports.ExFreePoolWithTag > 0' report.json
    # Each thing is told with a count, and those that have none by name.
    jq -e '.coverage as $all | $all.never_reached | del(.variations) | to_entries | length > 5 and
        all(. as {$key, $value} | ($value | if type == "array" then . else keys end | sort) ==
            ($all[$key] | with_entries(select(.value == 0)) | keys | sort))' report.json
    # No hotplug, no pull of the device: the rules of these had nothing to look at.
    jq -e '.coverage.never_reached.rules | contains(["CHILD-006", "PNP-008"])' report.json
    grep -E '^  coverage  [0-9]+ of [0-9]+ DDIs, [0-9]+ of [0-9]+ paging operations, [0-9]+ of [0-9]+ members, [0-9]+ of [0-9]+ rules; never called: ' words
    # Each with its reason.
    grep -E '^  uncalled  SetPowerState: it takes ' words
}

@test "rules that only the result of work shows count where it is right" {
    drydock run --workload render --workload gdi --duration 20ms --parts 1 --json > report.json
    jq -e '.coverage.rules | [.["RENDER-003"], .["SUBMIT-038"], .["GDI-004"], .["GDI-005"], .["GDI-006"]] |
        all(. > 0)' report.json
    # So do those of what is swizzled, of monitors with an id, and of sizes that nobody needs here.
    printf '%s\n' 'Windows Registry Editor Version 5.00' '' \
        '[HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Services\softgpu]' \
        '"SwizzlingRanges"=dword:1' '"ContainerIds"=dword:1' > ranges.reg
    drydock run --workload surfaces --duration 20ms --parts 1 --registry ranges.reg --json > report.json
    jq -e '.coverage.rules | [.["SPLOCK-004"], .["SPLOCK-005"], .["CHILD-008"]] | all(. > 0)' report.json
    echo '"SwizzledSurfaces"=dword:1' >> ranges.reg
    drydock run --workload surfaces --duration 20ms --parts 1 --registry ranges.reg --json > report.json
    jq -e '.coverage.rules | [.["XFER-012"], .["ALLOC-006"]] | all(. > 0)' report.json
}

@test "a DDI that was not called is told with the reason" {
    drydock run $short --parts 1 --json > report.json
    jq -e '.coverage.never_reached.ddis | all(startswith("it takes "))' report.json
    jq -e ".coverage.never_reached.ddis.DxgkDdiFormatHistoryBuffer | startswith(\"it takes a node with PrecisionBits 0\")" report.json
    jq -e '.coverage.never_reached.ddis.DxgkDdiNotifySurpriseRemoval | contains("--surprise-removal")' report.json
    # Every DDI that it registers was called or is there.
    drydock info --json | jq -e --slurpfile report report.json \
        '.ddis | all(. as $ddi | ($report[0].ddi[$ddi] // $report[0].coverage.never_reached.ddis[$ddi]) != null)'
    drydock run $short --parts 1 --surprise-removal --json > report.json
    jq -e '.coverage.ddis.DxgkDdiNotifySurpriseRemoval == 1' report.json
}

@test "a look that could not break the rule is none" {
    # Nothing is preempted in a run of one workload alone on its nodes, or each look has its request.
    drydock run $short --parts 1 --json > report.json
    jq -e '(.contract.checks_by_rule["PREEMPT-003"] // 0) <= (.coverage.ddis.DxgkDdiPreemptCommand)' report.json
    jq -e '.contract.checks_by_rule | has("PREEMPT-009") | not' report.json || \
        jq -e '.fences.preempted > 0' report.json
}

@test "who takes down another engine with the one that is reset is told so" {
    changed others.sys reset.c -e \
        's/^    softgpu_engine_setup(adapter, arguments->NodeOrdinal);/&\n    for (ULONG i = 0; i < softgpu_node_count(adapter); i++) {\n        softgpu_write(adapter, SOFTGPU_ENGINE_REG(i, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);\n        softgpu_engine_setup(adapter, i);\n    }/'
    printf '[\\Registry\\Machine\\System\\CurrentControlSet\\Services\\others]\n"PerEngineTdr"=dword:1\n' > others.reg
    drydock run others.sys --registry others.reg --softgpu-commands --vary none --workload hang --json > report.json
    jq -e '.contract.breaches | map([.rule, .weight, .ddi]) == [["ENGRST-012", "advice", "DxgkDdiResetEngine"]]' report.json
    jq -e '.contract.breaches[0].actual | contains("and never ended; stopped after its time was over")' report.json
}

# Of four parts each pair has the variation once.
@test "a device that is pulled out leaves in StopDevice in one pair of parts, and is looked at in the other" {
    for seed in 2 3; do
        "$DRYDOCK" run --vary pulled-out --workload render --seed $seed --duration 50ms --out leaves
        jq -e '.counters.host.left_at_stop == 1' leaves/report.json
    done
    for seed in 4 5; do
        "$DRYDOCK" run --vary pulled-out --workload render --seed $seed --duration 50ms --out stays
        jq -e '.counters.host.left_at_stop == null' stays/report.json
    done
}

@test "work that had no room for page tables, and did nothing, is no pass" {
    printf '[\\Registry\\Machine\\System\\CurrentControlSet\\Services\\softgpu]\n' > little.reg
    printf '"GpuMmu"=dword:1\n"PageTableLevels"=dword:4\n"VramPages64K"=dword:1\n"DualPte"=dword:1\n' >> little.reg
    printf '"VramSegments"=dword:3\n' >> little.reg
    run "$DRYDOCK" run --wddm 2.7 --registry little.reg --device vram_mb=2,aperture_mb=4,outputs=0 \
        --workload virtual --vary none --out result-little
    echo "$output"
    [ "$status" -eq 4 ]
    jq -e '.outcome == "inconclusive" and .contract.breaches == []' result-little/report.json
}
