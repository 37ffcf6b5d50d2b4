#!/usr/bin/env bats
# Workloads that misbehave: what breaks is told as theirs, with its place, and nobody else's.
# DRYDOCK is the executable, CLIENTS the folder of the sources, INCLUDE the headers.

load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    for name in bad rude; do
        cc -shared -fPIC -Wall -Werror -mms-bitfields -fshort-wchar -fms-extensions \
            -I"$INCLUDE" -I"$INCLUDE/wdk" -o "$name.so" "$CLIENTS/$name.c"
    done
    cc -shared -fPIC -mms-bitfields -fshort-wchar -fms-extensions -DBLOCKS_SIGNALS \
        -I"$INCLUDE" -I"$INCLUDE/wdk" -o blocking.so "$CLIENTS/rude.c"
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    export NO_COLOR=1
}

# A fault of the workload, ./bad.so or $client: faulty HOW WORDS [options]
faulty() {
    local workload=${client:-./bad.so}

    run "$DRYDOCK" run --workload "$workload,how=$1" --out "result-$1" "${@:3}"
    echo "$output"
    [ "$status" -eq 5 ]
    [[ "$output" == *"workload $workload: "*"$2"* ]]
    jq -e '.outcome == "workload_fault" and (.contract.breaches | length) == 0' \
        "result-$1/report.json"
}

# Nobody's fault, and no work to judge by: quiet WORKLOAD [options]
quiet() {
    run "$DRYDOCK" run --workload "$1" --out result-quiet "${@:2}"
    echo "$output"
    [ "$status" -eq 4 ]
    jq -e '(.message | test("nothing was submitted")) and .contract.breaches == []' \
        result-quiet/report.json
}

@test "a fault in a workload is the workload's, with its place" {
    faulty fault "access violation (0xc0000005) writing 0x8 at bad.so+0x"
    faulty library "writing 0x10 at " # in code of the C library
    [[ "$output" == *"called from bad.so+0x"* ]]
    faulty service "reading 0x10 at " # in a function of its host
    [[ "$output" == *"called from bad.so+0x"* ]]
    faulty jump "executing 0x10"
    faulty overflow "stack overflow (0xc00000fd) at bad.so+0x"
}

@test "a fault in a workload is no driver's for some advice to him" {
    changed advised.sys driver.c \
        -e 's/^NTSTATUS NTAPI DriverEntry/NTSTATUS NTAPI KeUnheardOfFunction(ULONG argument);\n\n&/' \
        -e 's/^    softgpu_settings_read(registry_path/    KeUnheardOfFunction(1);\n&/'
    run "$DRYDOCK" run advised.sys --workload ./bad.so,how=fault --vary none --out result-advised
    echo "$output"
    [ "$status" -eq 5 ]
    jq -e '.outcome == "workload_fault" and
        [.contract.breaches[] | .rule + " " + .weight] == ["IMPORT advice"]' result-advised/report.json
}

# early WHAT FILE: FILE is a workload whose constructor does that.
early() {
    cc -shared -fPIC -Wall -Werror "-DEARLY=$1" -I"$INCLUDE" -o "$2" "$CLIENTS/early.c"
}

@test "what a constructor does with signals does not reach the run" {
    early block_all blocking.so
    quiet ./blocking.so
    early ignore_children ignoring.so
    quiet ./ignoring.so
}

@test "a run has its ends where whoever starts it ignores those of children" {
    run env --ignore-signal=CHLD "$DRYDOCK" run --workload desktop --duration 20ms --vary none
    echo "$output"
    [ "$status" -eq 0 ]
    run env --ignore-signal=CHLD "$DRYDOCK" run --workload ./bad.so --vary none
    echo "$output"
    [ "$status" -eq 4 ]
    [[ "$output" == *"nothing was submitted"* ]]
}

@test "a constructor that hangs does not outlive the tool" {
    early hang hang.so
    "$DRYDOCK" run --workload ./hang.so 2> talk 3>&- &
    local tool=$! state
    for _ in $(seq 500); do
        [ -e hanging ] && break
        sleep 0.02
    done
    kill -KILL "$tool"
    wait "$tool" || true
    for _ in $(seq 500); do
        state=$(sed 's/.*) \(.\).*/\1/' "/proc/$(cat hanging)/stat" 2> /dev/null) || state=Z
        [ "$state" = Z ] && break
        sleep 0.02
    done
    echo "$state"
    [ "$state" = Z ]
}

