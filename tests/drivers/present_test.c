/* Present and display: pictures change as asked, flips are shown and reported at vsync. */
#include "kernel.h"

#define PRIMARY_PLACE 0x200000ull
#define BACK_PLACE    0x300000ull
#define SOURCE_PLACE  0x400000ull
#define WIDTH         640
#define HEIGHT        480
#define SOURCE_SIZE   64

struct scene {
    HANDLE device, context;
    struct kernel_allocation primary, back, source;
    struct kernel_dma dma;
};

/* The private data that the driver itself gives for a primary. */
static void create_primary(struct scene *scene, uint64_t place, struct kernel_allocation *primary)
{
    struct softgpu_umd_allocation umd;
    D3DKMDT_SHAREDPRIMARYSURFACEDATA data = {
        .Width = WIDTH, .Height = HEIGHT, .Format = D3DDDIFMT_X8R8G8B8, .RefreshRate = {60, 1}};
    DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA standard = {
        .StandardAllocationType = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE,
        .pCreateSharedPrimarySurfaceData = &data,
    };
    assert_int_equal(kernel.table.DxgkDdiGetStandardAllocationDriverData(kernel.adapter, &standard),
                     STATUS_SUCCESS);
    assert_int_equal(standard.AllocationPrivateDriverDataSize, sizeof(umd));
    standard.pAllocationPrivateDriverData = &umd;
    assert_int_equal(kernel.table.DxgkDdiGetStandardAllocationDriverData(kernel.adapter, &standard),
                     STATUS_SUCCESS);
    assert_int_equal(kernel_create_allocation(scene->device, &umd, place, primary), STATUS_SUCCESS);
    assert_int_equal(primary->info.EvictionSegmentSet, 0);
}

static void begin(struct scene *scene, const struct kernel_setting *settings)
{
    struct softgpu_umd_allocation umd = {.magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
                                         .version = SOFTGPU_UMD_VERSION,
                                         .width = SOURCE_SIZE,
                                         .height = SOURCE_SIZE,
                                         .format = SOFTGPU_FORMAT_BGRA8};
    kernel_start(settings, NULL);
    assert_int_equal(kernel.sources, 1);
    assert_int_equal(kernel.children, 1);
    scene->device = kernel_create_device();
    scene->context = kernel_create_context(scene->device, SOFTGPU_ENGINE_3D);
    create_primary(scene, PRIMARY_PLACE, &scene->primary);
    create_primary(scene, BACK_PLACE, &scene->back);
    assert_int_equal(kernel_create_allocation(scene->device, &umd, SOURCE_PLACE, &scene->source),
                     STATUS_SUCCESS);
    kernel_dma_init(&scene->dma, KERNEL_DMA_BYTES, 64);
    uint32_t *pixels = (uint32_t *)(void *)kernel_vram(SOURCE_PLACE);
    for (uint32_t i = 0; i < SOURCE_SIZE * SOURCE_SIZE; i++)
        pixels[i] = 0xFF000000 | i;
}

static void end(struct scene *scene)
{
    kernel_destroy_allocation(scene->device, &scene->primary);
    kernel_destroy_allocation(scene->device, &scene->back);
    kernel_destroy_allocation(scene->device, &scene->source);
    kernel.table.DxgkDdiDestroyContext(scene->context);
    kernel.table.DxgkDdiDestroyDevice(scene->device);
    kernel_stop();
}

static uint32_t pixel(uint64_t place, unsigned pitch, unsigned x, unsigned y)
{
    uint32_t value;
    memcpy(&value, kernel_vram(place + (uint64_t)y * pitch + x * 4ull), 4);
    return value & 0xFFFFFF;
}

static uint32_t shown(const struct scene *scene, unsigned x, unsigned y)
{
    return pixel(PRIMARY_PLACE, scene->primary.umd.pitch_bytes, x, y);
}

