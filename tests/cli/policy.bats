#!/usr/bin/env bats
# Scheduling policies: what comes with Drydock, the example, and plug-ins that misbehave.
# DRYDOCK is the executable, EXAMPLES and POLICIES folders of sources, INCLUDE the headers.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    cc -shared -fPIC -Wall -Werror -I"$INCLUDE" -o lottery.so "$EXAMPLES/policy-lottery/lottery.c"
    cc -shared -fPIC -Wall -Werror -I"$INCLUDE" -o deadline.so "$POLICIES/deadline.c"
    for how in 1 2 3 4 5; do
        cc -shared -fPIC -Wall -DHOW=$how -I"$INCLUDE" -o "bad$how.so" "$POLICIES/bad.c"
    done
    cc -shared -fPIC -Wall -DWRONG_ABI=99 -I"$INCLUDE" -o old.so "$POLICIES/bad.c"
    cc -shared -fPIC -Wall -Ddrydock_policy=nothing -I"$INCLUDE" -o nothing.so "$POLICIES/bad.c"
}

setup() {
    work_apart "$BATS_FILE_TMPDIR"
}

# scheduled POLICY OUT: several processes on each node
scheduled() {
    drydock run --policy "$1" --workload queues --workload render --vary none --duration 100ms --out "$2"
}

@test "one seed is one run under each policy, and each gives other runs" {
    for policy in priority fifo ./lottery.so; do
        for try in 1 2; do
            run scheduled "$policy" "$(basename $policy)-$try"
            echo "$output"
            [ "$status" -eq 0 ]
        done
        first=$(jq -r .digest "$(basename $policy)-1/report.json")
        [ "$first" = "$(jq -r .digest "$(basename $policy)-2/report.json")" ]
        digests="$digests $first"
    done
    [ "$(printf '%s\n' $digests | sort -u | wc -l)" -eq 3 ]
}

@test "the report says how fair it was" {
    run scheduled ./lottery.so fair
    [ "$status" -eq 0 ]
    jq .scheduling fair/report.json
    jq -e '.scheduling | .contexts > 4 and .ran_us > 0 and .wanted_us >= .ran_us' fair/report.json
    jq -e '.scheduling.fairness > 0.1 and .scheduling.fairness <= 1' fair/report.json
    jq -e '.replay | contains("--policy ./lottery.so")' fair/report.json
}

@test "a policy is told of the packet that runs" {
    run scheduled ./deadline.so deadline
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a policy is told the time of a context whose next packet waits behind one that runs" {
    run drydock run --policy ./deadline.so --workload desktop --workload render --vary none --duration 100ms --out waits
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a policy that lets nothing run is named, and soon" {
    run drydock run --policy ./bad5.so --workload queues --workload render --vary none --duration 100ms \
        --out bad5 --real-limit 2m
    echo "$output"
    [ "$status" -eq 5 ]
    [[ "$output" == *"policy ./bad5.so: should_preempt() stopped node "*" times, "*"no packet came to its end"* ]]
    jq -e '(.contract.breaches | length) == 0' bad5/report.json
}

@test "a policy that is wrong is named, and nobody else" {
    while read -r how words; do
        run drydock run --policy "./bad$how.so" --workload render --vary none --duration 20ms \
            --watchdog-ms 500 --out "bad$how"
        echo "$output"
        [ "$status" -eq 5 ]
        [[ "$output" == *"policy ./bad$how.so: "*"$words"* ]]
        jq -e '.outcome == "workload_fault" and (.contract.breaches | length) == 0' "bad$how/report.json"
    done <<'EOF'
1 pick() says 1 of 1 contexts
2 access violation (0xc0000005) writing 0x10 at bad2.so
3 it ran too long without returning, at bad3.so
4 it called exit()
EOF
}

@test "what is no policy is refused in one line" {
    while read -r policy words; do
        run drydock run --policy "$policy" --workload render --duration 20ms
        echo "$output"
        [ "$status" -eq 2 ]
        [[ "$output" == *"--policy $policy: $words"* ]]
    done <<'EOF'
elevator no such policy; there are priority and fifo
./old.so it is made for version 99 of drydock/policy.h
./nothing.so undefined symbol
./missing.so cannot open shared object file
EOF
}
