/* Paging: what BuildPagingBuffer writes, the software GPU does, and the bytes are there. */
#include "kernel.h"

#define VRAM_PLACE 0x200000ull

static void fill_page(uint8_t *page, unsigned seed)
{
    uint64_t state = seed + 1;
    for (unsigned i = 0; i < 4096; i++)
        page[i] = (uint8_t)next_random(&state);
}

static DXGKARG_BUILDPAGINGBUFFER page_in(MDL *mdl, ULONG first_page, SIZE_T bytes, uint64_t place,
                                         UINT offset)
{
    DXGKARG_BUILDPAGINGBUFFER paging = {.Operation = DXGK_OPERATION_TRANSFER};
    paging.Transfer.TransferSize = bytes;
    paging.Transfer.TransferOffset = offset;
    paging.Transfer.MdlOffset = first_page;
    paging.Transfer.Source.pMdl = mdl;
    paging.Transfer.Destination.SegmentId = 1;
    paging.Transfer.Destination.SegmentAddress.QuadPart = (LONGLONG)place;
    paging.Transfer.Flags.TransferStart = 1;
    paging.Transfer.Flags.TransferEnd = 1;
    return paging;
}

static DXGKARG_BUILDPAGINGBUFFER page_out(MDL *mdl, ULONG first_page, SIZE_T bytes, uint64_t place,
                                          UINT offset)
{
    DXGKARG_BUILDPAGINGBUFFER paging = {.Operation = DXGK_OPERATION_TRANSFER};
    paging.Transfer.TransferSize = bytes;
    paging.Transfer.TransferOffset = offset;
    paging.Transfer.MdlOffset = first_page;
    paging.Transfer.Source.SegmentId = 1;
    paging.Transfer.Source.SegmentAddress.QuadPart = (LONGLONG)place;
    paging.Transfer.Destination.pMdl = mdl;
    return paging;
}

/* Scattered pages go to video memory in order, and back again; in one buffer, and in many. */
static void transfer_moves_every_byte(void **state)
{
    static const ULONG buffer_sizes[] = {65536, 4096, 512, 48};
    kernel_start(NULL, NULL);
    for (unsigned i = 0; i < sizeof(buffer_sizes) / sizeof(buffer_sizes[0]); i++) {
        MDL *from = kernel_mdl(20), *to = kernel_mdl(20);
        for (unsigned page = 0; page < 20; page++)
            fill_page(kernel_mdl_page(from, page), page + i * 100);
        DXGKARG_BUILDPAGINGBUFFER in = page_in(from, 0, 20 * 4096, VRAM_PLACE, 0);
        unsigned buffers = kernel_page(&in, buffer_sizes[i]);
        assert_int_equal(buffers > 1, buffer_sizes[i] < 256);
        for (unsigned page = 0; page < 20; page++)
            assert_memory_equal(kernel_vram(VRAM_PLACE + page * 4096), kernel_mdl_page(from, page),
                                4096);
        DXGKARG_BUILDPAGINGBUFFER out = page_out(to, 0, 20 * 4096, VRAM_PLACE, 0);
        kernel_page(&out, buffer_sizes[i]);
        for (unsigned page = 0; page < 20; page++)
            assert_memory_equal(kernel_mdl_page(to, page), kernel_mdl_page(from, page), 4096);
        free(from);
        free(to);
    }
    kernel_stop();
}

/* MdlOffset counts on the MDL's side, TransferOffset on the segment's (XFER-004, XFER-011). */
static void offsets_count_on_their_own_side(void **state)
{
    kernel_start(NULL, NULL);
    MDL *mdl = kernel_mdl(8);
    for (unsigned page = 0; page < 8; page++)
        fill_page(kernel_mdl_page(mdl, page), page);
    DXGKARG_BUILDPAGINGBUFFER in = page_in(mdl, 3, 2 * 4096, VRAM_PLACE, 5 * 4096);
    kernel_page(&in, 4096);
    assert_memory_equal(kernel_vram(VRAM_PLACE + 5 * 4096), kernel_mdl_page(mdl, 3), 4096);
    assert_memory_equal(kernel_vram(VRAM_PLACE + 6 * 4096), kernel_mdl_page(mdl, 4), 4096);
    for (unsigned i = 0; i < 4096; i++)
        assert_int_equal(*kernel_vram(VRAM_PLACE + 7 * 4096 + i), 0);
    free(mdl);
    kernel_stop();
}