/* Presents with as many buffers as it takes; the last status. */
static NTSTATUS present(struct scene *scene, const DXGKARG_PRESENT *wanted,
                        const struct kernel_allocation *source,
                        const struct kernel_allocation *destination)
{
    DXGKARG_PRESENT arguments = *wanted;
    struct kernel_dma *dma = &scene->dma;
    struct kernel_allocation none = {.place = 0};
    NTSTATUS status;
    dma->allocation_count = 0;
    kernel_dma_add(dma, &none, FALSE, FALSE);
    kernel_dma_add(dma, source ? source : &none, FALSE, FALSE);
    kernel_dma_add(dma, destination ? destination : &none, TRUE, FALSE);
    do {
        memset(dma->private_data, 0, sizeof(dma->private_data));
        arguments.pDmaBuffer = kernel_ram(dma->physical);
        arguments.DmaSize = dma->size;
        arguments.pDmaBufferPrivateData = dma->private_data;
        arguments.DmaBufferPrivateDataSize = dma->private_size;
        arguments.pAllocationList = dma->allocations;
        arguments.pPatchLocationListOut = dma->patches;
        arguments.PatchLocationListOutSize = dma->patch_capacity;
        status = kernel.table.DxgkDdiPresent(scene->context, &arguments);
        if (status != STATUS_SUCCESS && status != STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER)
            return status;
        dma->used = (ULONG)((UCHAR *)arguments.pDmaBuffer - (UCHAR *)kernel_ram(dma->physical));
        dma->patch_count = (ULONG)(arguments.pPatchLocationListOut - dma->patches);
        kernel_wait_fence(0, kernel_submit(scene->context, dma));
        assert_int_equal(mock_read(&kernel.mock, SOFTGPU_ENGINE_REG(0, SOFTGPU_ENGINE_STATUS)) &
                             SOFTGPU_STATUS_FAULTED,
                         0);
    } while (status != STATUS_SUCCESS);
    return status;
}

static void blt_writes_its_sub_rectangles_and_no_more(void **state)
{
    RECT parts[] = {{100, 50, 110, 60}, {120, 50, 130, 90}, {150, 100, 164, 114}};
    DXGKARG_PRESENT blt = {.DstRect = {100, 50, 164, 114},
                           .SrcRect = {0, 0, 64, 64},
                           .SubRectCnt = 3,
                           .pDstSubRects = parts};
    blt.Flags.Blt = 1;
    for (unsigned capacity = 2; capacity <= 64; capacity += 62) { /* one by one; all at once */
        struct scene scene;
        begin(&scene, NULL);
        scene.dma.patch_capacity = capacity;
        assert_int_equal(present(&scene, &blt, &scene.source, &scene.primary), STATUS_SUCCESS);
        for (unsigned y = 40; y < 130; y++) {
            for (unsigned x = 90; x < 180; x++) {
                bool inside = false;
                for (unsigned i = 0; i < 3; i++)
                    inside |= (LONG)x >= parts[i].left && (LONG)x < parts[i].right &&
                              (LONG)y >= parts[i].top && (LONG)y < parts[i].bottom;
                assert_int_equal(shown(&scene, x, y), inside ? (y - 50) * 64 + x - 100 : 0);
            }
        }
        end(&scene);
    }
}

static void fill_and_keys(void **state)
{
    DXGKARG_PRESENT fill = {.DstRect = {10, 10, 20, 20}, .Color = 0xFF123456};
    DXGKARG_PRESENT keyed = {
        .DstRect = {0, 0, 64, 64}, .SrcRect = {0, 0, 64, 64}, .Color = 0x00123456};
    struct scene scene;
    begin(&scene, NULL);
    fill.Flags.ColorFill = 1;
    assert_int_equal(present(&scene, &fill, NULL, &scene.primary), STATUS_SUCCESS);
    assert_int_equal(shown(&scene, 10, 10), 0x123456);
    assert_int_equal(shown(&scene, 19, 19), 0x123456);
    assert_int_equal(shown(&scene, 20, 19), 0);

    keyed.Flags.Blt = 1;
    keyed.Flags.DstColorKey = 1; /* only where the fill was */
    assert_int_equal(present(&scene, &keyed, &scene.source, &scene.primary), STATUS_SUCCESS);
    assert_int_equal(shown(&scene, 10, 10), 10 * 64 + 10);
    assert_int_equal(shown(&scene, 9, 10), 0);

    keyed.Flags.DstColorKey = 0;
    keyed.Flags.SrcColorKey = 1; /* all but one pixel */
    keyed.Color = 0x00000041;
    assert_int_equal(present(&scene, &keyed, &scene.source, &scene.primary), STATUS_SUCCESS);
    assert_int_equal(shown(&scene, 1, 1), 0);
    assert_int_equal(shown(&scene, 2, 1), 66);
    end(&scene);
}

