#!/usr/bin/env bats
# What the command prints as JSON is what docs/schema/ promises. DRYDOCK is the executable, DRIVERS a
# folder of small drivers, SCHEMAS and CHECK the schemas and what holds a document against one.

load common

setup() {
    work_apart "$BATS_TEST_TMPDIR"
    short="--workload render --duration 20ms --parts 2"
}

# Is the document, on standard input, what the schema of that name promises?
fits() {
    cat > document.json
    python3 "$CHECK" "$SCHEMAS/$1.schema.json" document.json
}

@test "a report is what its schema promises" {
    drydock run $short --json | fits report
    drydock run --duration 50ms --parts 1 --json | fits report
    drydock run $short --surprise-removal --allow LEAK --json | fits report
}

@test "a report of a driver that is refused or fails is, too" {
    "$DRYDOCK_CC" "$DRIVERS/ends_process.c" -o ends.sys
    drydock run ends.sys --json > report.json || [ $? -eq 1 ]
    fits report < report.json
    echo "no driver" > none.sys
    drydock run none.sys --json > report.json || [ $? -eq 2 ]
    fits report < report.json
}

@test "info, rules and variations are what their schemas promise" {
    drydock info --json | fits info
    drydock rules --json | fits rules
    drydock rules SUBMIT --json | fits rules
    drydock variations --json | fits variations
    drydock versions --workload memory --duration 1ms --json | fits versions
}

@test "a document that lacks a member, has another or the wrong type does not fit" {
    drydock run $short --json > report.json
    for change in 'del(.seed)' 'del(.coverage.never_reached.rules)' '.more = 1' '.seed = "1"' \
        '.outcome = "fine"' '.parts = []' '.parts[0].digest = "xyz"' '.coverage.ddis.DxgkDdiRender = -1'; do
        echo "$change"
        jq "$change" report.json > changed.json
        run python3 "$CHECK" "$SCHEMAS/report.schema.json" changed.json
        [ "$status" -eq 1 ]
    done
    jq '.properties.seed.format = "x"' "$SCHEMAS/report.schema.json" > report.schema.json
    run python3 "$CHECK" report.schema.json report.json
    [ "$status" -eq 1 ] # what nobody checks is not promised
}
