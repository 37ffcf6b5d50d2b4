/* What stands at the places of a patch list, and what is odd of it: of addresses of 64 bits, and of
 * 32, behind which comes something else. And faults of nobody's as a clue of what hangs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dxgk/clue.h"
#include "dxgk/page_fault.h"
#include "dxgk/work.h"

#define PLACES 8u
#define WORDS  4u /* of a command: its number, an address, and what comes behind */
#define BASE   0x123000u
#define OFFSET 0x40u

static struct dxgk_adapter adapter;
static uint32_t commands[PLACES * WORDS];
static uint32_t upper; /* half of the allocation's address */

/* Patch leaves this at each place, and `odd` at the last. */
static void patch(bool wide, uint32_t right, uint32_t odd)
{
    static D3DDDI_PATCHLOCATIONLIST patches[PLACES];
    static struct vidmm_dma_buffer buffer;
    DXGK_ALLOCATIONLIST allocation = {.SegmentId = 1,
                                      .PhysicalAddress.QuadPart = (int64_t)upper << 32 | BASE};
    struct dxgk_dma dma = {.buffer = &buffer,
                           .size = sizeof commands,
                           .allocations = &allocation,
                           .allocation_count = 1,
                           .patches = patches,
                           .patch_count = PLACES};
    struct dxgk_packet packet = {.adapter = &adapter, .dma = &dma};

    for (unsigned i = 0; i < PLACES; i++) {
        uint32_t *command = &commands[i * WORDS];
        command[1] = i + 1 < PLACES ? right : odd;
        command[2] = wide ? upper : 256; /* the address's upper half, or a pitch */
        patches[i] = (D3DDDI_PATCHLOCATIONLIST){.AllocationOffset = OFFSET,
                                                .PatchOffset = (i * WORDS + 1) * sizeof *commands};
    }
    buffer.bytes = (void *)commands;
    packet.patched.patch_count = PLACES;
    dxgk_clue_patched(&packet);
}

static struct ddi_driver driver;

static int start(void **state)
{
    memset(&adapter, 0, sizeof adapter);
    upper = 0;
    return 0;
}

static void right_addresses_are_no_clue(void **state)
{
    patch(true, BASE + OFFSET, BASE + OFFSET);
    assert_null(dxgk_adapter_clue(&adapter, false));
}

static void right_addresses_of_32_bits_are_no_clue(void **state)
{
    patch(false, BASE + OFFSET, BASE + OFFSET);
    assert_null(dxgk_adapter_clue(&adapter, false));
}

static void an_address_without_its_offset_is_one(void **state)
{
    patch(true, BASE + OFFSET, BASE);
    assert_non_null(strstr(dxgk_adapter_clue(&adapter, false), "without AllocationOffset 0x40"));
}

static void so_is_one_of_32_bits(void **state)
{
    patch(false, BASE + OFFSET, BASE);
    assert_non_null(strstr(dxgk_adapter_clue(&adapter, false), "without AllocationOffset 0x40"));
}

static void who_seemed_to_write_32_bits_may_write_64(void **state)
{
    patch(false, BASE + OFFSET, BASE + OFFSET);
    upper = 1;
    patch(true, BASE + OFFSET, BASE + OFFSET);
    assert_null(dxgk_adapter_clue(&adapter, false));
    assert_int_equal(adapter.clue.wide, PLACES);
    upper = 0;
    patch(true, BASE + OFFSET, BASE + OFFSET);
    assert_null(dxgk_adapter_clue(&adapter, false));
    patch(false, BASE + OFFSET, BASE + OFFSET); /* with something in the upper half */
    assert_non_null(strstr(dxgk_adapter_clue(&adapter, false), "has address 0x10000123040"));
}

/* What a driver makes of addresses that are never plain is its own. */
static void addresses_in_another_form_are_no_clue(void **state)
{
    patch(false, (BASE + OFFSET) >> 4, BASE >> 4);
    assert_null(dxgk_adapter_clue(&adapter, false));
}

