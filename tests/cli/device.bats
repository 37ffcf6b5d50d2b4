#!/usr/bin/env bats
# Device models as plug-ins: the examples with their driver and client, and models that misbehave.
# DRYDOCK and DRYDOCK_CC are the executables, EXAMPLES and DEVICES folders of sources, INCLUDE the
# headers, SOFTGPU_DEVICE the built-in device as a library.

# As README.md of the examples says.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit 1
    local abi="-mms-bitfields -fshort-wchar -fms-extensions -I$INCLUDE/wdk"
    cc -shared -fPIC -Wall -Werror -I"$INCLUDE" -o doorbell.so "$EXAMPLES/device-doorbell/doorbell.c"
    c++ -std=c++17 -shared -fPIC -Wall -Wextra -Werror -I"$INCLUDE" -o ports.so \
        "$EXAMPLES/device-ports/ports.cpp"
    cc -shared -fPIC -Wall -Werror $abi -I"$INCLUDE" -o client.so "$EXAMPLES/driver-doorbell/client.c"
    "$DRYDOCK_CC" -o doorbell.sys "$EXAMPLES/driver-doorbell/driver.c"
    "$DRYDOCK_CC" -o instructions.sys "$DEVICES/instructions.c"
    cc -shared -fPIC -Wall -Werror -I"$INCLUDE" -o bad.so "$DEVICES/bad.c"
    cc -shared -fPIC -Wall -DWRONG_ABI=99 -I"$INCLUDE" -o old.so "$DEVICES/bad.c"
    cc -shared -fPIC -Wall -DNO_SYMBOL -I"$INCLUDE" -o nothing.so "$DEVICES/bad.c"
    cp "$SOFTGPU_DEVICE" softgpu_device.so
}

setup() {
    work_apart "$BATS_FILE_TMPDIR"
}

# The doorbell driver on a device: doorbell DEVICE [options]
doorbell() {
    drydock run doorbell.sys --device "$1" --workload ./client.so "${@:2}"
}

# One line, and the status of a usage error: refused WORDS ARGUMENT...
refused() {
    run drydock run --workload desktop --duration 20ms "${@:2}"
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"$1"* ]]
    [ "$(printf '%s\n' "$output" | grep -c -- "$1")" -eq 1 ]
}

# A fault of the model: faulty HOW WORDS [options]
faulty() {
    run doorbell "./bad.so,how=$1" --out "result-$1" "${@:3}"
    echo "$output"
    [ "$status" -eq 5 ]
    [[ "$output" == *"device model ./bad.so: "*"$2"* ]]
    jq -e '.outcome == "device_fault" and (.contract.breaches | length) == 0' "result-$1/report.json"
}

@test "a driver works on a plug-in with registers, by line and by message" {
    for messages in "" --messages; do
        run doorbell ./doorbell.so,delay_us=5 $messages --out doorbell
        echo "$output"
        [ "$status" -eq 0 ]
        jq -e '.outcome == "pass" and all(.contract.breaches[]; .weight == "advice")' \
            doorbell/report.json
        jq -e '.fences.submitted >= 20 and .fences.completed == .fences.submitted' \
            doorbell/report.json
        jq -e '.counters.doorbell.words_checked > 1000' doorbell/report.json
    done
}

@test "a device that takes addresses at a vertical sync is looked at behind it" {
    run "$DRYDOCK" run --device latch=1 --workload modes --vary none --out latch
    echo "$output"
    [ "$status" -eq 0 ]
    jq -e '.contract.breaches == [] and .present.flips > 10' latch/report.json
    printf '[%s]\n"WddmVersion"=dword:00003000\n"OverlayPlanes"=dword:00000003\n"VideoSources"=dword:00000002\n' \
        '\Registry\Machine\System\CurrentControlSet\Services\softgpu' > planes.reg
    for workload in planes modes; do
        run "$DRYDOCK" run --device latch=1,outputs=2 --registry planes.reg --workload "$workload" --vary stop-screen \
            --out "$workload"
        echo "$output"
        [ "$status" -eq 0 ]
        jq -e '.contract.breaches == [] and (.stop_screens | length) == 1' "$workload/report.json"
    done
}

