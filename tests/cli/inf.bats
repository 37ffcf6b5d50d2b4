#!/usr/bin/env bats
# --inf: what a driver's setup information file sets is what the driver finds. DRYDOCK is the
# executable, SOFTGPU_SYS the reference driver, which has settings.

load common

setup() {
    work_apart "$BATS_TEST_TMPDIR"
    cp "$SOFTGPU_SYS" foreign.sys
    cat > mine.inf <<'INF'
; A driver of the reference's kind.
[Version]
Signature = "$Windows NT$"
Class     = Display
ClassGuid = {4D36E968-E325-11CE-BFC1-08002BE10318}

[Manufacturer]
%Vendor% = Mine, NTx86, NTamd64.10.0

[Mine.NTx86]
"Another" = Other_Install, PCI\VEN_1234&DEV_0000

[Mine.NTamd64.10.0]
%Card% = Mine_Install, \    ; goes on
    PCI\VEN_1234&DEV_11E8

[Mine_Install.NT]
FeatureScore = F6
AddReg = Mine_Software, Mine_More
CopyFiles = @mine.sys

[Mine_Install.NT.HW]
AddReg = Mine_Hardware

[Mine_Install.NT.Services]
AddService = mineevents,,Events_Install
AddService = %Service%, 0x00000002, Mine_Service

[Mine_Service]
ServiceType = 1
AddReg = Mine_Settings

[Mine_Settings]
HKR,, WddmVersion, %REG_DWORD%, 0x1000
HKR, Parameters, "A ""quoted"", name", 0, "a ; b"

[Mine_Software]
HKR,, InstalledDisplayDrivers, %REG_MULTI_SZ%, one, "two, 100%%"
HKR,, Nothing, %REG_MULTI_SZ%
HKR,, Place, 0x20000, %12%\mine.sys
HKCU,, Theirs,, 1

[Mine_More]
HKLM, "SYSTEM\CurrentControlSet\Control\GraphicsDrivers", TdrLevel, 0x10001, 3
HKR,, Bytes, 1, 01,02,ff

[Mine_Hardware]
HKR,, OnTheDevice, 0x10001, 7

[Strings]
Vendor       = "Mine Ltd."
Card         = "The card"
Service      = "minegpu"
REG_DWORD    = 0x00010001
REG_MULTI_SZ = 0x00010000
INF
}

@test "--inf: the driver finds what it is installed with" {
    drydock info foreign.sys --json > without.json
    drydock info foreign.sys --inf mine.inf --json > with.json
    [ "$(jq .interface_version without.json)" != "$(jq .interface_version with.json)" ]
    jq -e '.interface_version == 4179' with.json # that of WDDM 1.0
    run drydock run foreign.sys --duration 10ms --parts 1 --inf mine.inf
    [ "$status" -eq 0 ]
    [ "$(grep -c 'mine.inf' <<< "$output")" -eq 1 ]
    [[ "$output" == *"mine.inf: 8 values of the model 'The card', service minegpu; left out: a value below HKCU"* ]]
}

@test "--inf: what the user says comes after it" {
    cat > mine.reg <<'REG'
[\Registry\Machine\System\CurrentControlSet\Services\minegpu]
"WddmVersion"=dword:00002000
REG
    drydock info foreign.sys --inf mine.inf --registry mine.reg --json > after.json
    jq -e '.interface_version == 20515' after.json # that of WDDM 2.0
    drydock info foreign.sys --inf mine.inf --service another --json > other.json
    drydock info foreign.sys --json > without.json
    [ "$(jq .interface_version other.json)" = "$(jq .interface_version without.json)" ]
}

@test "--inf: a number is decimal, whatever it begins with, unless it is hexadecimal" {
    sed 's/0x1000$/04096/' mine.inf > decimal.inf
    drydock info foreign.sys --inf decimal.inf --json | jq -e '.interface_version == 4179'
}

@test "--inf: UTF-16 and CRLF are read as well" {
    sed 's/$/\r/' mine.inf | iconv -t UTF-16LE > body
    printf '\xff\xfe' | cat - body > wide.inf
    drydock info foreign.sys --inf mine.inf --json > narrow.json
    drydock info foreign.sys --inf wide.inf --json > wide.json
    diff narrow.json wide.json
}

@test "--inf: a file that is none, or has nothing for x64, is said to be so" {
    run drydock run foreign.sys --inf no.inf
    [ "$status" -eq 2 ]
    [[ "$output" == *"no.inf"* ]]
    echo "[Strings]" > none.inf
    run drydock run foreign.sys --inf none.inf
    [ "$status" -eq 2 ]
    [[ "$output" == *"none.inf: no section [Version]"* ]]
    sed 's/NTamd64.10.0/NTarm64/' mine.inf > arm.inf
    run drydock run foreign.sys --inf arm.inf
    [ "$status" -eq 2 ]
    [[ "$output" == *"arm.inf: no model for x64"* ]]
    run drydock run foreign.sys --inf foreign.sys
    [ "$status" -eq 2 ]
}

@test "--inf: any bytes end as a sentence, or as values" {
    python3 - <<'PY'
import random
random.seed(1)
text = open("mine.inf", "rb").read()
for i in range(40):
    bad = bytearray(text)
    for _ in range(random.randrange(1, 60)):
        at = random.randrange(len(bad))
        bad[at] = random.choice(b'"%\\[],=;\n\0\xff@*') if random.random() < 0.7 else random.randrange(256)
    if i % 4 == 0:
        bad = bad[:random.randrange(len(bad))]
    open(f"bad-{i}.inf", "wb").write(bad)
PY
    for file in bad-*.inf; do
        run drydock info foreign.sys --inf "$file" --json
        [ "$status" -eq 0 ] || [ "$status" -eq 2 ]
    done
}

@test "--inf: what installs itself again and again has an end" {
    python3 - <<'PY'
text = open("mine.inf").read()
again = "AddReg = " + ", ".join(["Mine_Again"] * 32) + "\n"
text = text.replace("CopyFiles = @mine.sys\n", again * 5000)
values = "".join(f"HKR,, Value{i}, , %Long%%Long%%Long%\n" for i in range(100))
open("again.inf", "w").write(text.replace("[Strings]\n", "[Mine_Again]\n" + values + "[Strings]\nLong = \"" + "x" * 30000 + "\"\n"))
PY
    run timeout 60 drydock info foreign.sys --inf again.inf
    [ "$status" -eq 2 ]
    [[ "$output" == *"again.inf: installs more than"* ]]
}
