#!/bin/sh
# Code of d3dkmt that follows a client's pointer does not compile.
# client_pointers.sh SOURCE_ROOT BUILD_ROOT
set -eu

root=$1
build=$2
run() {
    clang-19 -std=gnu11 -fsyntax-only -Wno-everything -Wnoderef -Werror=noderef \
        -mms-bitfields -fshort-wchar -fms-extensions -D_GNU_SOURCE "$@" \
        -I"$root/src" -I"$root/include" -I"$root/include/wdk" -I"$build/src" \
        "$root/tests/d3dkmt/follows_pointer.c"
}
run
if message=$(run -DFOLLOW 2>&1); then
    echo "a client's pointer was followed, and that compiled"
    exit 1
fi
echo "$message" | grep -q noderef