static void segment_to_segment_and_fill(void **state)
{
    kernel_start(NULL, NULL);
    DXGKARG_BUILDPAGINGBUFFER fill = {.Operation = DXGK_OPERATION_FILL};
    fill.Fill.FillSize = 10000;
    fill.Fill.FillPattern = 0x12345678;
    fill.Fill.Destination.SegmentId = 1;
    fill.Fill.Destination.SegmentAddress.QuadPart = (LONGLONG)VRAM_PLACE;
    kernel_page(&fill, 4096);
    for (unsigned i = 0; i < 10000; i += 4) {
        uint32_t value;
        memcpy(&value, kernel_vram(VRAM_PLACE + i), 4);
        assert_int_equal(value, 0x12345678);
    }
    assert_int_equal(*kernel_vram(VRAM_PLACE + 10000), 0);

    DXGKARG_BUILDPAGINGBUFFER copy = {.Operation = DXGK_OPERATION_TRANSFER};
    copy.Transfer.TransferSize = 8192;
    copy.Transfer.Source.SegmentId = 1;
    copy.Transfer.Source.SegmentAddress.QuadPart = (LONGLONG)VRAM_PLACE;
    copy.Transfer.Destination.SegmentId = 1;
    copy.Transfer.Destination.SegmentAddress.QuadPart = (LONGLONG)VRAM_PLACE + 0x100000;
    kernel_page(&copy, 4096);
    assert_memory_equal(kernel_vram(VRAM_PLACE + 0x100000), kernel_vram(VRAM_PLACE), 8192);
    kernel_stop();
}

/* After a reset: the content is gone, nothing may be written (XFER-007). */
static void a_transfer_of_nothing_writes_no_command(void **state)
{
    kernel_start(NULL, NULL);
    UCHAR buffer[64], private_data[64] = {0};
    DXGKARG_BUILDPAGINGBUFFER paging = page_in(NULL, 0, 0, VRAM_PLACE, 0);
    paging.Transfer.Source.SegmentId = 1;
    paging.pDmaBuffer = buffer;
    paging.DmaSize = sizeof(buffer);
    paging.pDmaBufferPrivateData = private_data;
    paging.DmaBufferPrivateDataSize = sizeof(private_data);
    assert_int_equal(kernel.table.DxgkDdiBuildPagingBuffer(kernel.adapter, &paging),
                     STATUS_SUCCESS);
    assert_ptr_equal(paging.pDmaBuffer, buffer);
    kernel_stop();
}

