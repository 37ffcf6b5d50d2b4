/* Clients that have the GPU draw for GDI; see gdi_client.h. */
#include "gdi_client.h"

#include <d3dkmddi.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "hostile_support.h"

#define WIDTH    64
#define HEIGHT   32
#define COMMANDS 256u
#define RECTS    4096u
#define PAGE     4096u

#define COPY_NODE 1 /* of the software GPU's driver */

struct stage {
    struct hostile other; /* a device that is none of GDI's */
    struct drydock_gdi_context made;
    struct drydock_standard_allocation target, source, table;
};

/* ---- The stage ------------------------------------------------------------------------------- */

static struct drydock_standard_allocation surface(D3DKMT_HANDLE device,
                                                  enum drydock_surface_kind kind)
{
    bool table = kind == DRYDOCK_SURFACE_GDI_TABLE;
    struct drydock_standard_allocation made = {.hDevice = device,
                                               .kind = kind,
                                               .width = table ? 512 : WIDTH,
                                               .height = table ? 16 : HEIGHT,
                                               .format = table ? D3DDDIFMT_A8 : D3DDDIFMT_A8R8G8B8};

    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&made));
    return made;
}

/* Bytes as a table has them, and no table by its type. */
static D3DKMT_HANDLE bytes_of_a_table(const struct stage *stage)
{
    struct drydock_standard_allocation made = {.hDevice = stage->made.hDevice,
                                               .kind = DRYDOCK_SURFACE_GDI_STAGING,
                                               .width = 512,
                                               .height = 16,
                                               .format = D3DDDIFMT_A8};

    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&made));
    return made.hAllocation;
}

static bool open_stage(struct stage *stage, bool virtual_addresses)
{
    *stage = (struct stage){.other = hostile_open()};
    stage->made = (struct drydock_gdi_context){.hAdapter = stage->other.adapter,
                                               .virtual_addresses = virtual_addresses};
    NTSTATUS status = drydock_create_gdi_context(&stage->made);
    if (virtual_addresses && status == STATUS_NOT_SUPPORTED) {
        hostile_close(&stage->other);
        return false;
    }
    EXPECT(STATUS_SUCCESS, status);
    stage->target = surface(stage->made.hDevice, DRYDOCK_SURFACE_GDI_TEXTURE);
    stage->source = surface(stage->made.hDevice, DRYDOCK_SURFACE_GDI_STAGING);
    stage->table = surface(stage->made.hDevice, DRYDOCK_SURFACE_GDI_TABLE);
    return true;
}

static void close_stage(const struct stage *stage)
{
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){stage->made.hDevice}));
    hostile_close(&stage->other);
}

static NTSTATUS draw_all(D3DKMT_HANDLE context, UINT count,
                         const struct drydock_gdi_command *commands)
{
    return drydock_draw_gdi(&(struct drydock_gdi_work){context, count, commands});
}

static NTSTATUS draw(const struct stage *stage, struct drydock_gdi_command command)
{
    return draw_all(stage->made.hContext, 1, &command);
}

static const RECT whole = {0, 0, WIDTH, HEIGHT};

static struct drydock_gdi_command fill_of(const struct stage *stage)
{
    return (struct drydock_gdi_command){.operation = DRYDOCK_GDI_COLORFILL,
                                        .hDestination = stage->target.hAllocation,
                                        .to = whole,
                                        .rop = DXGK_GDIROPCF_PATCOPY,
                                        .color = 0xFF123456,
                                        .gamma = DRYDOCK_GDI_NO_GAMMA};
}

static struct drydock_gdi_command from_source(const struct stage *stage,
                                              enum drydock_gdi_operation operation)
{
    struct drydock_gdi_command command = fill_of(stage);

    command.operation = operation;
    command.hSource = stage->source.hAllocation;
    command.from = whole;
    command.rop = operation == DRYDOCK_GDI_BITBLT ? DXGK_GDIROP_SRCCOPY : 0;
    return command;
}

/* A command like that with one thing otherwise. */
#define REFUSED(status, made, change)                \
    {                                                \
        struct drydock_gdi_command command = (made); \
        change;                                      \
        EXPECT(status, draw(stage, command));        \
    }
#define BAD(made, change) REFUSED(STATUS_INVALID_PARAMETER, made, change)

