/* Versions, sizes and first versions, from the generated rows. */
#include "abi/abi.h"

#include "base/check.h"

static const struct abi_version_info versions[ABI_VERSION_COUNT] = {
#define X(version_name, interface, wddm) [ABI_##version_name] = {#version_name, interface, wddm},
    ABI_VERSIONS(X)
#undef X
};

static const uint32_t sizes[ABI_STRUCTURE_COUNT][ABI_VERSION_COUNT] = {
#define X(name, ...) [ABI_SIZE_OF_##name] = {__VA_ARGS__},
    ABI_STRUCTURES(X)
#undef X
};

const struct abi_version_info *abi_version_info(enum abi_version version)
{
    CHECK_THAT(version < ABI_VERSION_COUNT);
    return &versions[version];
}

enum abi_version abi_version_of(unsigned interface_version)
{
    enum abi_version version = 0;

    while (version < ABI_VERSION_COUNT &&
           versions[version].interface_version != interface_version) {
        version++;
    }
    return version;
}

size_t abi_size(enum abi_structure structure, enum abi_version version)
{
    CHECK_THAT(structure < ABI_STRUCTURE_COUNT && version < ABI_VERSION_COUNT);
    return sizes[structure][version];
}

bool abi_has_interrupt(DXGK_INTERRUPT_TYPE type, enum abi_version version)
{
    switch (type) {
#define X(name, since) \
    case name:         \
        return version >= ABI_##since;
        ABI_INTERRUPTS(X)
#undef X
    default:
        return false;
    }
}
