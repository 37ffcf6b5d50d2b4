#!/usr/bin/env bats
# The command as its users call it. DRYDOCK is the executable, SOFTGPU_SYS and SOFTGPU_SO the
# built-in driver as files. Tests with the tag "whole" are long, and are not run with sanitizers.

load common

setup() {
    work_apart "$BATS_TEST_TMPDIR"
    cp "$SOFTGPU_SYS" softgpu.sys
    # A run short enough for a test, of one part.
    short="--workload desktop --duration 50ms --vary none"
}

# Changes a 16-bit number of the PE file header: patch FILE OFFSET VALUE
patch_header() {
    python3 - "$1" "$2" "$3" <<'PYTHON'
import struct, sys
path, offset, value = sys.argv[1], int(sys.argv[2], 0), int(sys.argv[3], 0)
image = bytearray(open(path, "rb").read())
header = struct.unpack_from("<I", image, 0x3C)[0]
struct.pack_into("<H", image, header + offset, value)
open(path, "wb").write(image)
PYTHON
}

# A driver that is refused: refused FILE STATUS WORD...: the status, one message, and the report.
refused() {
    local file=$1 wanted=$2 word
    run drydock run "$file" --out result
    [ "$status" -eq "$wanted" ]
    for word in "${@:3}"; do
        [[ "$output" == *"$word"* ]]
    done
    [ "$(printf '%s\n' "$output" | grep -c "$3")" -eq 1 ]
    jq -e '.message | length > 0' result/report.json
}

@test "the built-in driver passes" {
    run drydock run $short --out result
    [ "$status" -eq 0 ]
    [[ "$output" == *"pass softgpu.sys"* ]]
    jq -e '.outcome == "pass" and (.contract.breaches | length) == 0' result/report.json
    jq -e '.memory.lost == 0 and .present.wrong_pixels == 0' result/report.json
}

@test "the same driver from a file, and as an ELF module, does the same" {
    one=$(drydock run $short --json | jq -r .digest)
    two=$(drydock run softgpu.sys $short --json | jq -r .digest)
    three=$(drydock run "$SOFTGPU_SO" $short --json | jq -r .digest)
    [ "$one" = "$two" ]
    [ "$one" = "$three" ]
}