# Another library is the last one that was loaded.
@test "a library that becomes shorter is told by its name" {
    early nothing cut.so
    early cut cutting.so
    run "$DRYDOCK" run --workload ./cut.so --workload ./cutting.so --vary none
    echo "$output"
    [ "$status" -eq 5 ]
    [[ "$output" == *"./cut.so: was made shorter while it was in use"* ]]
    early nothing cut.so
    early cut_later cutting.so
    run "$DRYDOCK" run --workload ./cut.so --workload ./cutting.so --vary none
    echo "$output"
    [ "$status" -eq 4 ]
    [[ "$output" == *"./cut.so was made shorter while it was in use"* ]]
}

@test "a workload that aborts or leaves is told so" {
    faulty abort "it called abort() at bad.so+0x"
    # A sanitizer does not come as far: it ends the process at the second free itself.
    if ! grep -q __asan_init "$DRYDOCK"; then
        faulty heap "it called abort() at bad.so+0x"
    fi
    faulty exit "it called exit() at bad.so+0x"
    faulty quick_exit "it called quick_exit() at bad.so+0x"
    quiet ./bad.so
    if jq -e '.sandbox.system_calls | not' result-quiet/report.json; then
        skip "this kernel has no seccomp"
    fi
    faulty _exit "it called _exit() at bad.so+0x"
}

@test "what a workload's constructor blocks of signals is no driver's death" {
    quiet ./blocking.so
}

@test "of two workloads the one that ran when the process died is told" {
    quiet ./rude.so
    if jq -e '.sandbox.system_calls | not' result-quiet/report.json ||
        grep -q __asan_init "$DRYDOCK"; then
        skip "nothing here ends the process without a word"
    fi
    client=./rude.so
    faulty foreign "the process died of signal 31" --workload ./bad.so
}

@test "a workload that hangs is told so" {
    faulty loop "it ran too long without calling anybody, at bad.so+0x" --watchdog-ms 200
    faulty deadlock 'deadlock: "waiter" waits in event_wait() and nobody is left who could wake it'
}

@test "a workload that waits for what nobody signals is told so" {
    faulty fence '"bad" waits in D3DKMTWaitForSynchronizationObjectFromCpu() and nobody is left who'
    faulty queued-fence '"bad" waits in D3DKMTWaitForIdle() and nobody is left who could wake it'
    [[ "$output" == *'of "bad" waits for fence '*' at value 1, which nothing that was submitted signals'* ]]
    faulty cycle 'nobody is left who could wake it: a cycle: context '
    [[ "$output" == *' waits for fence '*' at value 5, which context '*' would signal behind its wait for fence '* ]]
    faulty key '"bad" waits in D3DKMTAcquireKeyedMutex() and nobody is left who could wake it: "bad" waits for keyed mutex '
    [[ "$output" == *' with key 7, which was released with key 8'* ]]
    faulty keyed ' waits in D3DKMTAcquireKeyedMutex() and nobody is left who could wake it: a cycle: "'
    [[ "$output" == *'"other" has, and that waits for keyed mutex '*'which "bad" has'* ||
       "$output" == *'"bad" has, and that waits for keyed mutex '*'which "other" has'* ]]
    faulty keyed-fence 'nobody is left who could wake it: "bad" waits for keyed mutex '
    [[ "$output" == *', which "other" has and waits for fence '*' at value 1, which nothing that was submitted signals'* ]]
}

@test "a workload that leaves its memory is told so, and no driver" {
    client=./rude.so
    faulty behind "writing 0x"
    [[ "$output" == *"at rude.so+0x"* ]]
    faulty later "writing 0x"
    [[ "$output" == *"at rude.so+0x"* ]]
    faulty before "writing 0x"
    # In the page that its fence's value ends: found when that goes.
    faulty beside-fence "the value of a fence, 8 bytes, was written before its begin at offset -8" \
        --wddm 2.0 --vary none
}

