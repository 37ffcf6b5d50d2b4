/* Writes a small valid driver image, field by field. */
#include "pe_image.h"

#include <string.h>

static const uint64_t preferred_base = 0x140000000ull;

void pe_put16(uint8_t *bytes, size_t offset, uint16_t value)
{
    memcpy(bytes + offset, &value, sizeof(value));
}

void pe_put32(uint8_t *bytes, size_t offset, uint32_t value)
{
    memcpy(bytes + offset, &value, sizeof(value));
}

void pe_put64(uint8_t *bytes, size_t offset, uint64_t value)
{
    memcpy(bytes + offset, &value, sizeof(value));
}

static void put_text(uint8_t *bytes, size_t offset, const char *string)
{
    memcpy(bytes + offset, string, strlen(string) + 1);
}

static void put_headers(uint8_t *bytes)
{
    uint8_t *optional = bytes + PE_OPTIONAL;

    put_text(bytes, 0, "MZ");
    pe_put32(bytes, 60, PE_HEADER);
    memcpy(bytes + PE_HEADER, "PE\0\0", 4);
    pe_put16(bytes, PE_HEADER + 4, 0x8664);
    pe_put16(bytes, PE_HEADER + 6, 4); /* sections */
    pe_put16(bytes, PE_HEADER + 20, 240);
    pe_put16(bytes, PE_HEADER + 22, 0x22);
    pe_put16(optional, 0, 0x20b);
    pe_put32(optional, 16, 0x1000); /* entry */
    pe_put64(optional, 24, preferred_base);
    pe_put32(optional, 32, 0x1000);
    pe_put32(optional, 36, 0x200);
    pe_put32(optional, 56, 0x5000); /* image */
    pe_put32(optional, 60, 0x400);  /* headers */
    pe_put16(optional, 68, 1);      /* native */
    pe_put32(optional, 108, 16);
}

static void put_directory(uint8_t *bytes, unsigned index, uint32_t rva, uint32_t size)
{
    pe_put32(bytes, PE_OPTIONAL + 112 + index * 8, rva);
    pe_put32(bytes, PE_OPTIONAL + 116 + index * 8, size);
}

static void put_section(uint8_t *bytes, unsigned index, const char *name, uint32_t rva,
                        uint32_t size, uint32_t raw, uint32_t raw_size, uint32_t flags)
{
    uint8_t *section = bytes + PE_SECTIONS + index * 40;

    memcpy(section, name, strlen(name));
    pe_put32(section, 8, size);
    pe_put32(section, 12, rva);
    pe_put32(section, 16, raw_size);
    pe_put32(section, 20, raw);
    pe_put32(section, 36, flags);
}

/* sub rsp, 40; call [slot]; mov eax, 7; add rsp, 40; ret */
static void put_code(uint8_t *bytes)
{
    static const uint8_t code[] = {0x48, 0x83, 0xec, 0x28, 0xff, 0x15, 0xb6, 0x10, 0,    0,
                                   0xb8, 7,    0,    0,    0,    0x48, 0x83, 0xc4, 0x28, 0xc3};

    memcpy(bytes + PE_TEXT_RAW, code, sizeof(code));
}

/* Import directory at 0x2000, names from 0x2040, look-up table 0x20a0, slots 0x20c0. */
static void put_imports(uint8_t *bytes)
{
    uint8_t *data = bytes + PE_DATA_RAW;

    pe_put32(data, 0, 0x20a0);
    pe_put32(data, 12, 0x2040);
    pe_put32(data, 16, 0x20c0);
    put_text(data, 0x40, "ntoskrnl.exe");
    put_text(data, 0x62, "HostFunction");
    pe_put64(data, 0xa0, 0x2060);
    pe_put64(data, 0xc0, 0x2060);
    put_directory(bytes, 1, 0x2000, 40);
}

/* Export directory at 0x2100 with one name. */
static void put_exports(uint8_t *bytes)
{
    uint8_t *data = bytes + PE_DATA_RAW + 0x100;

    pe_put32(data, 12, 0x2150);
    pe_put32(data, 20, 1); /* addresses */
    pe_put32(data, 24, 1); /* names */
    pe_put32(data, 28, 0x2130);
    pe_put32(data, 32, 0x2138);
    pe_put32(data, 36, 0x2140);
    pe_put32(data, 0x30, 0x1000);
    pe_put32(data, 0x38, 0x2160);
    put_text(data, 0x50, "tiny.sys");
    put_text(data, 0x60, "DriverEntry");
    put_directory(bytes, 0, 0x2100, 0x80);
}

/* Function table at 0x2200, its unwind data at 0x2210; load configuration at 0x2240. */
static void put_tables(uint8_t *bytes)
{
    uint8_t *data = bytes + PE_DATA_RAW + 0x200;

    pe_put32(data, 0, 0x1000);
    pe_put32(data, 4, 0x1014);
    pe_put32(data, 8, 0x2210);
    memcpy(data + 0x10, "\x01\x04\x01\x00\x04\x42\x00\x00", 8); /* alloc_small 40 */
    put_directory(bytes, 3, 0x2200, 12);
    pe_put32(data, 0x40, 112);
    pe_put64(data, 0x40 + 88, preferred_base + 0x3000);
    put_directory(bytes, 10, 0x2240, 112);
}

/* Relocations of the cookie's address and of a pointer in .data. */
static void put_relocations(uint8_t *bytes)
{
    uint8_t *data = bytes + PE_RELOC_RAW;

    pe_put64(bytes + PE_RW_RAW, 0, 0x2b992ddfa232ull);
    pe_put64(bytes + PE_RW_RAW, 8, preferred_base + 0x1000);
    pe_put32(data, 0, 0x2000);
    pe_put32(data, 4, 12);
    pe_put16(data, 8, 0xa000 | 0x298);
    pe_put32(data, 12, 0x3000);
    pe_put32(data, 16, 12);
    pe_put16(data, 20, 0xa000 | 8);
    put_directory(bytes, 5, 0x4000, 24);
}

void pe_image_make(uint8_t *bytes)
{
    memset(bytes, 0, PE_IMAGE_SIZE);
    put_headers(bytes);
    put_section(bytes, 0, ".text", 0x1000, 0x14, PE_TEXT_RAW, 0x200, 0x60000020);
    put_section(bytes, 1, ".rdata", 0x2000, 0x300, PE_DATA_RAW, 0x400, 0x40000040);
    put_section(bytes, 2, ".data", 0x3000, 0x100, PE_RW_RAW, 0x200, 0xc0000040);
    put_section(bytes, 3, ".reloc", 0x4000, 0x40, PE_RELOC_RAW, 0x200, 0x42000040);
    put_code(bytes);
    put_imports(bytes);
    put_exports(bytes);
    put_tables(bytes);
    put_relocations(bytes);
}