@test "one seed has one digest, another seed another" {
    one=$(drydock run $short --seed 5 --json | jq -r .digest)
    again=$(drydock run $short --seed 5 --json | jq -r .digest)
    alone=$(drydock run $short --seed 5 --in-process --json | jq -r .digest)
    other=$(drydock run $short --seed 6 --json | jq -r .digest)
    [ "$one" = "$again" ]
    [ "$one" = "$alone" ]
    [ "$one" != "$other" ]
    [ ${#one} -eq 16 ]
}

@test "the report has the promised keys" {
    drydock run $short --json > report.json
    jq -e '.schema and .driver and .digest and .outcome and .seed == 1' report.json
    jq -e '.ddi.DxgkDdiStartDevice.calls == 1 and .ddi.DxgkDdiStartDevice.failures == 0' report.json
    jq -e '.paging_operations | type == "object"' report.json
    jq -e '[.fences.submitted, .fences.completed, .fences.lost] | all(type == "number")' report.json
    jq -e '[.memory.paged_in, .memory.paged_out, .memory.lost] | all(type == "number")' report.json
    jq -e '[.present.frames, .present.flips, .present.wrong_pixels] | all(type == "number")' report.json
    jq -e '.contract.rules > 600 and .contract.enforced >= 0 and .contract.checks > 0' report.json
    jq -e '.contract.by_duty | .driver.judged > 0 and .driver.judged <= .driver.enforced' report.json
    jq -e '.contract.breaches == []' report.json
}

@test "standard output is the report alone" {
    drydock run $short --json --verbose 2> talk | jq -e .outcome
    grep -q pass talk
}

@test "the driver runs in a process without rights" {
    drydock run $short --json | jq -e '.sandbox.process and .sandbox.no_new_privileges'
    drydock run $short --json --in-process | jq -e '.sandbox.process | not'
}

@test "frames are PNG files, the trace is there" {
    drydock run $short --out result
    [ "$(ls result/frame-*.png | wc -l)" -gt 0 ]
    for frame in result/frame-*.png; do
        [ "$(head -c 8 "$frame" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ]
    done
    jq -e '.frames | length > 0' result/report.json
    [ -s result/trace.pftrace ]
}

@test "private data of allocations is given to a driver that shows nothing, and wrong lines refused" {
    cp softgpu.sys foreign.sys
    # SOFTGPU_UMD_ALLOCATION_MAGIC, version 1, for the CPU in video memory, 1 MiB
    zeros=$(printf '00000000%.0s' {1..8})
    printf '# one kind\nallocation 53475041 01000000 11000000 00001000 %s\n' "$zeros" > data
    drydock run foreign.sys --device outputs=0,vram_mb=16 --workload memory --parts 1 \
        --allocation-data data --out result
    jq -e '.counters.memory_work.bytes_checked > 16777216' result/report.json
    jq -e '.memory.paged_in > 0 and .memory.paged_out > 0' result/report.json
    echo 'resource 01020304' | cat - data > two # some come to a resource that is there
    drydock run foreign.sys --device outputs=0,vram_mb=16 --workload memory --parts 1 \
        --allocation-data two --out result
    jq -e '.counters.memory_work.joined > 2' result/report.json
    for line in 'allocation 123' 'allocation xy' 'allocation' 'resource 00' 'something 00'; do
        echo "$line" > wrong
        run drydock run foreign.sys --allocation-data wrong
        [ "$status" -eq 2 ]
        [[ "$output" == *"wrong:1: wanted are lines"* ]]
    done
}

@test "allocations of different sizes show at addresses, no more of each than there is" {
    zeros=$(printf '00000000%.0s' {1..8})
    for bytes in 00001000 00500000; do # 1 MiB, 20 KiB
        echo "allocation 53475041 01000000 11000000 $bytes $zeros"
    done > data
    # Little memory, and leaves of either kind of pages in turn: one comes to lie where another lay.
    { printf '[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\softgpu]\n'
      printf '"%s"=dword:%s\n' GpuMmu 1 IoMmu 0 PageTableLevels 2 VramPages64K 1 DualPte 0 \
          PageTableUpdateMode 2 PageTableSegment 1; } > mine.reg
    run drydock run --device outputs=0,vram_mb=16 --workload mapped --vary gpu-addresses \
        --registry mine.reg --allocation-data data --out result
    [ "$status" -eq 4 ] # nothing that a client submitted could be judged
    jq -e '.counters.mapped.bytes_checked > 1048576' result/report.json
    jq -e '.contract.breaches == []' result/report.json
}

@test "pictures of the user are shown, and wrong ones refused" {
    drydock run $short --out result
    mkdir mine && cp "$(ls result/frame-*.png | head -1)" mine/a.png
    drydock run $short --images mine
    head -c 100 mine/a.png > mine/b.png
    run drydock run $short --images mine
    [ "$status" -eq 2 ]
    [[ "$output" == *"b.png"* ]]
    mkdir none
    run drydock run --images none
    [ "$status" -eq 2 ]
}

@test "as many processors as there can be, and no more" {
    drydock run $short --cpus 8
    run drydock run $short --cpus 9
    [ "$status" -eq 2 ]
    [[ "$output" == *"--cpus 9: wanted is a number from 1 to 8"* ]]
}

@test "every option of run is taken" {
    printf '[HKEY_LOCAL_MACHINE\\Software\\Test]\n"Value"=dword:1\n' > mine.reg
    drydock run softgpu.sys $short --processes 2 --seed 3 --wddm 1.2 --messages --cpus 2 \
        --tdr-delay 1s --time-limit 1m --real-limit 2m --watchdog-ms 5000 --surprise-removal \
        --no-shadow --device vram_mb=32 --first-fence 4294967290 --service softgpu \
        --softgpu-commands --round-robin --ram-mb 512 --parts 3 --special-pool before --windows 6.3
    drydock run $short --shadow --registry mine.reg
}

@test "what is allowed is told and does not count" {
    # The driver forgets to free its adapter.
    changed leaks.sys device.c '/ExFreePoolWithTag(miniport_device_context,/d'
    run drydock run leaks.sys $short
    [ "$status" -eq 1 ]
    if command -v llvm-symbolizer-19; then
        [[ "$output" == *"source    softgpu_add_device, device.c:"* ]]
    fi
    printf '# ours\nLEAK  ticket 12\n\nirql\n' > allowed
    run drydock run leaks.sys $short --allow-file allowed --out result
    [ "$status" -eq 0 ]
    [[ "$output" == *"waived: LEAK"* ]]
    [[ "$output" == *"0 breaches, 1 waived"* ]]
    jq -e '.outcome == "pass" and .contract.breaches[0].weight == "waived"' result/report.json
    jq -e '.waivers == [{rule: "LEAK", reason: "ticket 12"}, {rule: "IRQL", reason: ""}]' \
        result/report.json
}

@test "names and reasons that are no UTF-8 are told all the same" {
    name=$(printf 'dr\374ver.sys')
    cp softgpu.sys "$name"
    drydock info "$name" > words # with sanitizers there are warnings on standard error
    [[ "$(head -1 words)" == "dr?ver.sys: "* ]]
    drydock info "$name" --json | jq -e '.driver == "dr?ver.sys"'
    drydock imports "$name" --json | jq -e '.driver == "dr?ver.sys"'
    printf 'LEAK  gr\374n\n' > allowed
    run drydock run "$name" $short --allow-file allowed --out result
    [ "$status" -eq 0 ]
    jq -e '.waivers == [{rule: "LEAK", reason: "gr?n"}]' result/report.json
}

@test "allowed damage of the pool is no verdict" {
    changed damages.sys context.c \
        's|^    device->adapter = adapter;|&\n    ((volatile UCHAR *)device)[(sizeof(*device) + 15) / 16 * 16] = 7;|'
    run drydock run damages.sys $short
    [ "$status" -eq 1 ]
    # What it wrote over is put back, and the run goes on.
    run drydock run damages.sys $short --allow POOL
    [ "$status" -eq 0 ]
    [[ "$output" =~ "0 breaches, "[1-9]" waived" ]] # in one place or several
    # A page that is shut lets nobody go on.
    run drydock run damages.sys $short --allow POOL --special-pool after --out result
    [ "$status" -eq 4 ]
    [[ "$output" == *"the run cannot go on after what was allowed: POOL in "* ]]
    jq -e '[.contract.breaches[].weight] == ["waived"]' result/report.json
}

@test "the service key has the name that was given" {
    long=$(printf 'x%.0s' {1..200}).gpu
    for name in my.gpu.2 a/b "$long"; do
        printf '[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\%s]\n"WddmVersion"=dword:1200\n' \
            "$name" > mine.reg
        drydock info softgpu.sys --registry mine.reg --service "$name" --json |
            jq -e '.interface == "WIN8"'
    done
    # Without one it is the file's, whatever that is.
    cp softgpu.sys 'odd\name.v2.sys'
    printf '[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\odd_name.v2]\n"WddmVersion"=dword:1200\n' \
        > mine.reg
    drydock info 'odd\name.v2.sys' --registry mine.reg --json | jq -e '.interface == "WIN8"'
}

# bats test_tags=whole
@test "versions has a line for each that the driver registers, and together they ask for every paging member" {
    drydock versions --json > versions.json
    jq -e '[.versions[].version] == ["1.0", "1.1", "1.2", "1.3", "2.0", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6",
                                     "2.7", "2.8", "2.9", "3.0", "3.1", "3.2"]' versions.json
    jq -e 'all(.versions[]; .outcome == "pass" and
               (.model == "IoMmu" or (.paging_operations.FILL // 0) + (.paging_operations.VIRTUAL_FILL // 0) > 0))' versions.json
    jq -e '[.versions[].paging_operations | keys[]] | contains(["READ_PHYSICAL", "WRITE_PHYSICAL", "NOTIFY_RESIDENCY", "NOTIFY_ALLOC", "VIRTUAL_TRANSFER"])' \
        versions.json
    jq -e '[.versions[] | select(.model == "GpuMmu")] | length > 0' versions.json
    jq -e '.versions[0].model == "patched"' versions.json
    # Each is the sum of its lines.
    jq -e '.coverage.members as $whole | [.versions[].coverage.members | to_entries[]] | group_by(.key) |
           map({key: .[0].key, value: (map(.value) | add)}) | from_entries == $whole' versions.json
    # What docs/limits.md says is missing, and what is reserved.
    jq -e '[.coverage.members | to_entries[] | select(.value == 0 and (.key | startswith("BUILDPAGINGBUFFER."))) | .key[18:]] | sort ==
           ["NotifyAllocation.Flags.IoMmuUnmap", "NotifyAllocation.hKmdProcessHandle",
            "NotifyFenceResidency.Flags", "NotifyFenceResidency.Flags.Reserved"]' versions.json
    # One that reads no number has one line.
    "$DRYDOCK_CC" "$DRIVERS/ends_process.c" -o ends.sys
    run drydock versions ends.sys --json
    [ "$status" -ne 0 ]
    run drydock versions --wddm
    [ "$status" -eq 2 ]
}

@test "where the IOMMU has addresses that the kernel gave out, the driver hears before memory leaves it" {
    printf '[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\softgpu]\n"WddmVersion"=dword:3200\n"IoMmu"=dword:2\n' \
        > given.reg
    drydock run --registry given.reg --vary none --workload virtual --workload fences --json > report.json
    jq -e '.outcome == "pass"' report.json
    jq -e '.coverage.members | .["BUILDPAGINGBUFFER.NotifyAllocation.Flags.IoMmuUnmap"] > 0 and
           .["BUILDPAGINGBUFFER.NotifyAllocation.hKmdProcessHandle"] > 0' report.json
}

@test "flips that wait in the device are taken back all at once or plane by plane" {
    for how in 0 1 2; do
        printf '[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\softgpu]\n"FlipCancel"=dword:%u\n' $how > cancel.reg
        printf '"WddmVersion"=dword:3200\n"GpuMmu"=dword:1\n"HardwareScheduling"=dword:2\n"OverlayPlanes"=dword:2\n"FlipQueue"=dword:4\n' >> cancel.reg
        drydock run --registry cancel.reg --vary none --workload queued --json > report-$how.json
        jq -e '.outcome == "pass" and .present.flips_taken_back > 0' report-$how.json
    done
    jq -e '.ddi.DxgkDdiCancelFlips.calls > 0 and .ddi.DxgkDdiCancelQueuedFlips == null' report-0.json
    jq -e '.ddi.DxgkDdiCancelFlips | .calls > 0 and .failures == .calls' report-1.json
    jq -e '.ddi.DxgkDdiCancelFlips == null' report-2.json
    for how in 1 2; do
        jq -e '.ddi.DxgkDdiCancelQueuedFlips.calls > 1' report-$how.json
        [ "$(jq .present.flips_taken_back report-$how.json)" -eq "$(jq .present.flips_taken_back report-0.json)" ]
    done
}

@test "an alternative is a name and numbers" {
    for wrong in Key Key= =1 Key=x Key=1,,2 Key=1,2,3,4,5,6,7,8,9 Key=4294967296; do
        echo "$wrong"
        run drydock run $short --alternative "$wrong"
        [ "$status" -eq 2 ]
        [[ "$output" == *"--alternative"* ]]
    done
    drydock run $short --vary other-settings --alternative VramSegments=3 --json > report.json
    jq -e '.notes == ["seed 1 ran with other settings: VramSegments=3"]' report.json
    drydock run $short --vary none --alternative VramSegments=3 --json |
        jq -e '.notes | map(select(test("ran with"))) == []'
}

@test "a workload of one's own runs beside all others" {
    cc -shared -fPIC -mms-bitfields -fshort-wchar -fms-extensions -I"$INCLUDE" -I"$WDK" -o fill.so \
        "$EXAMPLES/workload-fill/fill.c"
    drydock run --workload all --workload ./fill.so --duration 20ms --parts 1 --json > report.json
    jq -e '.counters | .fill.pixels_checked > 0 and .render.checks > 0' report.json
    drydock run --workload all --workload ./fill.so --workload none --workload render --duration 20ms --parts 1 --json |
        jq -e '.counters | (.fill.pixels_checked // 0) == 0 and .render.checks > 0'
    run drydock run --workload all --workload all --workload all --parts 1
    [ "$status" -eq 2 ]
    [[ "$output" == *"more than 32 workloads"* ]]
}

@test "settings that a driver asks for are told, and set by a star" {
    drydock info --json > info.json
    jq -e '.settings_asked_for | map(select(.name == "VramSegments" and .number)) | length == 1' info.json
    jq -e '.settings_asked_for[0].key | endswith("softgpu")' info.json
    drydock info > info.txt
    grep -q "settings asked for, and not there" info.txt
    drydock run $short --vary none --alternative 'VramSegments=3' --json |
        jq -e '.notes | length == 1 and (.[0] | test("^settings asked for and not there: WddmVersion, .*VramSegments"))'
    drydock run $short --vary other-settings --alternative '*=1' --json > report.json
    jq -e '.notes | length == 1 and (.[0] | test("numbers that the driver asked for:.* [A-Za-z]*=1"))' report.json
}

# bats test_tags=whole
@test "addresses are turned on in one part, unless the user says otherwise" {
    drydock run $short --vary gpu-addresses --addresses WddmVersion=0x2600 --addresses GpuMmu=1 \
        --addresses DualPte=1,1 --json > report.json
    jq -e '.notes == ["seed 1 ran with GPU virtual addresses: WddmVersion=9728 GpuMmu=1 DualPte=1"]' \
        report.json
    drydock run $short --vary gpu-addresses --wddm 1.3 --json | jq -e '.notes == []'
    # A version without them leaves the parts for them nothing to do, which says nothing of the others.
    drydock run --wddm 1.3 --json > report.json
    jq -e '.outcome == "pass" and (.parts | length == 13)' report.json
    run drydock run --wddm 1.3 --vary gpu-addresses --workload virtual
    [ "$status" -eq 4 ]
    run drydock run $short --addresses GpuMmu
    [ "$status" -eq 2 ]
    [[ "$output" == *"--addresses"* ]]
}

@test "a driver without flips by register flips by command" {
    printf '%s\n%s\n' '[\Registry\Machine\System\CurrentControlSet\Services\softgpu]' '"MmioFlip"=dword:0' > gpu.reg
    drydock run $short --wddm 1.1 --registry gpu.reg --vary none --json > report.json
    jq -e '.outcome == "pass" and .coverage.members["SUBMITCOMMAND.Flags.Flip"] > 0 and
        .coverage.members["SUBMITCOMMAND.Flags.FlipWithNoWait"] > 0' report.json
}

@test "a driver that takes work by GPU virtual address alone is given no other, and shows its pictures" {
    changed alone.sys driver.c -E '/->DxgkDdi(SubmitCommand|Patch|Render) =/d'
    printf '%s\n%s\n' '[\Registry\Machine\System\CurrentControlSet\Services\softgpu]' \
        '"WddmVersion"=dword:2600' '[\Registry\Machine\System\CurrentControlSet\Services\softgpu]' \
        '"GpuMmu"=dword:1' '"OverlayPlanes"=dword:3' > alone.reg
    drydock run alone.sys --service softgpu --registry alone.reg --vary none --workload desktop --workload empty \
        --workload planes --json > report.json
    jq -e '.outcome == "pass" and .counters.presents.by_address > 0 and .present.flips > 0' report.json
    jq -e '.counters.planes.shown > 10 and (.notes | map(select(contains("by address alone"))) | length == 1)' report.json
    jq -e '(.coverage.ddis | (.DxgkDdiSubmitCommandVirtual > 0 and .DxgkDdiPresent > 0))' report.json
}

@test "a driver whose contexts have no patch list is presented to by GPU virtual addresses" {
    changed nolists.sys context.c -E \
        '/ContextInfo.PatchLocationListSize =/,/;/c create->ContextInfo.PatchLocationListSize = 0; create->ContextInfo.Caps.NoPatchingRequired = 1;'
    printf '%s\n%s\n' '[\Registry\Machine\System\CurrentControlSet\Services\softgpu]' \
        '"WddmVersion"=dword:2600' '[\Registry\Machine\System\CurrentControlSet\Services\softgpu]' \
        '"GpuMmu"=dword:1' > nolists.reg
    drydock run nolists.sys --service softgpu --registry nolists.reg --vary none --workload desktop --json > report.json
    jq -e '.outcome == "pass" and .counters.presents.by_address > 0 and .present.flips > 0' report.json
}

@test "a present by address that begins anew with each buffer is told for that, and not for a patch list" {
    changed anew.sys driver.c -E -e '/->DxgkDdi(SubmitCommand|Patch|Render) =/d' \
        -e 's/(->DxgkDdiPresent =) .*/\1 anew;/' \
        -e '/^DRIVER_INITIALIZE DriverEntry;/a \
static NTSTATUS NTAPI anew(const HANDLE context, DXGKARG_PRESENT *present)\
{\
    NTSTATUS status = softgpu_present(context, present);\
    if (present->pDmaBuffer \&\& present->SubRectCnt > 1 \&\& status == STATUS_SUCCESS) {\
        present->MultipassOffset = 0;\
        status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;\
    }\
    return status;\
}'
    printf '%s\n%s\n' '[\Registry\Machine\System\CurrentControlSet\Services\softgpu]' \
        '"WddmVersion"=dword:2600' '[\Registry\Machine\System\CurrentControlSet\Services\softgpu]' \
        '"GpuMmu"=dword:1' > anew.reg
    run drydock run anew.sys --service softgpu --registry anew.reg --vary none --workload surfaces
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"PRES-024 in DxgkDdiPresent"*"with MultipassOffset left at 0x0"* ]]
    [[ "$output" != *"CTX-014"* ]]
}

@test "rows of a plane are its surface's, and not those of the mode" {
    changed rows.sys planes.c \
        's/SOFTGPU_PLANE_PITCH, plane->allocation->info.pitch_bytes/SOFTGPU_PLANE_PITCH, 7680/'
    printf '%s\n%s\n%s\n' '[\Registry\Machine\System\CurrentControlSet\Services\softgpu]' \
        '"WddmVersion"=dword:3000' '"OverlayPlanes"=dword:3' > rows.reg
    run drydock run rows.sys --service softgpu --registry rows.reg --vary none --workload planes
    [ "$status" -eq 1 ]
    [[ "$output" == *"MPO-003 in "*"plane 1 of a surface that is smaller than the mode"* ]]
}

@test "kinds of allocations of several sizes are shown in turn" {
    zeros=$(printf '00000000%.0s' {1..8})
    for size in 00000400 00000100; do # 256 KiB and 64
        printf 'allocation 53475041 01000000 11000000 %s %s\n' "$size" "$zeros" >> data
    done
    printf '%s\n%s\n' '[\Registry\Machine\System\CurrentControlSet\Services\softgpu]' '"GpuMmu"=dword:1' > mmu.reg
    drydock run --wddm 2.6 --registry mmu.reg --vary none --workload mapped --workload virtual \
        --allocation-data data --json > report.json
    jq -e '.outcome == "pass" and .counters.mapped.bytes_checked > 1000000' report.json
}

@test "where the registry says so nobody is asked to stop" {
    local vary=(--duration 50ms --vary odd-preempt,idle-preempt,mid-preempt)
    printf '%s\n%s\n' '[\Registry\Machine\System\CurrentControlSet\Control\GraphicsDrivers\Scheduler]' \
        '"EnablePreemption"=dword:0' > patient.reg
    drydock run "${vary[@]}" --json > report.json
    jq -e '.outcome == "pass" and .coverage.ddis.DxgkDdiPreemptCommand > 0' report.json
    drydock run "${vary[@]}" --registry patient.reg --json > report.json
    jq -e '.outcome == "pass" and (.coverage.ddis.DxgkDdiPreemptCommand // 0) == 0' report.json
}

# bats test_tags=whole
@test "a time-out in which no packet ends is given up" {
    run timeout 100 drydock run --tdr-delay 100us --seed 2 --vary none
    [ "$status" -eq 4 ] || [ "$status" -eq 0 ]
    [[ "$output" == *"was given up: from there on it was 2 s"* ]]
}

@test "no sandbox can be had in the process itself" {
    run drydock run $short --in-process --require-sandbox
    [ "$status" -eq 2 ]
    [[ "$output" == *"there is no sandbox"* ]]
}

@test "the manual knows every option" {
    drydock --help | sed -n '/^Options:/,/^$/s/^  \(--[a-z-]*\).*/\1/p' > options
    [ "$(wc -l < options)" -ge 30 ]
    while read -r option; do
        grep -q -e "\*$option\*" "$SCHEMAS/../drydock.1.scd" || { echo "$option"; false; }
    done < options
}

@test "what cannot be allowed is refused" {
    run drydock run $short --allow LEAK,SUBMIT-9999
    [ "$status" -eq 2 ]
    [[ "$output" == *"'SUBMIT-9999' is no rule"* ]]
    printf 'LEAK\nFAULT\n' > wrong
    run drydock run $short --allow-file wrong
    [ "$status" -eq 2 ]
    [[ "$output" == *"wrong:2:"* ]]
}

# bats test_tags=whole
@test "the examples of --help work" {
    cp softgpu.sys mine.sys
    printf '[HKEY_LOCAL_MACHINE\\Software\\Test]\n"Value"=dword:1\n' > mine.reg
    drydock --help | sed -n '/^Examples:/,/^$/s/^  \(drydock.*\)/\1/p' > examples
    [ "$(wc -l < examples)" -ge 5 ]
    while read -r line; do
        # A duration in place of the default's seconds, where nothing is said; time for a busy machine; and
        # little work for --step, which is a hundred runs.
        case "$line" in
        "drydock run"*--duration*) line="$line --real-limit 10m" ;;
        *--step*) line="$line --duration 20ms --workload render --softgpu-commands --real-limit 10m" ;;
        "drydock run"*) line="$line --duration 20ms --real-limit 10m" ;;
        esac
        echo "$line"
        eval "$line" > /dev/null
    done < examples
}

