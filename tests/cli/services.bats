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

# $1: what the driver does wrong; the sentence of the finding is left in $output.
run_sections() {
    printf '%s\n"Wrong"=dword:%08x\n' \
        '[\Registry\Machine\System\CurrentControlSet\Services\sections]' "$1" > sections.reg
    run "$DRYDOCK" run sections.sys --registry sections.reg --parts 1
    [ "$status" -eq 1 ]
}

@test "what lies in sections INIT is gone behind DriverEntry, and PAGE is not for raised levels" {
    "$DRYDOCK_CC" -o sections.sys -g "$DRIVERS/sections.c"
    run_sections 0
    [[ "$output" == *"refused sections.sys: DxgkDdiAddDevice failed"* ]]
    [[ "$output" != *"expected"* ]]
    run_sections 1
    [[ "$output" == *"FAULT in DxgkDdiAddDevice"*", in the section INIT, was called after DriverEntry returned, from sections.sys+0x"* ]]
    run_sections 2
    [[ "$output" == *"IRQL in DxgkDdiAddDevice"*", in the section PAGE, runs at IRQL 2: it calls KeReleaseSpinLock"* ]]
    run_sections 3
    [[ "$output" == *"a DPC routine at sections.sys+0x"*", in the section PAGEDPC, is called at IRQL 2"* ]]
    if command -v llvm-symbolizer-19 >/dev/null; then # it is named where it begins, not where one returns to
        [[ "$output" == *"source    dpc_main, sections.c:"* ]]
    fi
    run_sections 4
    [[ "$output" != *"expected"* ]]
    run_sections 5
    [[ "$output" != *"expected"* ]]
    run_sections 6
    [[ "$output" != *"expected"* ]]
}

run_copies_more() {
    printf '%s\n"Wrong"=dword:%08x\n' \
        '[\Registry\Machine\System\CurrentControlSet\Services\copies_more]' "$1" > copies_more.reg
    run "$DRYDOCK" run copies_more.sys --registry copies_more.reg --parts 1
    echo "$output"
    [ "$status" -eq 1 ]
}

@test "the kernel's table ends where the driver's version of it ends" {
    "$DRYDOCK_CC" -o copies_more.sys "$DRIVERS/copies_more.c"
    run_copies_more 0
    [[ "$output" != *"FAULT"* ]]
    [[ "$output" == *"refused copies_more.sys: DxgkDdiStartDevice failed"* ]]
    [[ "$output" == *"advice: DxgkDdiStartDevice: DxgkInterface of StartDevice ("*" bytes that the kernel handed to the driver) was read past its end at offset "*"; its Size is that of the version that the driver registered"* ]]
    # Behind that of the newest version lies nothing, and nobody writes behind its end.
    run_copies_more 1
    [[ "$output" == *"FAULT in DxgkDdiStartDevice"*" bytes that the kernel handed to the driver) was read past its end at offset "*", at copies_more.sys+0x"* ]]
    run_copies_more 2
    [[ "$output" == *"GEN-009 in DxgkDdiStartDevice"*" bytes that the kernel handed to the driver) was written past its end at offset "*", at copies_more.sys+0x"* ]]
}

@test "the interfaces of DxgkCbQueryServices keep the promises of their pages" {
    "$DRYDOCK_CC" -o interfaces.sys "$DRIVERS/interfaces.c"
    run "$DRYDOCK" run interfaces.sys --verbose --vary none --out result
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" != *"wrong:"* ]]
    [[ "$output" == *"driver: checks "*", wrong 0"* ]]
    jq -e '(.contract.breaches | length) == 0 and
        ([.notes[] | select(test("got over a failure"))] == ["the driver reports that it got over a failure: code 0x77 (0x1, 0x2, 0x3, 0x4), 120 bytes",
            "the driver reports that it got over a failure: code 0x78 (0x0, 0x0, 0x0, 0x0), 0 bytes"])' result/report.json
}

@test "a report that stays open, or is completed twice, is found" {
    "$DRYDOCK_CC" -o interfaces.sys "$DRIVERS/interfaces.c"
    printf '%s\n"Wrong"=dword:00000001\n' \
        '[\Registry\Machine\System\CurrentControlSet\Services\interfaces]' > interfaces.reg
    run "$DRYDOCK" run interfaces.sys --registry interfaces.reg --vary none --out result
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"DbgReportComplete"*"is no report, or one that was completed"* ]]
    [[ "$output" == *"DbgReportCreate"*"report 0x78 was not completed before the device was removed"* ]]
}
