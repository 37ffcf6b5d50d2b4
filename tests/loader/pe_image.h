/* A small valid PE32+ driver image, built in memory for the tests and as a seed for fuzzing. */
#ifndef TESTS_LOADER_PE_IMAGE_H
#define TESTS_LOADER_PE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

enum {
    PE_IMAGE_SIZE = 0xe00,
    PE_HEADER = 0x80, /* offset of "PE\0\0" */
    PE_OPTIONAL = PE_HEADER + 24,
    PE_SECTIONS = PE_OPTIONAL + 240,
    PE_TEXT_RAW = 0x400,  /* .text: code at 0x1000 */
    PE_DATA_RAW = 0x600,  /* .rdata: imports, exports, unwind data, load configuration at 0x2000 */
    PE_RW_RAW = 0xa00,    /* .data: the cookie and a pointer at 0x3000 */
    PE_RELOC_RAW = 0xc00, /* .reloc at 0x4000 */
};

/* Fills in all PE_IMAGE_SIZE bytes. DriverEntry returns 7; its import is
 * "ntoskrnl.exe!HostFunction". */
void pe_image_make(uint8_t *bytes);

void pe_put16(uint8_t *bytes, size_t offset, uint16_t value);
void pe_put32(uint8_t *bytes, size_t offset, uint32_t value);
void pe_put64(uint8_t *bytes, size_t offset, uint64_t value);

#endif
