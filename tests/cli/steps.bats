#!/usr/bin/env bats
# One call interrupted at each of its instructions. DRYDOCK is the executable, CARELESS a driver that
# shares memory with its interrupt routine and has no lock, SCHEMAS and CHECK the schemas and what
# holds a document against one.

load common

setup() {
    work_apart "$BATS_TEST_TMPDIR"
    cp "$CARELESS" careless.so
}

# careless HOW [options]: a run of the driver that is wrong in that way.
careless() {
    printf '%s\n"Misbehave"="%s"\n' \
        '[\Registry\Machine\System\CurrentControlSet\Services\careless]' "$1" > how.reg
    drydock run careless.so --registry how.reg --softgpu-commands --workload render "${@:2}"
}

@test "a counter that is added to in steps is named with the call and the instruction" {
    careless counts_notices_too --step SubmitCommand --json > report.json 2> words || [ $? -eq 1 ]
    cat words
    jq -e '.contract.breaches[] | select(.weight == "advice") | .rule == "INT-022"' report.json
    jq '.contract.breaches |= map(select(.weight == "breach"))' report.json > count.json
    mv count.json report.json
    jq -e '.contract.breaches | map([.rule, .ddi]) == [["BUGCHECK", "DxgkDdiInterruptRoutine"]]' report.json
    jq -e '.contract.breaches[0].actual | test("before, call [0-9]+ of DxgkDdiSubmitCommand was interrupted after [0-9]+ instructions, at careless.so\\+0x")' report.json
    jq -e '.steps[0] | .ddi == "DxgkDdiSubmitCommand" and .instructions > 20 and .interrupted > 0 and .findings == 1' report.json
    python3 "$CHECK" "$SCHEMAS/report.schema.json" report.json
    grep -qE '^  stepped   call [0-9]+ of DxgkDdiSubmitCommand: .*, 1 finding$' words
    # The command of the finding is that one trial.
    command=$(jq -r '.contract.breaches[0].replay' report.json)
    [[ "$command" =~ --step\ SubmitCommand:[0-9]+:[0-9]+$ ]]
    eval "$command" > again.json 2> again || [ $? -eq 1 ]
    jq -e '.parts | length == 1' again.json
    [ "$(jq -c '[.contract.breaches[] | select(.weight == "breach") | [.rule, .actual]]' again.json)" = \
        "$(jq -c '[.contract.breaches[] | [.rule, .actual]]' report.json)" ]
}

@test "the same search finds the same" {
    careless counts_notices_too --step SubmitCommand --json > one.json || [ $? -eq 1 ]
    careless counts_notices_too --step SubmitCommand --json > other.json || [ $? -eq 1 ]
    cmp one.json other.json
}

@test "a driver that adds at once is not blamed, wherever it is interrupted" {
    careless counts_notices_as_well --step SubmitCommand:27:1-24 --json > report.json
    jq -e '.outcome == "pass" and (.steps | map([.trials, .findings]) == [[24, 0]])' report.json
}

@test "what is no call of a DDI is refused" {
    for step in SubmitCommands InterruptRoutine SubmitCommand:0 SubmitCommand:5:9-3 SubmitCommand: :4; do
        run drydock run --step "$step"
        [ "$status" -eq 2 ]
        [[ "$output" == *"--step $step: wanted is "* ]]
    done
}