static void stretch_uses_the_ratio_of_the_rectangles(void **state)
{
    RECT part = {0, 0, 128, 64};
    DXGKARG_PRESENT stretch = {.DstRect = {0, 0, 128, 128},
                               .SrcRect = {0, 0, 64, 64},
                               .SubRectCnt = 1,
                               .pDstSubRects = &part};
    struct scene scene;
    begin(&scene, NULL);
    stretch.Flags.Blt = 1;
    assert_int_equal(present(&scene, &stretch, &scene.source, &scene.primary), STATUS_SUCCESS);
    assert_int_equal(shown(&scene, 21, 11), 5 * 64 + 10);
    assert_int_equal(shown(&scene, 127, 63), 31 * 64 + 63);
    assert_int_equal(shown(&scene, 0, 64), 0);
    end(&scene);
}

/* Scrolling: each rectangle is read before it is overwritten, whatever their order in the list. */
static void screen_to_screen_is_safe_for_overlap(void **state)
{
    static const LONG steps[][2] = {{0, 5}, {0, -5}, {7, 0}, {-7, 0}, {3, 5}, {-3, 4}};
    for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        LONG dx = steps[i][0], dy = steps[i][1];
        RECT parts[16];
        struct scene scene;
        begin(&scene, NULL);
        uint32_t *pixels = (uint32_t *)(void *)kernel_vram(PRIMARY_PLACE);
        unsigned pitch = scene.primary.umd.pitch_bytes / 4;
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                pixels[y * pitch + x] = y * 1000 + x;
        for (unsigned j = 0; j < 16; j++) { /* a net of 4 by 4, mixed up */
            unsigned k = j * 7 % 16;
            parts[j] = (RECT){100 + (LONG)(k % 4) * 20, 100 + (LONG)(k / 4) * 20,
                              120 + (LONG)(k % 4) * 20, 120 + (LONG)(k / 4) * 20};
        }
        DXGKARG_PRESENT blt = {.DstRect = {100, 100, 180, 180},
                               .SrcRect = {100 - dx, 100 - dy, 180 - dx, 180 - dy},
                               .SubRectCnt = 16,
                               .pDstSubRects = parts};
        blt.Flags.Blt = 1;
        scene.dma.patch_capacity = 10;
        assert_int_equal(present(&scene, &blt, &scene.primary, &scene.primary), STATUS_SUCCESS);
        for (LONG y = 100; y < 180; y++)
            for (LONG x = 100; x < 180; x++)
                assert_int_equal(shown(&scene, (unsigned)x, (unsigned)y), (y - dy) * 1000 + x - dx);
        end(&scene);
    }
}

static void what_the_hardware_cannot_do_is_said(void **state)
{
    DXGKARG_PRESENT blt = {.DstRect = {0, 0, 64, 64}, .SrcRect = {0, 0, 64, 64}};
    struct scene scene;
    begin(&scene, NULL);
    blt.Flags.Blt = 1;
    assert_int_equal(present(&scene, &blt, NULL, &scene.primary), STATUS_INVALID_HANDLE);
    blt.DstRect.right = 70;
    blt.Flags.LinearToSrgb = 1; /* with a stretch */
    assert_int_equal(present(&scene, &blt, &scene.source, &scene.primary),
                     STATUS_GRAPHICS_CANNOTCOLORCONVERT);
    blt.Flags.LinearToSrgb = 0;
    blt.Flags.SrcColorKey = 1;
    assert_int_equal(present(&scene, &blt, &scene.source, &scene.primary),
                     STATUS_GRAPHICS_CANNOTCOLORCONVERT);
    end(&scene);
}

static void light_becomes_srgb(void **state)
{
    DXGKARG_PRESENT blt = {.DstRect = {0, 0, 64, 64}, .SrcRect = {0, 0, 64, 64}};
    struct scene scene;
    begin(&scene, NULL);
    blt.Flags.Blt = blt.Flags.LinearToSrgb = 1;
    assert_int_equal(present(&scene, &blt, &scene.source, &scene.primary), STATUS_SUCCESS);
    assert_int_equal(shown(&scene, 0, 0), 0);
    assert_int_equal(shown(&scene, 1, 0), 0x0D);
    assert_int_equal(shown(&scene, 0, 2), 0xBC); /* 128 */
    end(&scene);
}

/* ---- Modes and flips ---- */