@test "--help names every option once, --version says the version" {
    drydock --help > help
    for option in workload duration processes seed wddm registry images out json device messages \
        tdr-delay time-limit watchdog-ms surprise-removal in-process verbose; do
        [ "$(grep -c -- "^  --$option" help)" -eq 1 ]
    done
    [[ "$(drydock --version)" =~ ^drydock\ [0-9]+\.[0-9]+ ]]
}

@test "wrong words on the command line are usage errors" {
    while read -r line; do
        echo "$line"
        run drydock $line
        [ "$status" -eq 2 ]
        [ -n "$output" ]
    done <<'LINES'

frob
run --frob
run --seed
run --seed x
run --seed -1
run --duration 5
run --duration 0s
run --wddm 1.4
run --wddm 2
run --processes 0
run --special-pool
run --special-pool behind
run --windows 5.1
run --windows seven
run --workload nobody
run --workload ./nothing.so
run --registry nothing.reg
run --images nothing
run --device nothing=1
run one.sys two.sys
rules NOBODY-001
rules --seed 1
imports
imports nothing.sys
LINES
}

@test "a registry that is none is refused with its line" {
    printf '[HKEY_LOCAL_MACHINE\\X]\nnonsense\n' > bad.reg
    run drydock run --registry bad.reg
    [ "$status" -eq 2 ]
    [[ "$output" == *"bad.reg:2"* ]]
}