@test "the watchdog looks while the device answers a plain instruction, and nothing is lost" {
    mkdir -p plain/driver plain/device-doorbell
    cp "$EXAMPLES"/device-doorbell/*.h plain/device-doorbell
    # Each read is a fault, in whose handler the model's code runs; there are hundreds of looks in them.
    sed 's/READ_REGISTER_ULONG(place)/*(volatile ULONG *)place/
         s/^ *adapter->memory_bytes = \(read_register(.*)\);$/for (ULONG i = 0; i < 200000; i++) { adapter->memory_bytes = \1; }/' \
        "$EXAMPLES/driver-doorbell/driver.c" > plain/driver/driver.c
    grep -q 'i < 200000' plain/driver/driver.c
    "$DRYDOCK_CC" -o plain.sys plain/driver/driver.c
    run drydock run plain.sys --device ./doorbell.so --workload ./client.so --parts 1 --watchdog-ms 40
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "the same driver works on a C++ plug-in with ports and a line" {
    run doorbell ./ports.so,memory_mb=2 --out ports
    echo "$output"
    [ "$status" -eq 0 ]
    jq -e '.outcome == "pass" and .fences.submitted >= 20' ports/report.json
    jq -e '.counters.doorbell.words_checked > 1000' ports/report.json
}

@test "a driver that registers one version has one line, with that version" {
    drydock versions doorbell.sys --device ./doorbell.so --workload ./client.so --json > versions.json
    jq -e '[.versions[] | [.version, .interface, .outcome]] == [["2.6", "WDDM2_6", "pass"]]' versions.json
}

@test "in and out instructions reach a device's ports" {
    run drydock run instructions.sys --device ./ports.so --workload ./client.so --out instructions
    echo "$output"
    [ "$status" -eq 0 ]
    jq -e '.outcome == "pass" and .fences.submitted >= 20' instructions/report.json
}

@test "the driver pages what does not fit into the model's memory" {
    run drydock run doorbell.sys --device ./doorbell.so,memory_mb=1 \
        --workload ./client.so,buffers=40,rounds=100 --out paging
    echo "$output"
    [ "$status" -eq 0 ]
    jq -e '.memory.paged_out > 0 and .memory.paged_in > 0 and .memory.lost == 0' paging/report.json
}

# Its commands are dropped, and a request to stop is answered at once: the packet never ends.
@test "what a device says of work that it dropped is told, though it stops when asked" {
    mkdir -p dropping
    perl -0pe 's/engine_raise\(&doorbell->engine, DOORBELL_STATUS_ERROR\);\s*return;/
        doorbell->engine.bus->operations->log(doorbell->engine.bus, "there is no such command");
        engine_completed(&doorbell->engine);
        return;/' "$EXAMPLES/device-doorbell/doorbell.c" > dropping/doorbell.c
    sed 's/command->opcode = DOORBELL_COPY;/command->opcode = DOORBELL_COPY + 7;/' \
        "$EXAMPLES/driver-doorbell/driver.c" > dropping/driver.c
    cc -shared -fPIC -Wall -Werror -I"$INCLUDE" -I"$EXAMPLES/device-doorbell" -o dropping.so dropping/doorbell.c
    "$DRYDOCK_CC" -o dropping.sys dropping/driver.c -I"$EXAMPLES/driver-doorbell"
    run drydock run dropping.sys --device ./dropping.so,memory_mb=1 --vary none \
        --workload ./client.so,buffers=40,rounds=100 --out dropping
    echo "$output"
    [ "$status" -eq 1 ]
    jq -e '[.contract.breaches[].rule] | index("ENGINE") != null and index("SUBMIT-045") == null' \
        dropping/report.json
    [[ "$output" == *"the device: there is no such command"* ]]
}

@test "a run with plug-ins has one digest for a seed" {
    for device in ./doorbell.so ./ports.so; do
        one=$(doorbell $device --seed 3 --json | jq -r .digest)
        again=$(doorbell $device --seed 3 --json | jq -r .digest)
        other=$(doorbell $device --seed 4 --json | jq -r .digest)
        [ "$one" = "$again" ]
        [ "$one" != "$other" ]
    done
}

@test "the built-in device is the same as a library" {
    short="--workload desktop --duration 20ms --json"
    one=$(drydock run $short --device vram_mb=32 | jq -r .digest)
    two=$(drydock run $short --device softgpu,vram_mb=32 | jq -r .digest)
    three=$(drydock run $short --device ./softgpu_device.so,vram_mb=32 | jq -r .digest)
    [ "$one" = "$two" ]
    [ "$one" = "$three" ]
}

@test "a workload takes options" {
    doorbell ./doorbell.so --json > default.json
    drydock run doorbell.sys --device ./doorbell.so --workload ./client.so,rounds=3 --json > three.json
    [ "$(jq .fences.submitted three.json)" -lt "$(jq .fences.submitted default.json)" ]
    refused 'rounds=0: wanted is a number' --workload ./client.so,rounds=0
    refused 'there is no option "frames"; there is none' --workload modes,frames=3
}

@test "the desktop compares one frame in so many, and lets so many windows move" {
    short="--vary none --duration 200ms --json"
    drydock run $short --workload desktop > all.json
    drydock run $short --workload desktop,every=4,moving=1 > some.json
    [ "$(jq .counters.desktop.frames_compared all.json)" = "$(jq .present.frames all.json)" ]
    [ "$(jq .counters.desktop.frames_compared some.json)" -le "$(($(jq .present.frames some.json) / 3))" ]
    [ "$(jq .counters.desktop.frames_compared some.json)" -ge 2 ]
    [ "$(jq .fences.submitted some.json)" -lt "$(($(jq .fences.submitted all.json) * 2 / 3))" ]
    refused 'moving=9: wanted is a number' --workload desktop,moving=9
}

@test "a workload may be C++" {
    cat > note.cpp <<'CPP'
#include <drydock/workload.h>

static void run(const drydock_workload_host *host)
{
    host->note(host, "hello from %s", "C++");
}

DRYDOCK_WORKLOAD_EXPORT const drydock_workload drydock_workload = {
    DRYDOCK_WORKLOAD_ABI, "note", "says hello", run, nullptr};
CPP
    c++ -shared -fPIC -Wall -Wextra -Werror -I"$INCLUDE" -o note.so note.cpp
    run drydock run doorbell.sys --device ./doorbell.so --workload ./note.so
    echo "$output"
    [[ "$output" == *"note: hello from C++"* ]]
}

@test "a plug-in that is none is refused in one line" {
    echo words > text.so
    refused "No such file" --device ./missing.so
    refused "text.so: file too short" --device ./text.so
    refused "drydock_device" --device ./nothing.so
    refused "version 99 of drydock/device.h, this Drydock has 2" --device ./old.so
    refused "no such device; there is softgpu" --device toaster
    refused 'there is no option "wings"; there are memory_mb, delay_us' --device ./doorbell.so,wings=2
    refused "memory_mb=65: wanted is a number from 1 to 64" --device ./doorbell.so,memory_mb=65
    refused "BAR 2 has size 3145728" --device ./doorbell.so,memory_mb=3
    refused '"wings" is not key=value' --device softgpu,wings
    refused 'there is no option "wings"' --device wings=1
}

@test "a model that describes what cannot be is refused" {
    refused "BAR 0 has size 5000" --device ./bad.so,how=bar
    refused "overlaps another" --device ./bad.so,how=capabilities
    refused "did not say why" --device ./bad.so,how=silent
}

@test "a fault in a model is the model's, with its place" {
    faulty fault "access violation (0xc0000005) writing 0x8 at bad.so+0x"
    faulty library "reading 0x10 at " # in code of the C library
    faulty jump "executing 0x1000"
    faulty create-fault "writing 0x8 at bad.so+0x"
    faulty overrun "100 bytes behind the end of its BAR 2 at bad.so+0x"
}

@test "a model that gives up, aborts, leaves or hangs is told so" {
    faulty message "it raises message 77; it has 1"
    faulty give-up "its clock tree is on fire"
    faulty abort "it called abort()"
    faulty exit "it called exit()"
    faulty loop "it ran too long without returning, at bad.so+0x" --watchdog-ms 200
}

@test "a driver draws where firmware lit a virtio-gpu, and one for other hardware is told what is there" {
    cc -shared -fPIC -Wall -Wextra -Werror -I"$INCLUDE" -o virtio-gpu.so \
        "$EXAMPLES"/device-virtio-gpu/*.c
    "$DRYDOCK_CC" -o framebuffer.sys "$EXAMPLES"/../drivers/framebuffer/*.c
    run drydock run framebuffer.sys --device ./virtio-gpu.so,vga=1 --vary none --out lit
    echo "$output"
    [ "$status" -eq 0 ]
    jq -e '.present.frames > 10 and .present.wrong_pixels == 0' lit/report.json
    run drydock info --device ./virtio-gpu.so
    echo "$output"
    [ "$status" -ne 0 ]
    [[ "$output" == *"DxgkDdiStartDevice failed with "*"; the device is virtio-gpu"* ]]
}

@test "a driver draws where firmware lit a frame buffer, Bochs' too, with a gap behind each row" {
    "$DRYDOCK_CC" -o framebuffer.sys "$EXAMPLES"/../drivers/framebuffer/*.c
    for model in bochs lit; do
        cc -shared -fPIC -Wall -Wextra -Werror -I"$INCLUDE" -o $model.so \
            "$EXAMPLES"/device-$model/*.c
        for options in "--vary none" "--vary wide-rows,sleep,second-start --seed 2"; do
            run drydock run framebuffer.sys --device ./$model.so,width=800,height=600 $options \
                --out $model
            echo "$output"
            [ "$status" -eq 0 ]
            jq -e '.present.frames > 10 and .present.wrong_pixels == 0' $model/report.json
        done
    done
}

# methods.sys on platform.so, both with the same name: told_of [-DFIRMWARE_ID=...]
told_of() {
    cc -shared -fPIC -Wall -Wextra -Werror -I"$INCLUDE" "$@" -o platform.so "$DEVICES/platform.c"
    "$DRYDOCK_CC" "$@" -o methods.sys "$DRIVERS/methods.c"
    run drydock run methods.sys --device ./platform.so --verbose --vary none --out methods
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" != *"wrong:"* ]]
    [[ "$output" == *"driver: checks 32, wrong 0"* ]]
    jq -e '(.contract.breaches | length) == 0' methods/report.json
}

@test "a device that firmware tells of has lines and methods, and no configuration space" {
    told_of
}

@test "a device that firmware tells of has the name that its model gives" {
    told_of '-DFIRMWARE_ID="ABCD0D17"'
    told_of '-DFIRMWARE_ID="XYZ000F"'
    for name in XYZ00 abcd0D17 'AB\\D0017' ABCD0D1G ABCDEFGH0001; do
        cc -shared -fPIC -I"$INCLUDE" "-DFIRMWARE_ID=\"$name\"" -o platform.so "$DEVICES/platform.c"
        refused "and not as XYZ0001 or ABCD0D17 are" --device ./platform.so
    done
}

@test "a device that lies of where it goes by itself is told so, and no driver" {
    mkdir -p lying/driver lying/device-doorbell
    cp "$EXAMPLES"/device-doorbell/*.h lying/device-doorbell
    sed 's/^        adapter->started = TRUE;/&\n        PHYSICAL_ADDRESS most = {.QuadPart = -1};\n        PVOID ring = MmAllocateContiguousMemory(4096, most);\n        if (ring) MmFreeContiguousMemory(ring);/' \
        "$EXAMPLES/driver-doorbell/driver.c" > lying/driver/driver.c
    "$DRYDOCK_CC" -o doorbell.sys lying/driver/driver.c
    faulty goes-everywhere "goes_to() says that it goes to 0x8000000000000 by itself, where no memory is" --vary none
    faulty goes-behind "goes_to() writes behind the 128 bytes of its text" --vary none
    # Whether it goes there nobody else knows.
    run doorbell ./bad.so,how=goes-unended --vary none --out unended
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"frees memory that the device goes to by itself: xxxxx"* ]]
}

@test "DMA to nowhere is told as a bus fault" {
    run doorbell ./bad.so,how=dma --out dma --time-limit 10ms
    echo "$output"
    jq -e '.notes | any(test("bus fault: the device reads 64 bytes at physical 0x4000000000000"))' \
        dma/report.json
}

@test "the examples pass under all variations" {
    for seed in 1 2 3; do
        for device in ./doorbell.so "./ports.so,delay_us=5" "./doorbell.so --messages"; do
            run doorbell $device --vary all --seed $seed
            echo "$output"
            [ "$status" -eq 0 ]
        done
    done
}

# It believes that each message has its engine, and the last one the rest.
@test "fewer messages are granted than the device offers where shared-line is on" {
    changed granted.sys interrupt.c \
        -e '/^BOOLEAN NTAPI softgpu_interrupt_routine/,/^}/{
            s/UNREFERENCED_PARAMETER(message_number);/softgpu_write(adapter, SOFTGPU_REG_INTERRUPT_MESSAGES, SOFTGPU_MESSAGES_ALL);/
            s/^    status &= adapter->interrupt_enable;/&\n    status \&= message_number < SOFTGPU_ENGINE_COUNT ? 0xFu << message_number * 4 : ~0xFFFu;/}'
    run "$DRYDOCK" run granted.sys --messages --workload desktop --duration 20ms --vary none
    echo "$output"
    [ "$status" -eq 0 ]
    # Its routine hears of the vertical sync by another message, and says that it is not its own.
    run "$DRYDOCK" run granted.sys --messages --workload desktop --duration 20ms --time-limit 7s \
        --vary shared-line --seed 3 --out granted
    echo "$output"
    [ "$status" -eq 1 ]
    jq -e '[.contract.breaches[].rule] | any(. == "SHOW-007" or . == "INTERRUPT")' granted/report.json
    run "$DRYDOCK" run --messages --workload desktop --duration 20ms --vary shared-line --seed 3
    echo "$output"
    [ "$status" -eq 0 ]
}