@test "a workload that ends what its threads wait for is told so" {
    client=./rude.so
    faulty end-event "it destroyed an event that a thread waits for"
    quiet ./rude.so,how=end-signalled
    [[ "$output" == *"2 were woken"* ]]
}

@test "a workload that waits for ever is told in what" {
    client=./rude.so
    faulty wait-event '"rude" waits in drydock_wait_event() and nobody is left who could wake it'
    faulty sleep '"rude" waits in sleep_until() and nobody is left who could wake it'
    faulty wait-own-lock '"rude" waits in D3DKMTLock() and nobody is left who could wake it: context '
    [[ "$output" == *' of "rude" waits for memory that a client has locked and does not unlock'* ]]
    faulty wait-work '"rude" waits in D3DKMTWaitForIdle() and nobody is left who could wake it: context '
    # Also where something goes on all the time, and the time limit ends the run.
    with_thread 'LARGE_INTEGER pause; pause.QuadPart = -100000; for (;;) { KeDelayExecutionThread(KernelMode, FALSE, \&pause); } (void)unused;' ./rude.so,how=wait-work 20s
    [[ "$output" == *'"rude" of workload rude had been in D3DKMTWaitForIdle() for '* ]]
    with_thread 'LARGE_INTEGER pause; pause.QuadPart = -100000; for (;;) { KeDelayExecutionThread(KernelMode, FALSE, \&pause); } (void)unused;' ./rude.so,how=wait-event 2s
    quiet ./rude.so,how=wait-thread
    [[ "$output" == *"early 102 late 0 after 500"* ]]
}

@test "who waits for vertical syncs that a driver owes is not blamed" {
    changed silent.sys interrupt.c \
        -e 's/^        if (status & SOFTGPU_INTERRUPT_VSYNC(i)) {/&\n            static int told; if (++told == 40) softgpu_write(adapter, SOFTGPU_REG_INTERRUPT_ENABLE, 0);/'
    run "$DRYDOCK" run silent.sys --vary none --workload ./rude.so,how=wait-lit --out result-silent
    echo "$output"
    [ "$status" -eq 1 ]
    jq -e '[.contract.breaches[].rule] == ["SHOW-007"]' result-silent/report.json
    run "$DRYDOCK" run --vary none --workload ./rude.so,how=wait-lit
    [ "$status" -eq 4 ]
    [[ "$output" == *"rude: 100 came"* ]]
}

# With a thread of the driver that waits for work, or that looks after something all the time: softgpu
# with CODE in front of DriverEntry, and its thread() started there: with_thread CODE [WORKLOAD LIMIT]
with_thread() {
    changed threaded.sys driver.c \
        -e "s/^NTSTATUS NTAPI DriverEntry/static VOID NTAPI thread(PVOID unused)\n{\n$1\n}\n\n&/" \
        -e 's/^    softgpu_settings_read(registry_path/    HANDLE handle;\n    PsCreateSystemThread(\&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, thread, NULL);\n&/'
    run "$DRYDOCK" run threaded.sys --vary none --workload "${2:-./bad.so,how=fence}" \
        --out result-thread --time-limit "${3:-2s}"
    echo "$output"
    [ "$status" -eq 5 ]
    jq -e '.outcome == "workload_fault" and .contract.breaches == []' result-thread/report.json
}

@test "a workload that waits for what nobody signals is no thread's fault" {
    with_thread 'KEVENT work; KeInitializeEvent(\&work, NotificationEvent, FALSE); KeWaitForSingleObject(\&work, Executive, KernelMode, FALSE, NULL); (void)unused;'
    with_thread 'LARGE_INTEGER pause; pause.QuadPart = -100000; for (;;) { KeDelayExecutionThread(KernelMode, FALSE, \&pause); } (void)unused;'
}

@test "a driver that waits for ever is told with the clients that wait beside it" {
    changed never.sys context.c \
        -e '/^NTSTATUS NTAPI softgpu_create_context(/,/^}/s/^{/{\n    KEVENT never; KeInitializeEvent(\&never, NotificationEvent, FALSE);\n    if (!create->Flags.SystemContext) KeWaitForSingleObject(\&never, Executive, KernelMode, FALSE, NULL);\n/'
    run "$DRYDOCK" run never.sys --vary none --workload ./rude.so,how=wait-driver --out result-never
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"deadlock: task rude waits in join, outside the driver"* ]]
    jq -e '[.contract.breaches[].rule] == ["DEADLOCK"]' result-never/report.json
}