@test "a driver that is not there" {
    refused missing.sys 2 "missing.sys: No such file"
}

@test "a driver that was cut off" {
    head -c 700 softgpu.sys > cut.sys
    refused cut.sys 2 "refused cut.sys"
    size=$(stat -c %s softgpu.sys)
    for part in 1 40 64 100 300 1000 $((size / 2)) $((size - 1)); do
        head -c "$part" softgpu.sys > cut.sys
        run drydock run cut.sys
        [ "$status" -eq 2 ]
    done
}

@test "a file that is no PE image" {
    echo "just words, but more than sixty-four of them in bytes, so that a header would fit" > text.sys
    refused text.sys 2 "not a PE image"
    : > empty.sys
    refused empty.sys 2 "empty"
    run drydock imports text.sys
    [ "$status" -eq 2 ]
    [[ "$output" == *"not a PE image"* ]]
}

@test "images for other processors" {
    cp softgpu.sys x86.sys && patch_header x86.sys 4 0x14C
    refused x86.sys 2 "32-bit x86"
    cp softgpu.sys arm.sys && patch_header arm.sys 4 0xAA64
    refused arm.sys 2 "ARM64"
}

@test "an output folder that cannot be" {
    touch file
    run drydock run $short --out file/below
    [ "$status" -eq 2 ]
    [[ "$output" == *"file/below"* ]]
}