static void show(struct scene *scene, ULONG rotation)
{
    DXGKARG_COMMITVIDPN commit = {.hFunctionalVidPn = (D3DKMDT_HVIDPN)(ULONG_PTR)8,
                                  .AffectedVidPnSourceId = 0};
    DXGKARG_SETVIDPNSOURCEADDRESS address = {.VidPnSourceId = 0, .PrimarySegment = 1};
    DXGKARG_SETVIDPNSOURCEVISIBILITY visibility = {.VidPnSourceId = 0, .Visible = TRUE};
    kernel.pinned = TRUE;
    kernel.path.ContentTransformation.Scaling = D3DKMDT_VPPS_IDENTITY;
    kernel.path.ContentTransformation.Rotation = (D3DKMDT_VIDPN_PRESENT_PATH_ROTATION)rotation;
    kernel.source_mode.Type = D3DKMDT_RMT_GRAPHICS;
    kernel.source_mode.Format.Graphics.PrimSurfSize.cx = WIDTH;
    kernel.source_mode.Format.Graphics.PrimSurfSize.cy = HEIGHT;
    kernel.source_mode.Format.Graphics.PixelFormat = D3DDDIFMT_X8R8G8B8;
    kernel.target_mode.VideoSignalInfo.ActiveSize.cx = WIDTH;
    kernel.target_mode.VideoSignalInfo.ActiveSize.cy = HEIGHT;
    DXGKARG_ISSUPPORTEDVIDPN question = {.hDesiredVidPn = (D3DKMDT_HVIDPN)(ULONG_PTR)8};
    assert_int_equal(kernel.table.DxgkDdiIsSupportedVidPn(kernel.adapter, &question),
                     STATUS_SUCCESS);
    assert_true(question.IsVidPnSupported);
    assert_int_equal(kernel.table.DxgkDdiCommitVidPn(kernel.adapter, &commit), STATUS_SUCCESS);
    address.PrimaryAddress.QuadPart = (LONGLONG)PRIMARY_PLACE;
    address.hAllocation = scene->primary.driver;
    address.Flags.ModeChange = 1;
    assert_int_equal(kernel.table.DxgkDdiSetVidPnSourceAddress(kernel.adapter, &address),
                     STATUS_SUCCESS);
    assert_int_equal(kernel.table.DxgkDdiSetVidPnSourceVisibility(kernel.adapter, &visibility),
                     STATUS_SUCCESS);
}

static const uint32_t *on_screen(unsigned *stride)
{
    const void *pixels;
    unsigned width, height;
    assert_true(kernel.mock.device->operations->scanout(kernel.mock.device, 0, &pixels, &width,
                                                        &height, stride));
    assert_int_equal(width, WIDTH);
    assert_int_equal(height, HEIGHT);
    return pixels;
}

static void a_flip_is_reported_with_its_address(void **state)
{
    DXGKARG_SETVIDPNSOURCEADDRESS address = {.VidPnSourceId = 0, .PrimarySegment = 1};
    struct scene scene;
    unsigned stride;
    begin(&scene, NULL);
    show(&scene, D3DKMDT_VPPR_IDENTITY);
    *(uint32_t *)(void *)kernel_vram(PRIMARY_PLACE) = 0x00AABBCC;
    *(uint32_t *)(void *)kernel_vram(BACK_PLACE) = 0x00112233;
    assert_int_equal(on_screen(&stride)[0] & 0xFFFFFF, 0xAABBCC);
    assert_int_equal(
        kernel.table.DxgkDdiControlInterrupt(kernel.adapter, DXGK_INTERRUPT_DMA_FAULTED, TRUE),
        STATUS_NOT_IMPLEMENTED);
    assert_int_equal(
        kernel.table.DxgkDdiControlInterrupt(kernel.adapter, DXGK_INTERRUPT_CRTC_VSYNC, TRUE),
        STATUS_SUCCESS);
    kernel_run(20000000);
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *vsync = kernel_last(DXGK_INTERRUPT_CRTC_VSYNC);
    assert_non_null(vsync);
    assert_int_equal(vsync->CrtcVsync.PhysicalAddress.QuadPart, PRIMARY_PLACE);

    address.PrimaryAddress.QuadPart = (LONGLONG)BACK_PLACE;
    address.hAllocation = scene.back.driver;
    address.ContextCount = 1;
    address.Context[0] = scene.context;
    address.Flags.FlipOnNextVSync = 1;
    kernel.irql = DISPATCH_LEVEL + 1;
    assert_int_equal(kernel.table.DxgkDdiSetVidPnSourceAddress(kernel.adapter, &address),
                     STATUS_SUCCESS);
    kernel.irql = PASSIVE_LEVEL;
    kernel_run(20000000);
    vsync = kernel_last(DXGK_INTERRUPT_CRTC_VSYNC);
    assert_int_equal(vsync->CrtcVsync.PhysicalAddress.QuadPart, BACK_PLACE);
    assert_int_equal(on_screen(&stride)[0] & 0xFFFFFF, 0x112233);

    kernel.table.DxgkDdiControlInterrupt(kernel.adapter, DXGK_INTERRUPT_CRTC_VSYNC, FALSE);
    unsigned notices = kernel.notice_count;
    kernel_run(40000000);
    assert_int_equal(kernel.notice_count, notices);
    end(&scene);
}