/* The engine sees the MDL's pages through the aperture, and the dummy page after the unmap. */
static void check_aperture(const struct kernel_setting *settings, ULONG buffer_bytes)
{
    kernel_start(settings, NULL);
    MDL *mdl = kernel_mdl(6);
    uint64_t dummy = kernel_pages(1);
    for (unsigned page = 0; page < 6; page++)
        fill_page(kernel_mdl_page(mdl, page), page + 7);
    fill_page(kernel_ram(dummy), 99);

    DXGKARG_BUILDPAGINGBUFFER map = {.Operation = DXGK_OPERATION_MAP_APERTURE_SEGMENT};
    map.MapApertureSegment.SegmentId = 2;
    map.MapApertureSegment.OffsetInPages = 100;
    map.MapApertureSegment.NumberOfPages = 4;
    map.MapApertureSegment.pMdl = mdl;
    map.MapApertureSegment.MdlOffset = 1;
    kernel_page(&map, buffer_bytes);

    DXGKARG_BUILDPAGINGBUFFER copy = {.Operation = DXGK_OPERATION_TRANSFER};
    copy.Transfer.TransferSize = 4 * 4096;
    copy.Transfer.Source.SegmentId = 2;
    copy.Transfer.Source.SegmentAddress.QuadPart = (LONGLONG)(SOFTGPU_APERTURE_BASE + 100 * 4096);
    copy.Transfer.Destination.SegmentId = 1;
    copy.Transfer.Destination.SegmentAddress.QuadPart = (LONGLONG)VRAM_PLACE;
    kernel_page(&copy, 4096);
    for (unsigned page = 0; page < 4; page++)
        assert_memory_equal(kernel_vram(VRAM_PLACE + page * 4096), kernel_mdl_page(mdl, page + 1),
                            4096);

    DXGKARG_BUILDPAGINGBUFFER unmap = {.Operation = DXGK_OPERATION_UNMAP_APERTURE_SEGMENT};
    unmap.UnmapApertureSegment.SegmentId = 2;
    unmap.UnmapApertureSegment.OffsetInPages = 101;
    unmap.UnmapApertureSegment.NumberOfPages = 2;
    unmap.UnmapApertureSegment.DummyPage.QuadPart = (LONGLONG)dummy;
    kernel_page(&unmap, 4096);
    kernel_page(&copy, 4096);
    assert_memory_equal(kernel_vram(VRAM_PLACE), kernel_mdl_page(mdl, 1), 4096);
    assert_memory_equal(kernel_vram(VRAM_PLACE + 4096), kernel_ram(dummy), 4096);
    assert_memory_equal(kernel_vram(VRAM_PLACE + 2 * 4096), kernel_ram(dummy), 4096);
    assert_memory_equal(kernel_vram(VRAM_PLACE + 3 * 4096), kernel_mdl_page(mdl, 4), 4096);
    free(mdl);
    kernel_stop();
}

static void aperture_by_the_cpu(void **state)
{
    check_aperture(NULL, 4096);
}

static void aperture_by_commands(void **state)
{
    static const struct kernel_setting settings[] = {{"ApertureQueued", 1}, {NULL, 0}};
    check_aperture(settings, 4096);
    check_aperture(settings, 40); /* two pages a buffer */
}

static void an_operation_of_other_versions_is_refused(void **state)
{
    kernel_start(NULL, NULL);
    DXGKARG_BUILDPAGINGBUFFER paging = {.Operation = DXGK_OPERATION_VIRTUAL_FILL};
    assert_int_equal(kernel.table.DxgkDdiBuildPagingBuffer(kernel.adapter, &paging),
                     STATUS_NOT_SUPPORTED);
    kernel_stop();
}

/* Segments as the caps describe them: by base addresses, without gaps in the ids (CAPS-005). */
static void segments_are_described_in_two_calls(void **state)
{
    static const struct kernel_setting settings[] = {{"VramSegments", 3}, {NULL, 0}};
    kernel_start(settings, NULL);
    DXGK_SEGMENTDESCRIPTOR3 descriptors[4];
    DXGK_QUERYSEGMENTOUT3 out = {0};
    DXGKARG_QUERYADAPTERINFO query = {
        .Type = DXGKQAITYPE_QUERYSEGMENT3, .pOutputData = &out, .OutputDataSize = sizeof(out)};
    assert_int_equal(kernel.table.DxgkDdiQueryAdapterInfo(kernel.adapter, &query), STATUS_SUCCESS);
    assert_int_equal(out.NbSegment, 4);
    out.pSegmentDescriptor = descriptors;
    assert_int_equal(kernel.table.DxgkDdiQueryAdapterInfo(kernel.adapter, &query), STATUS_SUCCESS);
    uint64_t end = 1;
    for (unsigned i = 0; i < 3; i++) {
        assert_true((uint64_t)descriptors[i].BaseAddress.QuadPart >= end);
        assert_int_equal(descriptors[i].Size % 4096, 0);
        assert_int_equal(descriptors[i].CommitLimit, descriptors[i].Size);
        assert_true(descriptors[i].Flags.CpuVisible && !descriptors[i].Flags.Aperture);
        assert_int_equal(descriptors[i].CpuTranslatedAddress.QuadPart,
                         (LONGLONG)KERNEL_VRAM_BASE + descriptors[i].BaseAddress.QuadPart);
        end = (uint64_t)descriptors[i].BaseAddress.QuadPart + descriptors[i].Size;
    }
    assert_true(end <= kernel.mock.description.bars[SOFTGPU_BAR_VRAM].size);
    assert_true(descriptors[3].Flags.Aperture);
    kernel_stop();
}

