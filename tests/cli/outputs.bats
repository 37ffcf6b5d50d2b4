#!/usr/bin/env bats
# What a run leaves for other programs: JUnit's XML, and what drydock diff compares. DRYDOCK is the
# executable, DRYDOCK_CC its compiler, DRIVERS a folder of small drivers.

load common

setup() {
    work_apart "$BATS_TEST_TMPDIR"
    short="--workload render --duration 20ms"
}

@test "--junit says the same as the report" {
    drydock run $short --parts 2 --junit pass.xml --json > report.json
    python3 - <<'PY'
import json, xml.etree.ElementTree as tree
root, report = tree.parse("pass.xml").getroot(), json.load(open("report.json"))
parts, contract = root.find("testsuite[@name='parts']"), root.find("testsuite[@name='contract']")
assert [case.get("name") for case in parts] == ["calm", "varied-1"]
rules = {case.get("name") for case in contract if case.get("classname") == "drydock.rules"}
assert rules == set(report["contract"]["checks_by_rule"]), "not the rules that were judged"
assert not root.findall(".//failure") and not root.findall(".//error")
PY
    "$DRYDOCK_CC" -o spin.sys "$DRIVERS/spin.c"
    run drydock run spin.sys --parts 2 --watchdog-ms 300 --junit fault.xml
    [ "$status" -eq 1 ]
    python3 - <<'PY'
import xml.etree.ElementTree as tree
root = tree.parse("fault.xml").getroot()
assert [case.find("failure").get("type") for case in root[0]] == ["fault", "fault"]
failures = root.findall("testsuite[@name='contract']/testcase/failure")
assert [failure.get("type") for failure in failures] == ["HANG"], failures
assert "expected: " in failures[0].text and "replay: drydock run" in failures[0].text
PY
    run drydock run $short --parts 1 --junit no/such/folder.xml
    [ "$status" -eq 2 ]
}

# Of a module with sanitizers the lines are not those of its source alone.
# bats test_tags=whole
@test "--lines tells which lines of the driver were reached, and changes nothing" {
    command -v llvm-symbolizer-19 || skip "no llvm-symbolizer"
    cp "$SOFTGPU_SO" foreign.so
    drydock run foreign.so --duration 20ms --parts 3 --json > without.json
    drydock run foreign.so --duration 20ms --parts 3 --lines lines.info --json > report.json 2> words
    grep -q '^  lines     [0-9]* of [0-9]* reached, and [0-9]* of [0-9]* functions; never entered: ' words
    python3 - <<'PY'
import json
without, report = json.load(open("without.json")), json.load(open("report.json"))
assert without["digest"] == report["digest"] and "source" not in without["coverage"]
source, sums, functions = report["coverage"]["source"], {}, {}
for line in open("lines.info"):
    key, _, value = line.strip().partition(":")
    if key in ("LF", "LH", "FNF", "FNH"):
        sums[key] = sums.get(key, 0) + int(value)
    if key == "FNDA":
        count, name = value.split(",")
        functions[name] = int(count)
assert source["lines"] == {"all": sums["LF"], "reached": sums["LH"]}, (source["lines"], sums)
assert source["functions"] == {"all": sums["FNF"], "reached": sums["FNH"]}
assert functions["DriverEntry"] == 3, functions["DriverEntry"]
assert functions["softgpu_submit_command"] > 0 and functions["softgpu_create_hw_queue"] == 0
never = {row["function"] for row in source["never_entered"]}
assert "softgpu_create_hw_queue" in never and "DriverEntry" not in never
assert never == {name for name, count in functions.items() if count == 0}
PY
}

@test "--lines reads the debug data of a .sys, and says when there are none" {
    command -v llvm-symbolizer-19 || skip "no llvm-symbolizer"
    "$DRYDOCK_CC" -g -o spin.sys "$DRIVERS/spin.c"
    run drydock run spin.sys --parts 1 --watchdog-ms 300 --lines spin.info
    [ "$status" -eq 1 ]
    grep -q '^SF:.*spin\.c$' spin.info
    grep -q '^FNDA:1,DriverEntry$' spin.info
    grep -q '^DA:[0-9]*,1$' spin.info
    # What an exception alone would enter, to destroy an object, is no function of the author's.
    cat > guard.cpp <<'CPP'
#include <wdm.h>
extern "C" DRIVER_INITIALIZE DriverEntry;
struct guard {
    explicit guard(int *count) : count(count) { *count += 1; }
    ~guard() { *count -= 1; }
    int *count;
};
__declspec(noinline) static int work(int *count)
{
    guard held(count);
    KeStallExecutionProcessor((ULONG)*count);
    return *count;
}
extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING)
{
    int count = driver != nullptr;
    return work(&count) ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS;
}
CPP
    "$DRYDOCK_CC" -g -o guard.sys guard.cpp
    run drydock run guard.sys --parts 1 --lines guard.info
    grep -q '^FNDA:1,work$' guard.info
    ! grep -q 'dtor\|`' guard.info
    "$DRYDOCK_CC" -o spin.sys "$DRIVERS/spin.c"
    run drydock run spin.sys --parts 1 --lines spin.info
    [ "$status" -eq 2 ]
    [[ "$output" == *"no debug data"* ]]
    run drydock run --parts 1 --lines spin.info
    [ "$status" -eq 2 ]
    [[ "$output" == *"name a driver"* ]]
    cp "$SOFTGPU_SO" foreign.so
    run drydock run foreign.so --duration 20ms --parts 1 --lines no/such/folder.info
    [ "$status" -eq 2 ]
    [[ "$output" == *"no/such/folder.info: No such file"* ]]
}

