#!/usr/bin/env python3
"""Every driver header compiles alone, with all warnings, in the languages and for the targets that use it.

usage: compile_test.py WDK_FOLDER host|windows COMPILER_C COMPILER_CXX
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

WARN = ['-Wall', '-Wextra', '-Werror', '-Wundef', '-Wshadow', '-Wstrict-prototypes', '-Wcast-align',
        '-Wpointer-arith', '-Wwrite-strings', '-Wno-unused-parameter', '-fsyntax-only']
C_ONLY = {'-Wstrict-prototypes'}
TOGETHER = ['ntddk.h', 'ntifs.h', 'ntstrsafe.h', 'ntintsafe.h', 'dispmprt.h', 'd3dkmddi.h', 'd3dkmthk.h', 'WppRecorder.h']


def jobs(wdk, target, cc, cxx):
    own = sorted(f for f in os.listdir(wdk) if f.endswith('.h'))
    parts = ['wdm/' + f for f in sorted(os.listdir(os.path.join(wdk, 'wdm')))]
    headers = [h for h in own if not h.startswith(('pshpack', 'poppack'))]
    if target == 'windows':
        crt = sorted(os.listdir(os.path.join(wdk, 'crt')))
        headers += [h for h in crt if h.endswith('.h')]
        base = ['--target=x86_64-pc-windows-msvc', '-nostdinc', '-fms-extensions', '-fms-compatibility',
                '-isystem', os.path.join(wdk, 'crt')]
    else:
        headers += parts
        base = ['-fshort-wchar', '-mms-bitfields', '-fms-extensions', '-D_GNU_SOURCE']
    base += ['-I' + wdk]
    status = ['typedef int NTSTATUS;'] if target == 'host' else ['typedef long NTSTATUS;']
    for header in headers:
        text = status if header == 'ntstatus.h' else []
        lines = text + ['#include <%s>' % header] * 2 + ['int nothing;']
        yield 'C ' + header, [cc, '-std=gnu11'] + base + WARN, 'c', lines
    cxx_warn = [w for w in WARN if w not in C_ONLY]
    together = ['#include <%s>' % h for h in TOGETHER]
    for dbg in '0', '1':
        yield 'C++, DBG=%s' % dbg, [cxx, '-std=gnu++17', '-DDBG=' + dbg] + base + cxx_warn, 'c++', \
            ['extern "C" {'] + together + ['}']
        yield 'C, DBG=%s' % dbg, [cc, '-std=gnu11', '-DDBG=' + dbg] + base + WARN, 'c', together


def run(job):
    name, command, language, lines = job
    with tempfile.NamedTemporaryFile('w', suffix='.c', delete=False) as f:
        f.write('\n'.join(lines) + '\n')
    result = subprocess.run(command + ['-x', language, f.name], capture_output=True, text=True)
    os.unlink(f.name)
    return name, result.returncode, result.stderr


def main():
    wdk, target, cc, cxx = sys.argv[1:5]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, code, text in pool.map(run, jobs(wdk, target, cc, cxx)):
            if code:
                failed += 1
                print('%s:\n%s' % (name, '\n'.join(text.splitlines()[:12])))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