/* ---- What is refused ------------------------------------------------------------------------- */

static void name_others_things(const struct stage *stage)
{
    const D3DKMT_HANDLE bad[] = {0x12345678, stage->other.surface.hAllocation, stage->made.hContext,
                                 stage->other.adapter};
    const struct drydock_gdi_command fill = fill_of(stage);
    struct drydock_gdi_context create = {.hAdapter = stage->other.device};

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        BAD(fill, command.hDestination = bad[i])
        BAD(from_source(stage, DRYDOCK_GDI_BITBLT), command.hSource = bad[i])
        BAD(from_source(stage, DRYDOCK_GDI_CLEARTYPEBLEND), command.hTable = bad[i])
        BAD(from_source(stage, DRYDOCK_GDI_CLEARTYPEBLEND), command.hScratch = bad[i])
    }
    EXPECT(STATUS_INVALID_PARAMETER, draw_all(0, 1, &fill));
    EXPECT(STATUS_INVALID_PARAMETER, draw_all(stage->made.hDevice, 1, &fill));
    EXPECT(STATUS_INVALID_PARAMETER, draw_all(stage->other.context, 1, &fill));
    EXPECT(STATUS_INVALID_PARAMETER, drydock_create_gdi_context(&create));
    create = (struct drydock_gdi_context){.hAdapter = stage->other.adapter, .node = 77};
    EXPECT(STATUS_INVALID_PARAMETER, drydock_create_gdi_context(&create));
}

static void name_places_outside(const struct stage *stage)
{
    const RECT bad[] = {{0, 0, 0, 1},          {5, 5, 5, 9},
                        {9, 0, 3, 4},          {0, 0, 32768, 1},
                        {-32768, 0, 1, 1},     {0, INT32_MIN, 1, INT32_MAX},
                        {INT32_MIN, 0, 64, 1}, {0, 0, INT32_MAX, INT32_MAX}};
    const RECT beyond = {0, 0, WIDTH + 1, HEIGHT};
    const INT offsets[] = {INT32_MIN, INT32_MAX, -32768, 32768};

    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        BAD(fill_of(stage), command.to = bad[i])
        for (int operation = DRYDOCK_GDI_BITBLT; operation <= DRYDOCK_GDI_TRANSPARENTBLT;
             operation++) {
            if (operation != DRYDOCK_GDI_ESCAPE && operation != DRYDOCK_GDI_COLORFILL) {
                BAD(from_source(stage, operation), command.from = bad[i])
            }
        }
    }
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        BAD(from_source(stage, DRYDOCK_GDI_CLEARTYPEBLEND), command.offset_x = offsets[i])
        BAD(from_source(stage, DRYDOCK_GDI_CLEARTYPEBLEND), command.offset_y = offsets[i])
    }
    BAD(from_source(stage, DRYDOCK_GDI_STRETCHBLT), command.from = beyond)
    BAD(from_source(stage, DRYDOCK_GDI_ALPHABLEND), command.from = beyond)
    BAD(from_source(stage, DRYDOCK_GDI_TRANSPARENTBLT), command.from = beyond)
    BAD(from_source(stage, DRYDOCK_GDI_BITBLT), command.from = beyond) /* of another size */
}