/* Low power loses the registers; the picture and its vsyncs come back with the power. */
static void the_picture_survives_low_power(void **state)
{
    struct scene scene;
    unsigned stride;
    begin(&scene, NULL);
    show(&scene, D3DKMDT_VPPR_IDENTITY);
    *(uint32_t *)(void *)kernel_vram(PRIMARY_PLACE) = 0x00AABBCC;
    kernel.table.DxgkDdiControlInterrupt(kernel.adapter, DXGK_INTERRUPT_CRTC_VSYNC, TRUE);
    assert_int_equal(kernel.table.DxgkDdiSetPowerState(kernel.adapter, DISPLAY_ADAPTER_HW_ID,
                                                       PowerDeviceD3, PowerActionSleep),
                     STATUS_SUCCESS);
    kernel_run(20000000);
    assert_null(kernel_last(DXGK_INTERRUPT_CRTC_VSYNC));
    assert_int_equal(kernel.table.DxgkDdiSetPowerState(kernel.adapter, DISPLAY_ADAPTER_HW_ID,
                                                       PowerDeviceD0, PowerActionNone),
                     STATUS_SUCCESS);
    kernel_run(20000000);
    assert_non_null(kernel_last(DXGK_INTERRUPT_CRTC_VSYNC));
    assert_int_equal(on_screen(&stride)[0] & 0xFFFFFF, 0xAABBCC);
    end(&scene);
}

static void the_next_driver_finds_the_screen_black_and_lit(void **state)
{
    DXGK_DISPLAY_INFORMATION display;
    struct scene scene;
    unsigned stride;
    begin(&scene, NULL);
    show(&scene, D3DKMDT_VPPR_IDENTITY);
    *(uint32_t *)(void *)kernel_vram(PRIMARY_PLACE) = 0x00AABBCC;
    assert_int_equal(
        kernel.table.DxgkDdiStopDeviceAndReleasePostDisplayOwnership(kernel.adapter, 0, &display),
        STATUS_SUCCESS);
    assert_int_equal(display.Width, WIDTH);
    assert_int_equal(display.PhysicAddress.QuadPart, KERNEL_VRAM_BASE + PRIMARY_PLACE);
    assert_int_equal(on_screen(&stride)[0] & 0xFFFFFF, 0);
    *(uint32_t *)(void *)kernel_vram(PRIMARY_PLACE) = 0x00AABBCC;
    assert_int_equal(on_screen(&stride)[0] & 0xFFFFFF, 0xAABBCC);
    end(&scene);
}

static void an_adapter_without_flips_by_register_flips_by_command(void **state)
{
    static const struct kernel_setting settings[] = {
        {"WddmVersion", 0x1100}, {"MmioFlip", 0}, {NULL, 0}};
    DXGKARG_PRESENT flip = {.FlipInterval = D3DDDI_FLIPINTERVAL_ONE};
    struct scene scene;
    begin(&scene, settings);
    show(&scene, D3DKMDT_VPPR_IDENTITY);
    flip.Flags.Flip = 1;
    assert_int_equal(present(&scene, &flip, &scene.back, NULL), STATUS_SUCCESS);
    assert_int_equal(mock_read(&kernel.mock, SOFTGPU_OUTPUT_REG(0, SOFTGPU_OUTPUT_CURRENT)),
                     BACK_PLACE);
    end(&scene);
}

/* A path turned by 90 degrees counter-clockwise: the client's top left comes to the bottom left. */
static void rotate_turns_as_the_path_is_turned(void **state)
{
    DXGKARG_PRESENT blt = {.DstRect = {0, 0, 64, 64}, .SrcRect = {0, 0, 64, 64}};
    struct scene scene;
    begin(&scene, NULL);
    show(&scene, D3DKMDT_VPPR_ROTATE90);
    blt.Flags.Blt = 1;
    blt.Flags.Rotate = 1;
    assert_int_equal(present(&scene, &blt, &scene.source, &scene.primary), STATUS_SUCCESS);
    for (unsigned y = 0; y < 64; y++)
        for (unsigned x = 0; x < 64; x++)
            assert_int_equal(shown(&scene, y, HEIGHT - 1 - x), y * 64 + x);
    blt.Flags.Rotate = 0; /* never on its own */
    assert_int_equal(present(&scene, &blt, &scene.source, &scene.primary), STATUS_SUCCESS);
    assert_int_equal(shown(&scene, 3, 2), 2 * 64 + 3);
    end(&scene);
}