@test "a workload that leaves a process behind is told so" {
    faulty not-joined 'run() returned while "sleeper", which it started, still runs'
    quiet ./bad.so,how=ended
}

@test "a workload that fails after a refused call of its own is told so" {
    faulty refused 'no device; its own call of D3DKMTCreateDevice was refused with STATUS_INVALID_'
    run "$DRYDOCK" run --workload ./bad.so,how=wrong --out result-wrong
    echo "$output"
    [ "$status" -eq 1 ]
    jq -e '[.contract.breaches[].rule] == ["WORKLOAD"]' result-wrong/report.json
}

@test "a refusal that the driver never heard of is not the driver's" {
    client=./rude.so
    faulty beside 'no context; its own call of D3DKMTDestroyContext was refused with STATUS_INVALID_PARAMETER'
    faulty room 'no list; its own call of D3DKMTGetDisplayModeList was refused with STATUS_BUFFER_TOO_SMALL'
    faulty late 'no list; its own call of D3DKMTGetDisplayModeList was refused with STATUS_BUFFER_TOO_SMALL'
    run "$DRYDOCK" run --workload ./rude.so,how=long-ago --out result-long-ago
    echo "$output"
    [ "$status" -eq 1 ]
    jq -e '[.contract.breaches[].rule] == ["WORKLOAD"]' result-long-ago/report.json
    run "$DRYDOCK" run --workload ./rude.so,how=unknown --out result-unknown
    echo "$output"
    [ "$status" -eq 4 ]
    jq -e '.outcome == "inconclusive" and .contract.breaches == []' result-unknown/report.json
    jq -e '.message | test("D3DKMTQueryAdapterInfo was refused with STATUS_NOT_SUPPORTED before")' \
        result-unknown/report.json
}

@test "a workload that lacks a function of Drydock is no verdict about the driver" {
    run "$DRYDOCK" run --workload ./bad.so,how=lacking --out result-lacking
    echo "$output"
    [ "$status" -eq 4 ]
    jq -e '.outcome == "unsupported" and .contract.breaches == []' result-lacking/report.json
    jq -e '.message | test("D3DKMTPresentRedirected, which a client called: .*nothing is composed")' \
        result-lacking/report.json
}

@test "a device that a workload marked itself is lost by nobody else" {
    client=./rude.so
    faulty lost-marked "the device is lost; its device was lost, for it had marked that as being in error"
    faulty lost-marked-late "the device is lost; its device was lost, for it had marked that as being in error"
    faulty lost-forced "(D3DKMTMarkDeviceAsError), had the adapter reset, or"
}

@test "what a workload brings about itself is not the driver's" {
    client=./rude.so
    faulty own-mutex 'no mutex; its own call of D3DKMTAcquireKeyedMutex was refused with STATUS_TIMEOUT'
    faulty own-mutex-late 'no mutex; its own call of D3DKMTAcquireKeyedMutex was refused with STATUS_TIMEOUT'
    faulty dark 'it is dark; its own call of D3DKMTWaitForVerticalBlankEvent was refused with STATUS_TIMEOUT'
    faulty dark2 'it is dark; its own call of D3DKMTWaitForVerticalBlankEvent2 was refused with STATUS_TIMEOUT'
    faulty flip-shadow 'no flip; its own call of D3DKMTPresent was refused with STATUS_INVALID_PARAMETER'
    faulty goes-on 'no list; its own call of D3DKMTGetDisplayModeList was refused'
    [[ "$output" == *"and then: nothing is as it should be"* ]]
    faulty nowhere 'the device is lost; its device was lost, for it ' $(with_addresses)
    for way in "" -queued; do
        faulty stores-nowhere$way 'the device is lost, state 7; its device was lost, for it ' $(with_addresses)
        [[ "$output" == *"had submitted commands that are, or go, where it has nothing in memory"* ]]
    done
}