static void name_what_is_not_there(const struct stage *stage)
{
    const struct drydock_gdi_command fill = fill_of(stage),
                                     text = from_source(stage, DRYDOCK_GDI_CLEARTYPEBLEND),
                                     nothing = {.operation = DRYDOCK_GDI_ESCAPE};
    const D3DKMT_HANDLE table = stage->table.hAllocation, source = stage->source.hAllocation,
                        bytes = bytes_of_a_table(stage);

    BAD(fill, command.operation = 0)
    BAD(fill, command.operation = 8)
    BAD(fill, command.operation = -1)
    BAD(fill, command.hDestination = 0)
    BAD(fill, command.hSource = source)
    BAD(fill, command.hTable = table)
    BAD(fill, command.hScratch = source)
    BAD(fill, command.rop = 0)
    BAD(fill, command.rop = DXGK_GDIROPCF_ROP3 + 1)
    BAD(fill, command.rop = 0x10001)
    BAD(fill, command.rop3 = 0x100)
    BAD(from_source(stage, DRYDOCK_GDI_BITBLT), command.hSource = 0)
    BAD(from_source(stage, DRYDOCK_GDI_BITBLT), command.hSource = table)
    BAD(from_source(stage, DRYDOCK_GDI_BITBLT), command.hTable = table)
    BAD(from_source(stage, DRYDOCK_GDI_BITBLT), command.rop = DXGK_GDIROP_ROP3 + 1)
    BAD(from_source(stage, DRYDOCK_GDI_STRETCHBLT), command.rop = 1)
    BAD(from_source(stage, DRYDOCK_GDI_STRETCHBLT), command.hSource = table)
    BAD(from_source(stage, DRYDOCK_GDI_ALPHABLEND), command.alpha = 256)
    BAD(from_source(stage, DRYDOCK_GDI_ALPHABLEND), command.hDestination = table)
    BAD(text, command.gamma = 3) /* without a table */
    BAD(text, (command.gamma = 16, command.hTable = table))
    BAD(text, (command.gamma = 3, command.hTable = source)) /* no table */
    BAD(text, (command.gamma = 3, command.hTable = bytes))
    BAD(text, command.hScratch = command.hDestination)
    BAD(text, command.hScratch = command.hSource)
    BAD(text, command.hScratch = table)
    BAD(nothing, command.hDestination = source)
    BAD(nothing, command.hSource = source)
    BAD(nothing, command.hTable = table)
    BAD(nothing, command.hScratch = source)
    BAD(nothing, (command.rects = &whole, command.rect_count = 1))
}

/* The driver has NoSameBitmapOverlapped of these two. */
static void ask_what_caps_leave_out(const struct stage *stage)
{
    const RECT corner = {0, 0, WIDTH / 2, HEIGHT / 2};

    for (int i = 0; i < 2; i++) {
        REFUSED(STATUS_NOT_SUPPORTED,
                from_source(stage, i ? DRYDOCK_GDI_STRETCHBLT : DRYDOCK_GDI_ALPHABLEND),
                (command.hSource = command.hDestination, command.from = corner))
    }
    REFUSED(STATUS_NOT_SUPPORTED, from_source(stage, DRYDOCK_GDI_TRANSPARENTBLT),
            command.hSource = command.hDestination)
    /* Of several the first is good, and not drawn. */
    struct drydock_gdi_command commands[] = {fill_of(stage),
                                             from_source(stage, DRYDOCK_GDI_STRETCHBLT)};
    commands[1].hSource = commands[1].hDestination;
    EXPECT(STATUS_NOT_SUPPORTED, draw_all(stage->made.hContext, 2, commands));
}

static void count_wrongly(const struct stage *stage)
{
    struct drydock_gdi_command *many = calloc(COMMANDS + 1, sizeof *many);
    RECT *rects = calloc(RECTS + 1, sizeof *rects);

    for (unsigned i = 0; many && i <= COMMANDS; i++) {
        many[i] = fill_of(stage);
    }
    EXPECT(STATUS_INVALID_PARAMETER, draw_all(stage->made.hContext, 0, many));
    EXPECT(STATUS_INVALID_PARAMETER, draw_all(stage->made.hContext, COMMANDS + 1, many));
    EXPECT(STATUS_INVALID_PARAMETER, draw_all(stage->made.hContext, UINT32_MAX, many));
    EXPECT(STATUS_INVALID_PARAMETER, draw_all(stage->made.hContext, 1, NULL));
    BAD(fill_of(stage), (command.rects = rects, command.rect_count = RECTS + 1))
    BAD(fill_of(stage), (command.rects = rects, command.rect_count = UINT32_MAX))
    BAD(fill_of(stage), (command.rects = NULL, command.rect_count = 1))
    free(rects);
    free(many);
}