static void modes_are_offered_where_none_is_pinned(void **state)
{
    DXGKARG_ENUMVIDPNCOFUNCMODALITY enumeration = {
        .hConstrainingVidPn = (D3DKMDT_HVIDPN)(ULONG_PTR)8, .EnumPivotType = D3DKMDT_EPT_NOPIVOT};
    struct scene scene;
    begin(&scene, NULL);
    kernel.path.ContentTransformation.Scaling = D3DKMDT_VPPS_UNPINNED;
    kernel.path.ContentTransformation.Rotation = D3DKMDT_VPPR_UNPINNED;
    assert_int_equal(kernel.table.DxgkDdiEnumVidPnCofuncModality(kernel.adapter, &enumeration),
                     STATUS_SUCCESS);
    assert_true(kernel.source_modes_added > 5 && kernel.target_modes_added > 5);
    assert_true(kernel.path.ContentTransformation.ScalingSupport.Identity);
    assert_true(kernel.path.ContentTransformation.RotationSupport.Rotate90);
    enumeration.EnumPivotType = D3DKMDT_EPT_VIDPNSOURCE;
    unsigned sources = kernel.source_modes_added, targets = kernel.target_modes_added;
    assert_int_equal(kernel.table.DxgkDdiEnumVidPnCofuncModality(kernel.adapter, &enumeration),
                     STATUS_SUCCESS);
    assert_int_equal(kernel.source_modes_added, sources);
    assert_true(kernel.target_modes_added > targets);
    end(&scene);
}

static void the_monitor_is_described(void **state)
{
    UCHAR edid[256];
    DXGK_DEVICE_DESCRIPTOR descriptor = {.DescriptorLength = 256, .DescriptorBuffer = edid};
    DXGK_CHILD_DESCRIPTOR children[3];
    DXGK_CHILD_STATUS status = {.Type = StatusConnection, .ChildUid = 0};
    static const UCHAR header[] = {0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0};
    struct scene scene;
    begin(&scene, NULL);
    memset(children, 0, sizeof(children));
    assert_int_equal(
        kernel.table.DxgkDdiQueryChildRelations(kernel.adapter, children, sizeof(children)),
        STATUS_SUCCESS);
    assert_int_equal(children[0].ChildDeviceType, TypeVideoOutput);
    assert_int_equal(children[1].ChildDeviceType, TypeUninitialized);
    assert_int_equal(kernel.table.DxgkDdiQueryChildStatus(kernel.adapter, &status, TRUE),
                     STATUS_SUCCESS);
    assert_true(status.HotPlug.Connected);
    assert_int_equal(kernel.table.DxgkDdiQueryDeviceDescriptor(kernel.adapter, 0, &descriptor),
                     STATUS_SUCCESS);
    assert_int_equal(descriptor.DescriptorLength, 128);
    assert_memory_equal(edid, header, sizeof(header));
    descriptor.DescriptorOffset = 128;
    assert_int_equal(kernel.table.DxgkDdiQueryDeviceDescriptor(kernel.adapter, 0, &descriptor),
                     STATUS_MONITOR_NO_MORE_DESCRIPTOR_DATA);
    end(&scene);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(blt_writes_its_sub_rectangles_and_no_more),
        cmocka_unit_test(fill_and_keys),
        cmocka_unit_test(stretch_uses_the_ratio_of_the_rectangles),
        cmocka_unit_test(screen_to_screen_is_safe_for_overlap),
        cmocka_unit_test(what_the_hardware_cannot_do_is_said),
        cmocka_unit_test(light_becomes_srgb),
        cmocka_unit_test(a_flip_is_reported_with_its_address),
        cmocka_unit_test(the_picture_survives_low_power),
        cmocka_unit_test(the_next_driver_finds_the_screen_black_and_lit),
        cmocka_unit_test(an_adapter_without_flips_by_register_flips_by_command),
        cmocka_unit_test(rotate_turns_as_the_path_is_turned),
        cmocka_unit_test(modes_are_offered_where_none_is_pinned),
        cmocka_unit_test(the_monitor_is_described),
    };
    kernel_choose_driver(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