@test "a run out of virtual time is inconclusive" {
    run drydock run --workload desktop --duration 1m --time-limit 100ms --out result
    [ "$status" -eq 4 ]
    jq -e '.outcome == "inconclusive"' result/report.json
}

@test "an interrupted run still has a report" {
    drydock run --workload desktop --duration 10m --out result 2> talk &
    child=$!
    for _ in $(seq 200); do
        [ -n "$(cat "/proc/$child/task/$child/children")" ] && break
        sleep 0.02
    done
    kill -TERM "$child"
    status=0
    wait "$child" || status=$?
    [ "$status" -eq 4 ]
    jq -e '.outcome == "inconclusive" and .message == "interrupted"' result/report.json
}

@test "info says what the driver registers" {
    drydock info softgpu.sys > words
    grep -q "DxgkDdiSubmitCommand" words
    grep -Eq '^  segment 1: memory, [0-9.]+ MiB at 0x[0-9a-f]+, commit limit [0-9.]+ MiB; .*CpuVisible' words
    grep -Eq '^  node 1: copy, called "Copy", paging$' words
    grep -Eq '^  paging buffers: [0-9.]+ KiB in segment [0-9]+, private data [0-9]+ bytes$' words
    grep -Eq '^  child 0x0: video output, hot plug [a-z]+, connected, descriptor of 128 bytes$' words
    grep -Eq '^  source 0: [0-9]+ x [0-9]+ pixels at [0-9]+[.][0-9]{3} Hz on target 0x0, ' words
    grep -Eq '^    SchedulingCaps.MultiEngineAware +1$' words
    grep -Eq '^    HighestAcceptableAddress +0x[0-9a-f]+$' words
    ! grep -q 'Reserved' words
    drydock info softgpu.sys --json | jq -e '.nodes and .segments and (.ddis | length > 20)'
    drydock info softgpu.sys --wddm 1.2 --json | jq -e '.interface == "WIN8" or .wddm_version < 4864'
    run drydock info text-that-is-not-there
    [ "$status" -eq 2 ]
}