@test "documents are well-formed, whatever bytes a run has to tell" {
    cc -shared -fPIC -Wall -Werror -mms-bitfields -fshort-wchar -fms-extensions \
        -I"$INCLUDE" -I"$INCLUDE/wdk" -o bad.so "$CLIENTS/bad.c"
    driver=$'a ]]> <b> & "c" \x01\x1b[2J \xff \xed\xa0\x80 \xef\xbf\xbf \xc2\x9b.so'
    cp "$SOFTGPU_SO" "$driver"
    run drydock run "./$driver" --vary none --workload ./bad.so,how=bytes --junit bytes.xml --out bytes
    [ "$status" -eq 1 ]
    # Nothing that a terminal obeys but our own colours, which are off.
    [ "$(tr -d '\n\t -~\200-\377' <<< "$output")" = "" ]
    python3 - <<'PY'
import json, xml.etree.ElementTree as tree
report = json.loads(open("bytes/report.json", "rb").read().decode("utf-8"))
root = tree.parse("bytes.xml").getroot()
failure, = root.findall("testsuite[@name='contract']/testcase/failure")
assert failure.get("type") == "WORKLOAD" and "]]> & <b a=\"c\">" in failure.get("message"), failure.attrib
assert "]]> & <b a=\"c\">" in failure.text and "]]> <b> & \"c\"" in root.get("name"), root.attrib
actual, = [breach["actual"] for breach in report["contract"]["breaches"]]
assert "]]> & <b a=\"c\">" in actual and len(report["notes"]) >= 2, report["notes"]
PY
    drydock info "./$driver" --json | jq -e . > info.json
    drydock imports "$SOFTGPU_SYS" --json | jq -e . > imports.json
}

@test "two runs with one seed differ in nothing" {
    drydock run $short --parts 2 --keep-events --out one
    drydock run $short --parts 2 --keep-events --out other
    drydock diff one other > words
    [ "$(tail -1 words)" = "the runs are the same" ]
    grep -Eq '^part calm: [0-9]+ events are the same$' words
    grep -Eq '^part varied-1: [0-9]+ events are the same$' words
}

@test "diff tells the first event that differs, and what is counted otherwise" {
    drydock run $short --vary none --keep-events --out one
    drydock run $short --vary late-dpcs --keep-events --out other
    # Parts go by their names; these are called after what was asked for.
    run drydock diff one other
    [ "$status" -eq 1 ]
    [[ "$output" == *"digest: "* ]]
    [[ "$output" == *"the runs differ" ]]
    drydock run $short --vary none --seed 2 --keep-events --out third
    run drydock diff one third
    [ "$status" -eq 1 ]
    [[ "$output" =~ event\ [0-9]+\ is\ the\ first\ that\ differs ]]
    [ "$(grep -c '^  [<>]  ' <<< "$output")" -eq 2 ]
}

@test "diff wants two folders of runs, and believes no file in them" {
    drydock run $short --vary none --keep-events --out one
    run drydock diff one
    [ "$status" -eq 2 ]
    run drydock diff one nowhere
    [ "$status" -eq 2 ]
    cp -r one broken
    name=$(basename one/events-*.bin)
    head -c 100 /dev/urandom > "broken/$name"
    run drydock diff one broken
    [ "$status" -eq 0 ]
    [[ "$output" == *"not the record of a run"* ]]
    head -c 3000000 "one/$name" > "broken/$name"
    printf '\xff\xff\xff\xff\xff\xff\xff\xff' | dd of="broken/$name" bs=1 seek=64 conv=notrunc status=none
    run drydock diff one broken
    [ "$status" -le 1 ]
}