/* What Render made of an empty command has no address; commands with an allocation have one. */
static void nothing_needs_no_patch(void **state)
{
    static struct vidmm_dma_buffer buffer;
    struct dxgk_dma dma = {.buffer = &buffer, .size = sizeof commands, .allocation_count = 1};
    struct dxgk_context context = {.node = 0};
    struct dxgk_packet packet = {.adapter = &adapter, .dma = &dma, .context = &context};

    adapter.ddi.driver = &driver;
    driver.has[POINT_Patch] = true;
    dxgk_clue_produced(&packet);
    assert_null(dxgk_adapter_clue(&adapter, false));
    packet.end = WORDS * sizeof *commands;
    dxgk_clue_produced(&packet);
    assert_non_null(strstr(dxgk_adapter_clue(&adapter, false), "RENDER-013"));
}

static void a_list_has_what_is_not_accessed_physically(void **state)
{
    struct dxgk_allocation allocation = {.adapter = &adapter,
                                         .info = {.Size = 0x3000, .SupportedWriteSegmentSet = 2}};

    dxgk_clue_not_in_list(&allocation, 3);
    const char *said = dxgk_adapter_clue(&adapter, false);
    assert_non_null(said);
    assert_non_null(strstr(said, "AccessedPhysically 0 of an allocation of 0x3000 bytes"));
    assert_non_null(strstr(said, "element 3"));
}

#define WINDOW_NS (60 * NS_PER_S)

/* Three on the node, at time 0. */
static void faults_of_nobody(unsigned node)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType = DXGK_INTERRUPT_DMA_PAGE_FAULTED};

    data.DmaPageFaulted.NodeOrdinal = node;
    data.DmaPageFaulted.PageFaultFlags = DXGK_PAGE_FAULT_FENCE_INVALID;
    for (unsigned i = 0; i < 3; i++) {
        dxgk_fault_of_packet(&adapter, &data);
    }
}

static int start_nodes(void **state)
{
    memset(&adapter, 0, sizeof adapter);
    adapter.node_count = 2;
    adapter.vidsch.config.reset_window_ns = WINDOW_NS;
    return 0;
}

static bool tells_of(unsigned hung, const char *node)
{
    char text[256];

    dxgk_nameless_text(&adapter, hung, text, sizeof text);
    return node ? strstr(text, node) != NULL : text[0] == '\0';
}

static void the_node_that_hangs_is_told_of_first(void **state)
{
    assert_true(tells_of(1, NULL));
    faults_of_nobody(0);
    assert_true(tells_of(1, "node 0 told of 3 DMA_PAGE_FAULTED"));
    faults_of_nobody(1);
    assert_true(tells_of(0, "node 0 told of 3 DMA_PAGE_FAULTED"));
    assert_true(tells_of(1, "node 1 told of 3 DMA_PAGE_FAULTED"));
}

static void faults_of_long_ago_are_no_clue(void **state)
{
    faults_of_nobody(0);
    adapter.engines[0].nameless_ns -= WINDOW_NS; /* time stands here */
    assert_true(tells_of(0, "node 0 told of 3 DMA_PAGE_FAULTED"));
    adapter.engines[0].nameless_ns--;
    assert_true(tells_of(0, NULL));
    assert_true(tells_of(1, NULL));
    faults_of_nobody(0);
    assert_true(tells_of(0, "node 0 told of 3 DMA_PAGE_FAULTED"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(right_addresses_are_no_clue, start),
        cmocka_unit_test_setup(right_addresses_of_32_bits_are_no_clue, start),
        cmocka_unit_test_setup(an_address_without_its_offset_is_one, start),
        cmocka_unit_test_setup(so_is_one_of_32_bits, start),
        cmocka_unit_test_setup(who_seemed_to_write_32_bits_may_write_64, start),
        cmocka_unit_test_setup(addresses_in_another_form_are_no_clue, start),
        cmocka_unit_test_setup(nothing_needs_no_patch, start),
        cmocka_unit_test_setup(a_list_has_what_is_not_accessed_physically, start),
        cmocka_unit_test_setup(the_node_that_hangs_is_told_of_first, start_nodes),
        cmocka_unit_test_setup(faults_of_long_ago_are_no_clue, start_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
