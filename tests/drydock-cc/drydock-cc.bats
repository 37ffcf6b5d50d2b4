# drydock-cc as its users call it. DRYDOCK_CC is its path, DRYDOCK that of drydock.

setup() {
    dir=$(mktemp -d)
    cd "$dir"
    cat > entry.c <<'END'
#include <ntddk.h>
DRIVER_INITIALIZE DriverEntry;
NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path)
{
    return STATUS_SUCCESS;
}
END
}

teardown() {
    rm -rf "$dir"
}

# What the import table of $1 names.
imports_of() {
    llvm-readobj-19 --coff-imports "$1" | sed -n 's/^ *Symbol: \([^ ]*\).*/\1/p'
}

@test "builds a .sys from C" {
    run "$DRYDOCK_CC" -o foo.sys entry.c
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ "$(head -c 2 foo.sys)" = MZ ]
}

@test "the same sources make the same file" {
    "$DRYDOCK_CC" -o a.sys entry.c
    "$DRYDOCK_CC" -o b.sys entry.c
    cmp a.sys b.sys
}

@test "builds C++ with virtual functions, lambdas and exceptions of the structured kind" {
    cat > shape.cpp <<'END'
extern "C" {
#include <ntddk.h>
}
class Shape {
public:
    virtual int area() = 0;
    virtual ~Shape() {}
};
class Square : public Shape {
public:
    Square(int side) : m_side(side) {}
    int area() override { return m_side * m_side; }
    void operator delete(void *) {}
private:
    int m_side;
};
extern "C" DRIVER_INITIALIZE DriverEntry;
extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT, PUNICODE_STRING)
{
    Square square(3);
    Shape *shape = &square;
    auto twice = [shape]() { return 2 * shape->area(); };
    __try {
        return twice() == 18 ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
    } __except (EXCEPTION_EXECUTE_HANDLER) {
        return STATUS_UNSUCCESSFUL;
    }
}
END
    run "$DRYDOCK_CC" -o foo.sys shape.cpp
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "nothing is constructed where a driver's operator new has no memory" {
    cat > none.cpp <<'END'
extern "C" {
#include <ntddk.h>
}
struct Answer {
    NTSTATUS value;
    Answer() : value(STATUS_UNSUCCESSFUL) {}
};
static SIZE_T room;
void *operator new(size_t size, POOL_TYPE)
{
    return size <= room ? &room : nullptr;
}
extern "C" DRIVER_INITIALIZE DriverEntry;
extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT, PUNICODE_STRING)
{
    return new (PagedPool) Answer ? STATUS_UNSUCCESSFUL : STATUS_NO_MEMORY;
}
END
    "$DRYDOCK_CC" -o none.sys none.cpp
    run "$DRYDOCK" run none.sys --vary none
    echo "$output"
    [[ "$output" == *STATUS_NO_MEMORY* ]]
    [[ "$output" != *FAULT* ]]
}