/* Of the client's memory a part is not there, or not for reading. */
static void free_memory_early(const struct stage *stage)
{
    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct drydock_gdi_command *commands = (void *)(pages + PAGE - sizeof *commands);
    RECT *rects = (void *)(pages + PAGE - sizeof *rects);

    if (pages == MAP_FAILED || munmap(pages + PAGE, PAGE) != 0) {
        host->fail(host, "no memory for the test");
        return;
    }
    EXPECT(STATUS_ACCESS_VIOLATION, drydock_draw_gdi((void *)(pages + PAGE)));
    EXPECT(STATUS_ACCESS_VIOLATION, drydock_create_gdi_context((void *)(pages + PAGE)));
    *rects = whole;
    REFUSED(STATUS_ACCESS_VIOLATION, fill_of(stage),
            (command.rects = rects, command.rect_count = 2))
    *commands = fill_of(stage);
    EXPECT(STATUS_ACCESS_VIOLATION, draw_all(stage->made.hContext, 2, commands));
    munmap(pages, PAGE);
    EXPECT(STATUS_ACCESS_VIOLATION, draw_all(stage->made.hContext, 1, commands));
    REFUSED(STATUS_ACCESS_VIOLATION, fill_of(stage),
            (command.rects = rects, command.rect_count = 1))
}

/* The context is for GDI alone. */
static void send_other_work(const struct stage *stage)
{
    D3DKMT_RENDER render = {.hContext = stage->made.hContext};
    D3DKMT_PRESENT present = {.hContext = stage->made.hContext,
                              .hSource = stage->source.hAllocation,
                              .hDestination = stage->target.hAllocation,
                              .Flags.Blt = 1};
    D3DKMT_CREATECONTEXT other = {.hDevice = stage->made.hDevice};
    D3DKMT_CREATECONTEXTVIRTUAL by_address = {.hDevice = stage->made.hDevice};
    D3DKMT_SUBMITCOMMAND submit = {.Commands = 0x10000,
                                   .CommandLength = 64,
                                   .BroadcastContextCount = 1,
                                   .BroadcastContext = {stage->made.hContext}};

    /* And on its device there are such contexts alone. */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateContext(&other));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateContextVirtual(&by_address));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTRender(&render));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTPresent(&present));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSubmitCommand(&submit));
}

/* The run has some work that is done. */
static void work(const struct stage *stage)
{
    D3DKMT_PRESENT blt = hostile_blt(&stage->other);

    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&blt));
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){stage->other.device}));
}

static void run_refused(const struct drydock_workload_host *given)
{
    hostile_host = given;
    for (int i = 0; i < 2; i++) {
        struct stage stage;
        if (!open_stage(&stage, i)) {
            continue;
        }
        name_others_things(&stage);
        name_places_outside(&stage);
        name_what_is_not_there(&stage);
        ask_what_caps_leave_out(&stage);
        count_wrongly(&stage);
        free_memory_early(&stage);
        send_other_work(&stage);
        work(&stage);
        close_stage(&stage);
    }
}

/* ---- What is drawn --------------------------------------------------------------------------- */

/* Of what is left of a command nothing is drawn: none of it is an error. */
static void draw_nothing(const struct stage *stage)
{
    static const RECT outside[] = {{-9, -9, 0, 0},
                                   {WIDTH, 0, WIDTH + 5, 5},
                                   {9, 9, 3, 3},
                                   {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MAX},
                                   {INT32_MAX, 0, INT32_MIN, 1}};
    struct drydock_gdi_command command = fill_of(stage);

    command.rects = outside;
    command.rect_count = sizeof outside / sizeof *outside;
    EXPECT(STATUS_SUCCESS, draw(stage, command));
    command = fill_of(stage);
    command.to = (RECT){100, 100, 200, 200};
    EXPECT(STATUS_SUCCESS, draw(stage, command));
    command = from_source(stage, DRYDOCK_GDI_CLEARTYPEBLEND);
    command.offset_x = 32767;
    EXPECT(STATUS_SUCCESS, draw(stage, command));
}