@test "info says what was learned of a driver that does not start, and why" {
    "$DRYDOCK_CC" -o half.sys "$DRIVERS/half.c"
    run drydock info half.sys
    [ "$status" -eq 1 ]
    [[ "$output" == *"half.sys: interface "*", 1 sources, 1 children"* ]]
    [[ "$output" == *"refused: "*"what was learned until then:"*"MaxPointerWidth"*" 77"*"DxgkDdiAddDevice"* ]]
    drydock info half.sys --json > half.json || [ $? -eq 1 ]
    jq -e '.refused != null and .driver_caps.MaxPointerWidth == 77 and .segments == []' half.json
    python3 "$CHECK" "$SCHEMAS/info.schema.json" half.json
}

@test "imports lists what a driver needs" {
    drydock imports softgpu.sys > words
    grep -q "found .*DxgkInitialize\|found .*Zw" words
    drydock imports softgpu.sys --json | jq -e '.missing == 0 and (.imports | length) == .count'
    drydock imports "$SOFTGPU_SO" --json | jq -e '.count > 0'
}

@test "rules lists the contract" {
    [ "$(drydock rules 2> /dev/null | wc -l)" -gt 600 ]
    drydock rules submit-003 | grep -q "^SUBMIT-003"
    [ "$(drydock rules SUBMIT 2> /dev/null | grep -vc '^SUBMIT-')" -eq 0 ]
    drydock rules --json | jq -e '.count == (.rules | length) and .enforced >= .tested'
    drydock rules --json | jq -e '.rules | all(.state == "not yet" or .state == "enforced" or .state == "tested")'
    drydock rules --json | jq -e '.by_duty | [.driver, .kernel, .both] | map(.count) | add > 600'
    drydock rules --json | jq -e '.by_duty.driver | .enforced >= .tested and .tested > 50'
    drydock rules 2>&1 > /dev/null | grep -q "rules of the driver, [0-9]* enforced, [0-9]* of these tested"
    drydock rules SUBMIT-003 | grep -q "judged *driver"
    drydock rules SUBMIT-001 | grep -q "judged *kernel"
    drydock rules SUBMIT-003 --json | jq -e '.rules | length == 1'
}