# Options for a part with GPU virtual addresses and hardware queues, of the driver NAME: with_addresses [NAME]
with_addresses() {
    printf '[\\Registry\\Machine\\System\\CurrentControlSet\\Services\\%s]\n' "${1:-softgpu}" > addresses.reg
    printf '"GpuMmu"=dword:1\n"HardwareScheduling"=dword:1\n"RingBufferFenceRelease"=dword:1\n' >> addresses.reg
    echo --wddm 2.7 --registry addresses.reg --vary none
}

# The client is right, and the driver, softgpu with FILE changed, has the device look elsewhere: misleads FILE HOW SED
misleads() {
    changed misled.sys "$1" -e "$3"
    run "$DRYDOCK" run misled.sys $(with_addresses misled) --softgpu-commands --workload "./rude.so,how=$2" \
        --out result-misled
    echo "$output"
    [ "$status" -eq 1 ]
    jq -e '[.contract.breaches[].rule] == ["WORKLOAD"]' result-misled/report.json
}

@test "where a driver sends the device is not its client's doing" {
    run "$DRYDOCK" run $(with_addresses) --workload ./rude.so,how=stores
    [ "$status" -eq 0 ]
    run "$DRYDOCK" run $(with_addresses) --workload ./rude.so,how=stores-queued
    [ "$status" -eq 0 ]
    misleads submit.c stores 's/address_low = (ULONG)submit->DmaBufferVirtualAddress;/address_low = (ULONG)submit->DmaBufferVirtualAddress + 0x10000000 * !submit->Flags.Paging;/'
    misleads submit.c stores 's/address_high = (ULONG)(submit->DmaBufferVirtualAddress >> 32);/address_high = submit->Flags.Paging ? (ULONG)(submit->DmaBufferVirtualAddress >> 32) : 0;/'
    misleads queue.c stores-queued 's/address_high = (ULONG)(submit->DmaBufferVirtualAddress >> 32);/address_high = submit->Flags.Paging ? (ULONG)(submit->DmaBufferVirtualAddress >> 32) : 0;/'
    misleads queue.c stores-queued 's/fence_address_high = (ULONG)(.*>> 32);/fence_address_high = 0;/'
}

@test "commands that come before the GPU looks for them are no mistake" {
    run "$DRYDOCK" run $(with_addresses) --workload ./rude.so,how=mapped-late --out result-mapped
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"rude: state 3"* ]]
    jq -e '[.contract.breaches[].rule] == ["WORKLOAD"]' result-mapped/report.json
}

@test "what fails behind something that Drydock lacks is judged" {
    run "$DRYDOCK" run --workload ./rude.so,how=goes-on-lacking --out result-goes-on-lacking
    echo "$output"
    [ "$status" -eq 1 ]
    jq -e '[.contract.breaches[].rule] == ["WORKLOAD"]' result-goes-on-lacking/report.json
}

@test "a device that is lost comes before what its client asked for in vain" {
    for how in lost-refused lost-lacking; do
        run "$DRYDOCK" run --workload ./rude.so,how=$how --out result-$how
        echo "$output"
        [ "$status" -eq 1 ]
        jq -e '[.contract.breaches[].rule] == ["WORKLOAD"]' result-$how/report.json
    done
}

@test "every function of the header can be named by a client" {
    grep -o 'D3DKMT[A-Za-z0-9]*(' "$WDK/d3dkmthk.h" | tr -d '(' | sort -u > declared
    nm -D "$DRYDOCK" | sed -n 's/.* T \(D3DKMT.*\)/\1/p' | sort -u > defined
    [ "$(wc -l < declared)" -gt 150 ]
    run comm -23 declared defined
    echo "$output"
    [ -z "$output" ]
}

@test "a workload gets no threads but those of its host" {
    quiet ./bad.so,how=pthread
    if jq -e '.sandbox.system_calls | not' result-quiet/report.json; then
        skip "this kernel has no seccomp"
    fi
    [[ "$output" == *"pthread_create gives 1"* ]]
}

@test "a device that a short time-out took says nothing about the driver" {
    run "$DRYDOCK" run --workload pressure --duration 200ms --tdr-delay 500us --out result-tdr
    echo "$output"
    [ "$status" -eq 4 ]
    jq -e '.outcome == "inconclusive" and .contract.breaches == []' result-tdr/report.json
    jq -e '.message | test("the adapter was reset after a time-out of 500 us")' result-tdr/report.json
}