/* As many commands and rectangles as there may be, and each of the operations. */
static void draw_much(const struct stage *stage)
{
    struct drydock_gdi_command *many = calloc(COMMANDS, sizeof *many);
    RECT *rects = calloc(RECTS, sizeof *rects);
    struct drydock_gdi_command text = from_source(stage, DRYDOCK_GDI_CLEARTYPEBLEND);

    for (unsigned i = 0; rects && i < RECTS; i++) {
        LONG x = (LONG)(i % WIDTH), y = (LONG)(i / WIDTH % HEIGHT);
        rects[i] = (RECT){x, y, x + 1, y + 1};
    }
    for (unsigned i = 0; many && i < COMMANDS; i++) {
        many[i] = i % 7 == 0   ? (struct drydock_gdi_command){.operation = DRYDOCK_GDI_ESCAPE}
                  : i % 7 == 1 ? fill_of(stage)
                               : from_source(stage, i % 7 == 2   ? DRYDOCK_GDI_BITBLT
                                                    : i % 7 == 3 ? DRYDOCK_GDI_ALPHABLEND
                                                    : i % 7 == 4 ? DRYDOCK_GDI_STRETCHBLT
                                                    : i % 7 == 5 ? DRYDOCK_GDI_TRANSPARENTBLT
                                                                 : DRYDOCK_GDI_CLEARTYPEBLEND);
    }
    EXPECT(STATUS_SUCCESS, draw_all(stage->made.hContext, COMMANDS, many));
    struct drydock_gdi_command fill = fill_of(stage);
    fill.rects = rects;
    fill.rect_count = RECTS;
    EXPECT(STATUS_SUCCESS, draw(stage, fill));
    text.gamma = 15;
    text.hTable = stage->table.hAllocation;
    EXPECT(STATUS_SUCCESS, draw(stage, text));
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){stage->made.hDevice}));
    free(rects);
    free(many);
}

static uint32_t pixel_of(const struct stage *stage, D3DKMT_HANDLE allocation)
{
    D3DKMT_LOCK lock = {.hDevice = stage->made.hDevice, .hAllocation = allocation};
    uint32_t pixel = 0;

    EXPECT(STATUS_SUCCESS, D3DKMTLock(&lock));
    if (lock.pData) {
        pixel = *(const uint32_t *)lock.pData;
        EXPECT(STATUS_SUCCESS, D3DKMTUnlock(&(D3DKMT_UNLOCK){stage->made.hDevice, 1, &allocation}));
    }
    return pixel;
}

/* What was drawn is there when the surface goes right behind it. */
static void destroy_behind(const struct stage *stage)
{
    struct drydock_standard_allocation passing =
        surface(stage->made.hDevice, DRYDOCK_SURFACE_GDI_TEXTURE);
    struct drydock_gdi_command commands[2] = {fill_of(stage), fill_of(stage)};
    const D3DKMT_DESTROYALLOCATION destroy = {.hDevice = stage->made.hDevice,
                                              .phAllocationList = &passing.hAllocation,
                                              .AllocationCount = 1};

    commands[0].hDestination = passing.hAllocation;
    commands[0].color = 0xFF778899;
    commands[1] = from_source(stage, DRYDOCK_GDI_BITBLT);
    commands[1].hSource = passing.hAllocation;
    commands[1].hDestination = stage->source.hAllocation;
    EXPECT(STATUS_SUCCESS, draw_all(stage->made.hContext, 2, commands));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation(&destroy));
    EXPECT(STATUS_INVALID_PARAMETER, draw(stage, commands[1]));
    EXPECT(0xFF778899, pixel_of(stage, stage->source.hAllocation));
}

struct drawer {
    const struct stage *stage;
    D3DKMT_HANDLE passing;
    unsigned drawn;
};

/* One of several that draw in one context, in surfaces that another thread destroys meanwhile. */
static void draw_often(void *argument)
{
    struct drawer *drawer = argument;
    struct drydock_gdi_command commands[40];

    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < 40; i++) {
            commands[i] = from_source(drawer->stage, DRYDOCK_GDI_ALPHABLEND);
            commands[i].alpha = 3 * i;
            commands[i].hSource = i % 5 ? commands[i].hSource : drawer->passing;
        }
        NTSTATUS status = draw_all(drawer->stage->made.hContext, 40, commands);
        if (status != STATUS_INVALID_PARAMETER && status != STATUS_INVALID_HANDLE) {
            EXPECT(STATUS_SUCCESS, status);
            drawer->drawn++;
        }
    }
}