@test "what an earlier run left in --out goes, what is not ours stays" {
    mkdir result && touch result/frame-9-0001.png result/frame-old.png result/mine.txt
    ln -s ../stolen result/report.json
    run drydock run --workload desktop --duration 50ms --out result
    [ "$status" -eq 0 ]
    [ ! -e result/frame-9-0001.png ] && [ ! -e result/frame-old.png ] && [ -e result/mine.txt ]
    [ ! -e stolen ] && [ ! -L result/report.json ]
    jq -e '.outcome == "pass"' result/report.json
    jq -r '.frames[].file' result/report.json | sort > told
    (cd result && ls frame-*.png | sort) | diff - told
}

@test "what CollectDbgInfo wrote lies beside the report" {
    mkdir result && touch result/debug-9-0001.bin
    drydock run --workload hang --vary none --out result
    [ ! -e result/debug-9-0001.bin ]
    jq -e '.debug_information | length > 0 and all(.reason == 279 or .reason == 321)' result/report.json
    jq -e '.debug_information | all(.bytes > 16)' result/report.json
    [ "$(head -c 4 result/debug-0-0001.bin)" = SGPP ]
    jq -r '.debug_information[] | "\(.bytes) \(.file)"' result/report.json | sort > told
    (cd result && stat -c "%s %n" debug-*.bin | sort) | diff - told
}

@test "the system stops before a desktop, whoever works behind it" {
    drydock run --workload desktop --workload fences --duration 20ms --vary stop-screen,monitor-sleep --json > report.json
    jq -e '.outcome == "pass" and .coverage.ddis.DxgkDdiSystemDisplayWrite > 0 and (.stop_screens | length) == 1' report.json
}