@test "finds included files in any letter case and with backslashes" {
    mkdir -p Inc/Sub
    echo '#define ANSWER 42' > Inc/Sub/Answer.h
    echo '#define OTHER 1' > Local.H
    cat > user.c <<'END'
#include "sub\ANSWER.H"
#include "LOCAL.h"
#include <NTDDK.H>
int answer = ANSWER + OTHER;
END
    run "$DRYDOCK_CC" -o foo.sys -Iinc entry.c user.c -I Inc
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "makes the .tmh files and macros of the trace configuration" {
    cat > trace.h <<'END'
// begin_wpp config
// FUNC LogIt{LEVEL=TRACE_LEVEL_ERROR}(MSG, ...);
// FUNC TraceEvents(LEVEL, FLAGS, MSG, ...);
// USEPREFIX (Prefixed, "%!STDPREFIX!");
// Bare{FLAG = ANY_FLAG}(LEVEL, (MSG, ...));
// end_wpp
END
    cat > traced.c <<'END'
#include "trace.h"
#include "Traced.tmh"
void traced(int x)
{
    LogIt("x is %d", x);
    TraceEvents(TRACE_LEVEL_NONE, ANY_FLAG, "%!STATUS!", x);
    DoTraceMessage(ANY_FLAG, "hello");
    Prefixed("x");
    Bare(TRACE_LEVEL_NONE, ("%d", x));
}
END
    run "$DRYDOCK_CC" -o foo.sys entry.c traced.c
    echo "$output"
    [ "$status" -eq 0 ]
    ! imports_of foo.sys | grep -E 'LogIt|Trace|Prefixed|Bare'
}

@test "--wpp-config declares trace functions" {
    echo 'FUNC MyTrace(MSG, ...);' > my.ini
    printf '#include "a.tmh"\nvoid a(void) { MyTrace("x"); }\n' > a.c
    run "$DRYDOCK_CC" -o foo.sys --wpp-config my.ini entry.c a.c
    echo "$output"
    [ "$status" -eq 0 ]
    run "$DRYDOCK_CC" -o foo.sys entry.c a.c
    [ "$status" -eq 1 ]
}

@test "what nothing defines is imported, what the runtime has is not" {
    cat > user.c <<'END'
__declspec(dllimport) void KeSomethingUnheardOf(int);
__declspec(dllimport) void *memcpy(void *, const void *, unsigned long long);
unsigned long long strlen(const char *);
void user(char *to, const char *from) { memcpy(to, from, strlen(from)); KeSomethingUnheardOf(1); }
END
    "$DRYDOCK_CC" -o foo.sys entry.c user.c -Wl,/include:user
    imports_of foo.sys | grep -qx KeSomethingUnheardOf
    ! imports_of foo.sys | grep -E 'memcpy|strlen'
}

@test "a forgotten C++ function is an error, not an import" {
    cat > a.cpp <<'END'
void forgotten(int);
extern "C" void a() { forgotten(1); }
END
    run "$DRYDOCK_CC" -o foo.sys entry.c a.cpp -Wl,/include:a
    [ "$status" -eq 1 ]
    [[ "$output" == *"forgotten"* ]]
    [[ "$output" == *"drydock-cc: foo.sys was not linked"* ]]
    [ ! -e foo.sys ]
}

@test "errors end in one line that sums them up" {
    echo 'int broken(' > broken.c
    run "$DRYDOCK_CC" -o foo.sys entry.c broken.c
    [ "$status" -eq 1 ]
    [[ "$output" == *"broken.c:1:"* ]]
    [ "${lines[-1]}" = "drydock-cc: 1 of 2 sources did not compile" ]
}

@test "no DriverEntry" {
    echo 'int x;' > x.c
    run "$DRYDOCK_CC" -o foo.sys x.c
    [ "$status" -eq 1 ]
    [[ "$output" == "drydock-cc: no DriverEntry:"* ]]
}

@test "a missing tool is named with its Debian package" {
    DRYDOCK_LLVM=$dir run "$DRYDOCK_CC" -o foo.sys entry.c
    [ "$status" -eq 1 ]
    [ "$output" = "drydock-cc: clang-19 not found: install the Debian package clang-19" ]
    ln -s "$(command -v clang-19)" clang
    DRYDOCK_LLVM=$dir run "$DRYDOCK_CC" -o foo.sys entry.c
    [ "$output" = "drydock-cc: lld-link-19 not found: install the Debian package lld-19" ]
}

@test "bad usage is said plainly" {
    run "$DRYDOCK_CC" entry.c
    [ "$output" = "drydock-cc: say with -o what to make" ]
    run "$DRYDOCK_CC" -o foo.sys nothing.c
    [ "$output" = "drydock-cc: no file nothing.c" ]
    run "$DRYDOCK_CC" -o foo.sys entry.c --frobnicate
    [[ "$output" == "drydock-cc: unknown option --frobnicate"* ]]
    run "$DRYDOCK_CC" -o foo.sys entry.c --wddm 9.9
    [[ "$output" == "drydock-cc: --wddm 9.9:"* ]]
    run "$DRYDOCK_CC" --help
    [ "$status" -eq 0 ]
    [[ "$output" == *"drydock-cc -o foo.sys"* ]]
}

# Microsoft's compiler allows it; clang 19 breaks down over it with asynchronous exceptions.
@test "a goto past an initialisation in C++" {
    cat > jump.cpp <<'END'
#include <ntddk.h>
static NTSTATUS step(int number)
{
    return number > 2 ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS;
}
extern "C" NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT, PUNICODE_STRING)
{
    NTSTATUS status = step(1);
    if (!NT_SUCCESS(status)) {
        goto exit;
    }
    NTSTATUS last = step(0);
    status = last;
exit:
    return status;
}
END
    run "$DRYDOCK_CC" -o foo.sys jump.cpp
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(head -c 2 foo.sys)" = MZ ]
}