/* Whatever version is registered, the answers keep to its sizes and are consistent. */
static void every_version_has_consistent_caps(void **state)
{
    static const struct {
        ULONG wddm, interface_version, caps_bytes;
    } versions[] = {
        {0x1000, DXGKDDI_INTERFACE_VERSION_VISTA_SP1, 336},
        {0x1100, DXGKDDI_INTERFACE_VERSION_WIN7, 528},
        {0x1200, DXGKDDI_INTERFACE_VERSION_WIN8, 544},
        {0x1300, DXGKDDI_INTERFACE_VERSION_WDDM1_3, 552},
        {0x2000, DXGKDDI_INTERFACE_VERSION_WDDM2_0, 576},
        {0x2700, DXGKDDI_INTERFACE_VERSION_WDDM2_7, 584},
        {0x3200, DXGKDDI_INTERFACE_VERSION_WDDM3_2, 592},
    };
    for (unsigned i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        struct kernel_setting settings[] = {
            {"WddmVersion", versions[i].wddm}, {"MmioFlip", 0}, {NULL, 0}};
        union {
            DXGK_DRIVERCAPS caps;
            UCHAR bytes[1024];
        } out;
        DXGKARG_QUERYADAPTERINFO query = {.Type = DXGKQAITYPE_DRIVERCAPS,
                                          .pOutputData = &out,
                                          .OutputDataSize = versions[i].caps_bytes};
        kernel_start(settings, NULL);
        assert_int_equal(kernel.table.Version, versions[i].interface_version);
        memset(&out, 0xC5, sizeof(out));
        assert_int_equal(kernel.table.DxgkDdiQueryAdapterInfo(kernel.adapter, &query),
                         STATUS_SUCCESS);
        for (unsigned j = versions[i].caps_bytes; j < sizeof(out); j++)
            assert_int_equal(out.bytes[j], 0xC5);
        DXGK_VIDSCHCAPS scheduling = out.caps.SchedulingCaps;
        if (scheduling.PreemptionAware || scheduling.CancelCommandAware)
            assert_true(scheduling.MultiEngineAware);
        assert_int_equal(out.caps.FlipCaps.FlipOnVSyncMmIo, versions[i].wddm >= 0x1200);
        if (versions[i].wddm >= 0x1100)
            assert_int_equal(out.caps.WDDMVersion, versions[i].wddm);
        for (UINT node = 0; node < SOFTGPU_ENGINE_COUNT + 1; node++) {
            DXGKARG_GETNODEMETADATA metadata;
            bool exists = node < (versions[i].wddm < 0x1100 ? 1 : SOFTGPU_ENGINE_COUNT);
            assert_int_equal(kernel.table.DxgkDdiGetNodeMetadata(kernel.adapter, node, &metadata),
                             exists ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
        }
        kernel_stop();
    }
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfer_moves_every_byte),
        cmocka_unit_test(offsets_count_on_their_own_side),
        cmocka_unit_test(segment_to_segment_and_fill),
        cmocka_unit_test(a_transfer_of_nothing_writes_no_command),
        cmocka_unit_test(aperture_by_the_cpu),
        cmocka_unit_test(aperture_by_commands),
        cmocka_unit_test(an_operation_of_other_versions_is_refused),
        cmocka_unit_test(segments_are_described_in_two_calls),
        cmocka_unit_test(every_version_has_consistent_caps),
    };
    kernel_choose_driver(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