@test "the screen of a system that stops lies beside the report" {
    mkdir result && touch result/stop-screen-9-0001.png
    drydock run --workload desktop --duration 50ms --vary stop-screen --out result
    [ ! -e result/stop-screen-9-0001.png ]
    jq -e '.stop_screens | length == 1 and .[0].width >= 640 and .[0].height >= 480' result/report.json
    [ "$(head -c 4 "result/$(jq -r '.stop_screens[0].file' result/report.json)" | tail -c 3)" = PNG ]
}

@test "the screen of a system that a finding stopped lies beside the report, and finds nothing" {
    printf '[%s]\n"Misbehave"="FAULT"\n' \
        '\Registry\Machine\System\CurrentControlSet\Services\misbehave' > spoiled.reg
    run drydock run "$MISBEHAVE" --registry spoiled.reg --softgpu-commands --duration 50ms --vary none \
        --out result
    [ "$status" -ne 0 ]
    jq -e '.contract.breaches | length == 1 and .[0].rule == "FAULT"' result/report.json
    jq -e '.stop_screens | length == 1 and .[0].width >= 640' result/report.json
    [ "$(head -c 4 "result/$(jq -r '.stop_screens[0].file' result/report.json)" | tail -c 3)" = PNG ]
}

@test "pictures that a driver without ColorFill cannot paint are left out, and blamed on nobody" {
    printf '[%s]\n"Misbehave"="PRES-034"\n' \
        '\Registry\Machine\System\CurrentControlSet\Services\misbehave' > nofills.reg
    run drydock run "$MISBEHAVE" --registry nofills.reg --softgpu-commands --duration 50ms --vary none \
        --workload modes --workload desktop --out result
    [ "$status" -eq 0 ]
    jq -e '(.contract.breaches | length) == 0 and
        ([.notes[] | select(test("left out: the driver carries out no ColorFill"))] | length) == 2' \
        result/report.json
}

@test "pictures composed of shadow surfaces are left out where a driver copies none, and blamed on nobody" {
    printf '[%s]\n"Misbehave"="copies_no_shadows"\n' \
        '\Registry\Machine\System\CurrentControlSet\Services\misbehave' > nocopies.reg
    run drydock run "$MISBEHAVE" --registry nocopies.reg --softgpu-commands --duration 50ms \
        --vary none --workload desktop --out result
    [ "$status" -eq 0 ]
    jq -e '(.contract.breaches | length) == 0 and
        ([.notes[] | select(test("left out: a Blt from a shadow surface"))] | length) == 1' \
        result/report.json
}

@test "two runs never share one --out" {
    mkdir result
    exec 8< result
    flock 8
    run drydock run --workload desktop --duration 50ms --out result
    exec 8<&-
    [ "$status" -eq 2 ]
    [[ "$output" == *"another run writes there"* ]]
    [ ! -e result/report.json ]
}

@test "a report that cannot be written is no pass" {
    [ -w /dev/full ] || skip "there is no /dev/full"
    status=0
    drydock run --workload desktop --duration 50ms --json > /dev/full 2> talk || status=$?
    [ "$status" -eq 2 ]
    grep -q "^usage" talk
}

@test "a file that is in the way of a picture is no pass, and the report says so" {
    mkdir -p result/frame-0-0001.png/x
    run drydock run --workload desktop --duration 50ms --out result
    [ "$status" -eq 2 ]
    [ ! -e result/report.json ]
}

@test "a run in which no work was done is no pass, and says what to do about it" {
    cp softgpu.sys foreign.sys
    run drydock run foreign.sys --workload render --parts 1 --out result
    [ "$status" -eq 4 ]
    [[ "$output" == *"nothing was submitted"*"--workload ./mine.so"* ]]
    jq -e '.outcome == "inconclusive" and .stage == "done"' result/report.json
    run drydock run --device outputs=0 --workload desktop --parts 1
    [ "$status" -eq 4 ]
    run drydock run --device outputs=0 --workload render --duration 50ms --parts 1
    [ "$status" -eq 0 ]
}

@test "totals are told of a run that ends early, too" {
    run drydock run --workload desktop --duration 1m --time-limit 100ms --out result
    [ "$status" -eq 4 ]
    jq -e '.fences.submitted > 0 and .fences.completed > 0' result/report.json
}

@test "gdb stops in DriverEntry, with the driver's symbols" {
    command -v gdb || skip "no gdb"
    gdb -q -batch -ex run -ex kill --args true > trial 2>&1 || true
    ! grep -Eq "Could not trace|Operation not permitted" trial || skip "processes cannot be traced here"
    "$DRYDOCK_CC" -g -o "with space.sys" "$DRIVERS/spin.c"
    drydock gdb "with space.sys" --vary none --seed 3 > words 2>&1 <<'GDB'
info symbol $pc
info line *$pc
backtrace 1
show args
kill
GDB
    grep -q 'DriverEntry in section .text of .*with space.sys' words
    grep -q 'Line [0-9]* of ".*spin.c"' words
    grep -q '#0 .*DriverEntry (' words
    grep -q 'run .*with.*space.sys.* --vary none --seed 3 --in-process' words
    run drydock gdb
    [ "$status" -eq 2 ]
    run drydock gdb no-such.sys
    [ "$status" -eq 2 ]
}