static void destroy_meanwhile(const struct stage *stage)
{
    struct drydock_standard_allocation passing =
        surface(stage->made.hDevice, DRYDOCK_SURFACE_GDI_TEXTURE);
    const D3DKMT_DESTROYALLOCATION destroy = {.hDevice = stage->made.hDevice,
                                              .phAllocationList = &passing.hAllocation,
                                              .AllocationCount = 1};
    struct drawer drawers[2] = {{stage, passing.hAllocation, 0}, {stage, passing.hAllocation, 0}};
    struct drydock_process *threads[2];

    for (unsigned i = 0; i < 2; i++) {
        threads[i] = host->start_thread(host, "drawer", draw_often, &drawers[i]);
    }
    while (drawers[0].drawn + drawers[1].drawn < 2 && !host->failed(host)) {
        host->sleep_until(host, host->now_ns(host) + 10000);
    }
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation(&destroy));
    for (unsigned i = 0; i < 2; i++) {
        host->join(host, threads[i]);
    }
}

/* A node that copies and cannot draw: by addresses RenderGdi leaves out what it cannot. */
static void draw_where_copies_are(const struct stage *stage)
{
    struct drydock_gdi_context made = {
        .hAdapter = stage->other.adapter, .node = COPY_NODE, .virtual_addresses = true};

    if (drydock_create_gdi_context(&made) < 0) {
        return;
    }
    struct stage copies = *stage;
    copies.made = made;
    copies.target = surface(made.hDevice, DRYDOCK_SURFACE_GDI_TEXTURE);
    copies.source = surface(made.hDevice, DRYDOCK_SURFACE_GDI_STAGING);
    EXPECT(STATUS_SUCCESS, draw(&copies, fill_of(&copies)));
    EXPECT(STATUS_SUCCESS, draw(&copies, from_source(&copies, DRYDOCK_GDI_BITBLT)));
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){made.hDevice}));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){made.hDevice}));
    host->count(host, "test.copy_node", 1);
}

static void draw_on_stage(void)
{
    for (int i = 0; i < 2; i++) {
        struct stage stage;
        if (open_stage(&stage, i)) {
            draw_nothing(&stage);
            draw_much(&stage);
            destroy_behind(&stage);
            destroy_meanwhile(&stage);
            if (i) {
                draw_where_copies_are(&stage);
            }
            work(&stage);
            close_stage(&stage);
        }
    }
}

/* Ends with its work under way; nothing of it is closed. */
static void draw_and_go(void *argument)
{
    struct stage stage;

    if (open_stage(&stage, false)) {
        EXPECT(STATUS_INVALID_PARAMETER,
               draw_all(*(D3DKMT_HANDLE *)argument, 1, &(struct drydock_gdi_command){0}));
        for (unsigned i = 0; i < 5; i++) {
            EXPECT(STATUS_SUCCESS, draw(&stage, fill_of(&stage)));
        }
    }
}

static void run_drawn(const struct drydock_workload_host *given)
{
    struct stage stage;

    hostile_host = given;
    if (open_stage(&stage, false)) {
        struct drydock_process *other =
            host->start_process(host, "other", draw_and_go, &stage.made.hContext);
        EXPECT(STATUS_SUCCESS, draw(&stage, fill_of(&stage)));
        host->join(host, other);
        EXPECT(STATUS_SUCCESS, draw(&stage, fill_of(&stage)));
        close_stage(&stage);
    }
    draw_on_stage();
}

static void run_absent(const struct drydock_workload_host *given)
{
    struct stage stage = {0};

    hostile_host = given;
    stage.other = hostile_open();
    for (int i = 0; i < 2; i++) {
        struct drydock_gdi_context create = {.hAdapter = stage.other.adapter,
                                             .virtual_addresses = i};
        EXPECT(STATUS_NOT_SUPPORTED, drydock_create_gdi_context(&create));
    }
    work(&stage);
    hostile_close(&stage.other);
}

const struct drydock_workload gdi_refused = {.abi = DRYDOCK_WORKLOAD_ABI,
                                             .name = "gdi_refused",
                                             .description = "what is not GDI's to ask for",
                                             .run = run_refused};
const struct drydock_workload gdi_drawn = {
    .abi = DRYDOCK_WORKLOAD_ABI, .name = "gdi_drawn", .description = "what is", .run = run_drawn};
const struct drydock_workload gdi_absent = {.abi = DRYDOCK_WORKLOAD_ABI,
                                            .name = "gdi_absent",
                                            .description = "a driver that draws nothing for GDI",
                                            .run = run_absent};