@test "headers of miniports that show a frame buffer, and of PCI bridges" {
    cat > modes.cpp <<'END'
#include <ntddk.h>
#include <winddi.h>
#include <ntddvdeo.h>
static_assert(sizeof(VIDEO_MODE_INFORMATION) == 80, "20 values");
static_assert(sizeof(PCI_COMMON_HEADER) == 64, "the same for all types");
static_assert(sizeof(_PCI_HEADER_TYPE_1) == 48 && sizeof(_PCI_HEADER_TYPE_2) == 48, "");
END
    run "$DRYDOCK_CC" -c modes.cpp
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "-std= is of its own language" {
    cat > newer.cpp <<'END'
template <typename T> concept whole = sizeof(T) == 4;
extern "C" int newer(void)
{
    return whole<int>;
}
END
    "$DRYDOCK_CC" -o foo.sys entry.c newer.cpp -std=c++20 -std=c11
}

@test "labels of a switch that do not fit its type" {
    cat > labels.cpp <<'END'
#include <ntddk.h>
enum { ONE = 0xA0000001, TWO = 0xA0000002 };
int which(LONG code)
{
    switch (code) {
    case ONE:
        return 1;
    case TWO:
        return 2;
    }
    return 0;
}
END
    run "$DRYDOCK_CC" -c labels.cpp
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a variable that a C header leaves without a value is one" {
    echo 'void *shared;' > shared.h
    printf '#include "shared.h"\nvoid **one(void) { return &shared; }\n' > one.c
    printf '#include "shared.h"\nvoid **two(void) { return &shared; }\n' > two.c
    run "$DRYDOCK_CC" -o foo.sys entry.c one.c two.c -Wl,/include:one -Wl,/include:two
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "headers that drivers include beside those of WDDM" {
    cat > beside.c <<'END'
#include <initguid.h>
#include <ntifs.h>
#include <aux_klib.h>
#include <dderror.h>
#include <devioctl.h>
#include <ntintsafe.h>
#include <TraceLoggingProvider.h>
#include <wdmguid.h>
#include <wdmsec.h>
#include <winapifamily.h>
C_ASSERT(sizeof(AUX_MODULE_EXTENDED_INFO) == 272 && sizeof(KBUGCHECK_DATA) == 40);
C_ASSERT(CTL_CODE(FILE_DEVICE_BATTERY, 1, METHOD_NEITHER, FILE_READ_ACCESS) == 0x294007);
C_ASSERT(ERROR_NO_MORE_DEVICES == 1248 && USHORT_MAX == 65535);
TRACELOGGING_DEFINE_PROVIDER(provider, "Mine", (1, 2, 3, (4, 5, 6, 7, 8, 9, 10, 11)));
NTSTATUS make(PDRIVER_OBJECT driver, PDEVICE_OBJECT *device)
{
    TraceLoggingWrite(provider, "Making", TraceLoggingLevel(5), TraceLoggingUInt32(1, "one"));
    return IoCreateDeviceSecure(driver, 0, NULL, FILE_DEVICE_UNKNOWN, FILE_DEVICE_SECURE_OPEN,
                                FALSE, &SDDL_DEVOBJ_SYS_ALL_ADM_ALL, &GUID_BUS_INTERFACE_STANDARD,
                                device);
}
END
    run "$DRYDOCK_CC" -o foo.sys entry.c beside.c -Wl,/include:make
    echo "$output"
    [ "$status" -eq 0 ]
    imports_of foo.sys | grep -qx WdmlibIoCreateDeviceSecure
    cp beside.c beside.cpp
    run "$DRYDOCK_CC" -c beside.cpp
    echo "$output"
    [ "$status" -eq 0 ]
    cat > versions.c <<'END'
#include <sdkddkver.h>
#include <sys/types.h>
#include <ntddk.h>
#include <wingdi.h>
C_ASSERT(NTDDI_WIN7 == 0x06010000 && OSVER(NTDDI_VISTASP1) == NTDDI_VISTA);
C_ASSERT(SPVER(NTDDI_VISTASP1) == 1 && _WIN32_WINNT >= _WIN32_WINNT_WIN8);
C_ASSERT(sizeof(off_t) == 4 && sizeof(dev_t) == 4 && sizeof(ino_t) == 2);
C_ASSERT(FIELD_OFFSET(RGNDATA, Buffer) == sizeof(RGNDATAHEADER) && sizeof(RGNDATAHEADER) == 32);
WCHAR first(PCWCHAR name) { return *name; }
END
    run "$DRYDOCK_CC" -c versions.c
    echo "$output"
    [ "$status" -eq 0 ]
    cat > recorder.c <<'END'
#include <ntddk.h>
#include <WppRecorder.h>
NTSTATUS copy(char *to) { return RtlStringCchCopyA(to, 4, "abc"); }
END
    run "$DRYDOCK_CC" -c recorder.c
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "fences that wdm.h declares, and the number of types of resources" {
    cat > fences.cpp <<'END'
#include <wdm.h>
extern "C" void fences(PCM_PARTIAL_RESOURCE_DESCRIPTOR resource)
{
    if (resource->Type < CmResourceTypeMaximum) {
        FastFence();
    }
    LoadFence();
    MemoryFence();
    StoreFence();
    SpeculationFence();
    CacheLineFlush(resource);
    _mm_mfence();
    _ReadWriteBarrier();
}
END
    sed 's/extern "C" //' fences.cpp > fences.c
    "$DRYDOCK_CC" -c fences.c
    sed -i 's/fences(P/others(P/' fences.cpp
    echo '#include <intrin.h>' >> fences.cpp
    "$DRYDOCK_CC" -o foo.sys entry.c fences.obj fences.cpp
    [ -z "$(imports_of foo.sys)" ]
}

@test "instructions that Microsoft's compiler has functions for, and codes of four characters" {
    cat > instructions.c <<'END'
#include <ntddk.h>
#include <dispmprt.h>
#include <ntddvdeo.h>
#include <intrin.h>
C_ASSERT(MAKEFOURCC('Y', 'U', 'Y', '2') == 0x32595559);
C_ASSERT(FIELD_OFFSET(VIDEO_POINTER_ATTRIBUTES, Pixels) == 24 && sizeof(VIDEO_POINTER_CAPABILITIES) == 20);
ULONG64 use(ULONG *words, ULONG64 *longer, USHORT *shorter, ULONG number)
{
    unsigned int processor;

    __stosd(words, 7, 8);
    __stosq(longer, 7, 8);
    __stosw(shorter, 7, 8);
    __movsd(words + 8, words, 8);
    __outdword(0x3D0, number);
    __outbytestring(0x3D0, (UCHAR *)words, 4);
    __writeeflags(__readeflags());
    __writecr4(__readcr4());
    __writedr(7, __readdr(6));
    __writemsr(number, __readmsr(number));
    __invlpg(words);
    __wbinvd();
    __sidt(words);
    _sgdt(words);
    __lidt(words);
    _lgdt(words);
    _writefsbase_u64(_readfsbase_u64());
    _writegsbase_u64(_readgsbase_u64());
    return __readcr0() + __readcr2() + __readcr3() + __inbyte(0x3D0) + __rdtscp(&processor);
}
END
    run "$DRYDOCK_CC" -c instructions.c
    echo "$output"
    [ "$status" -eq 0 ]
    cp instructions.c instructions.cpp
    run "$DRYDOCK_CC" -c instructions.cpp
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "--wddm sets the interface version" {
    cat > version.c <<'END'
#include <d3dkmddi.h>
_Static_assert(DXGKDDI_INTERFACE_VERSION == 0x5023, "WDDM 2.0");
END
    run "$DRYDOCK_CC" -c version.c --wddm 2.0
    echo "$output"
    [ "$status" -eq 0 ]
    [ -s version.obj ]
}

@test "-g leaves source lines for a debugger" {
    "$DRYDOCK_CC" -g -o foo.sys entry.c
    llvm-dwarfdump-19 --debug-line foo.sys | grep -q entry.c
}

@test "objects can be compiled apart and linked later" {
    "$DRYDOCK_CC" -c entry.c -o one.obj
    "$DRYDOCK_CC" -o foo.sys one.obj
    [ "$(head -c 2 foo.sys)" = MZ ]
}

@test "--depfile lists what the output depends on" {
    echo '#define X 1' > x.h
    printf '#include "x.h"\nint x = X;\n' > x.c
    "$DRYDOCK_CC" -o foo.sys --depfile foo.d entry.c x.c
    grep -q 'x\.h' foo.d
    head -1 foo.d | grep -q '^foo.sys:'
    ! grep -q drydock-cc- foo.d
}
