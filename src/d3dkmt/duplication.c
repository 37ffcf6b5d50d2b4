/* Output duplication: what a compositor shows of a source is copied, by the driver's Present, to
 * surfaces that other processes gave for it (D3DKMTCreateOutputDupl), with the parts that changed.
 *
 *     compositor ── OutputDuplPresent(source) ──> Present of the driver ──> surface `next`, or the
 *                                                        │                  one behind it while the
 *                                                        v                  client has that
 *     client ── GetFrameInfo ──> has `next` <── frames that came meanwhile
 *            ── GetMetaData, GetPointerShapeData
 *            ── ReleaseFrame ──> the one behind it is `next`
 *
 * A duplication is one process's, of one source; it ends with the adapter's handle that it was made
 * with. What the documents leave open is in docs/choices.md. */
#include "d3dkmt/duplication.h"
#include "d3dkmt/internal.h"

#include <string.h>

#define SURFACES   3u  /* OUTPUTDUPL_CREATE_MAX_KEYEDMUTXES */
#define OPENED_MAX 4u  /* devices of compositors that a surface is open in */
#define RECTS_MAX  64u /* of a frame; more are told as the whole */

/* An opening in a compositor's device, made when something had to be copied to there; or zeros. */
struct opened {
    D3DKMT_HANDLE handle;
    uint64_t life;
};

struct surface {
    uint64_t share; /* a handle of the system of our own: the client may close its own */
    uint64_t share_number;
    struct opened opened[OPENED_MAX]; /* the newest first */
};

/* What came since the client looked last, or what it looks at. */
struct seen {
    UINT frames;
    uint64_t time; /* of the last, as KeQueryPerformanceCounter tells it */
    bool coalesced, masked;
    UINT dirty_count, move_count;
    RECT dirty[RECTS_MAX];
    D3DKMT_MOVE_RECT moves[RECTS_MAX];
};

struct duplication {
    uint64_t number; /* of all that ever were; 0: there is none */
    uint64_t process;
    D3DKMT_HANDLE adapter_handle;
    uint64_t adapter_life;
    struct surface surfaces[SURFACES];
    UINT next, copies; /* copies: that are being queued */
    bool held;
    struct seen coming, looked_at;
};

static struct duplication all[D3DKMDT_MAX_VIDPN_SOURCES][CLIENT_DUPLICATIONS_MAX];
static uint64_t last_number;

/* ---- Lives ----------------------------------------------------------------------------------- */

static bool is_open(const struct opened *opened)
{
    return opened->handle && dxgk_handle_life(opened->handle, DXGK_KIND_OPENING) == opened->life;
}

/* For the driver in its compositor's process, whoever is about it. */
static void close_opened(struct client_call *call, const struct opened *opened)
{
    struct dxgk_opening *opening =
        is_open(opened) ? client_object(call, opened->handle, DXGK_KIND_OPENING, NULL) : NULL;
    struct dxgk_device *device = opening ? dxgk_opening_device(opening) : NULL;

    if (device &&
        client_object(call, dxgk_device_handle(device), DXGK_KIND_DEVICE, NULL) == device) {
        const struct dxgk_destruction how = {.openings = &opening, .count = 1, .waits = true};
        dxgk_process_set_current(dxgk_device_process(device));
        (void)dxgk_allocations_destroy(device, &how); /* another thread may be about it */
        dxgk_process_set_current(call->process);
    }
}

/* Its surfaces are let go, unless its process has ended, and they with it: a handle of that value
 * may be another one. */
static void end(struct client_call *call, struct duplication *duplication)
{
    struct surface surfaces[SURFACES];

    memcpy(surfaces, duplication->surfaces, sizeof surfaces);
    duplication->number = 0; /* what follows may switch */
    for (UINT i = 0; i < SURFACES; i++) {
        const struct surface *surface = &surfaces[i];
        for (UINT k = 0; k < OPENED_MAX; k++) {
            close_opened(call, &surface->opened[k]);
        }
        if (surface->share && dxgk_share_number(surface->share) == surface->share_number) {
            (void)dxgk_share_close(surface->share);
        }
    }
}

static bool lives(const struct duplication *duplication)
{
    return duplication->number && nt_process_is(duplication->process) &&
           dxgk_handle_life(duplication->adapter_handle, DXGK_KIND_ADAPTER) ==
               duplication->adapter_life;
}

static void end_dead(struct client_call *call, UINT source)
{
    for (UINT i = 0; i < CLIENT_DUPLICATIONS_MAX; i++) {
        struct duplication *duplication = &all[source][i];
        if (duplication->number && !lives(duplication)) {
            end(call, duplication);
        }
    }
}

UINT client_duplications(UINT source)
{
    UINT count = 0;

    for (UINT i = 0; i < CLIENT_DUPLICATIONS_MAX; i++) {
        count += lives(&all[source][i]);
    }
    return count;
}

/* Of the calling process; NULL: it has none. */
static struct duplication *find(UINT source)
{
    uint64_t process = nt_process_id(nt_process_current());

    for (UINT i = 0; source < D3DKMDT_MAX_VIDPN_SOURCES && i < CLIENT_DUPLICATIONS_MAX; i++) {
        if (lives(&all[source][i]) && all[source][i].process == process) {
            return &all[source][i];
        }
    }
    return NULL;
}

static struct duplication *find_numbered(UINT source, uint64_t number)
{
    for (UINT i = 0; i < CLIENT_DUPLICATIONS_MAX; i++) {
        if (number && all[source][i].number == number) {
            return &all[source][i];
        }
    }
    return NULL;
}

static NTSTATUS check_source(struct client_call *call, D3DKMT_HANDLE handle, UINT source)
{
    struct dxgk_adapter *adapter = adapter_of(call, handle);
    struct dxgk_mode mode;

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    return source < D3DKMDT_MAX_VIDPN_SOURCES && dxgk_source_mode(adapter, source, &mode)
               ? STATUS_SUCCESS
               : STATUS_INVALID_PARAMETER;
}

/* A surface is one allocation, with a keyed mutex beside it. */
static NTSTATUS share_surface(struct client_call *call, HANDLE handle, struct surface *surface)
{
    const struct dxgk_share_list list = {.resource = client_shared_resource(call, handle),
                                         .keyed = client_shared_keyed(call, handle),
                                         .sync = client_shared_sync(call, handle)};
    struct dxgk_resource_info info;

    if (!list.resource) {
        return STATUS_INVALID_HANDLE;
    }
    dxgk_resource_info(list.resource, &info);
    if (!list.keyed || info.allocation_count != 1) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = dxgk_share(call->process, &list, &surface->share);
    surface->share_number = NT_SUCCESS(status) ? dxgk_share_number(surface->share) : 0;
    return status;
}

static struct duplication *free_place(UINT source)
{
    for (UINT i = 0; i < CLIENT_DUPLICATIONS_MAX; i++) {
        if (all[source][i].number == 0) {
            return &all[source][i];
        }
    }
    return NULL;
}

static NTSTATUS create(struct client_call *call, D3DKMT_CREATE_OUTPUTDUPL *arguments)
{
    UINT source = arguments->VidPnSourceId;
    NTSTATUS status = check_source(call, arguments->hAdapter, source);
    struct surface surfaces[SURFACES] = {0};

    if (!NT_SUCCESS(status) || arguments->Flags.Reserved || arguments->KeyedMutexCount > SURFACES) {
        return STATUS_INVALID_PARAMETER;
    }
    end_dead(call, source);
    if (find(source)) {
        return STATUS_INVALID_PARAMETER;
    }
    if (!free_place(source)) {
        return STATUS_INSUFFICIENT_RESOURCES;
    }
    arguments->RequiredKeyedMutexCount = SURFACES;
    if (arguments->KeyedMutexCount == 0) {
        return STATUS_SUCCESS; /* it asked whether, and how many */
    }
    status = arguments->KeyedMutexCount == SURFACES ? status : STATUS_INVALID_PARAMETER;
    for (UINT i = 0; NT_SUCCESS(status) && i < SURFACES; i++) {
        status = share_surface(call, arguments->KeyedMutexs[i].hSharedSurfaceNt, &surfaces[i]);
    }
    struct duplication *place = find(source) ? NULL : free_place(source);
    if (NT_SUCCESS(status) && !place) {
        status = STATUS_INVALID_PARAMETER; /* another thread was faster */
    }
    if (!NT_SUCCESS(status)) {
        for (UINT i = 0; i < SURFACES; i++) {
            (void)(surfaces[i].share ? dxgk_share_close(surfaces[i].share) : 0);
        }
        return status;
    }
    *place = (struct duplication){
        .number = ++last_number,
        .process = nt_process_id(nt_process_current()),
        .adapter_handle = arguments->hAdapter,
        .adapter_life = dxgk_handle_life(arguments->hAdapter, DXGK_KIND_ADAPTER),
    };
    memcpy(place->surfaces, surfaces, sizeof surfaces);
    return STATUS_SUCCESS;
}
CLIENT_CALL_FILLING(CreateOutputDupl, create, D3DKMT_CREATE_OUTPUTDUPL)

static NTSTATUS destroy(struct client_call *call, const D3DKMT_DESTROY_OUTPUTDUPL *arguments)
{
    UINT source = arguments->VidPnSourceId, ended = 0;
    NTSTATUS status = check_source(call, arguments->hAdapter, source);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    end_dead(call, source);
    for (UINT i = 0; i < CLIENT_DUPLICATIONS_MAX; i++) {
        struct duplication *duplication = &all[source][i];
        if (duplication->number &&
            (arguments->bDestroyAllContexts || duplication == find(source))) {
            end(call, duplication);
            ended++;
        }
    }
    return ended > 0 ? STATUS_SUCCESS : STATUS_NOT_FOUND;
}
CLIENT_CALL_IN(DestroyOutputDupl, destroy, D3DKMT_DESTROY_OUTPUTDUPL)

/* ---- Frames that are looked at --------------------------------------------------------------- */

static NTSTATUS find_for(struct client_call *call, D3DKMT_HANDLE adapter, UINT source,
                         struct duplication **out)
{
    NTSTATUS status = check_source(call, adapter, source);

    *out = NT_SUCCESS(status) ? find(source) : NULL;
    return NT_SUCCESS(status) && !*out ? STATUS_NOT_FOUND : status;
}

/* The same of one whose frame the client has. */
static NTSTATUS find_held(struct client_call *call, D3DKMT_HANDLE adapter, UINT source,
                          struct duplication **out)
{
    NTSTATUS status = find_for(call, adapter, source, out);

    return NT_SUCCESS(status) && !(*out)->held ? STATUS_INVALID_PARAMETER : status;
}

/* There is no pointer in what clients show. Frames: 0 is none since the last, and nothing that
 * would have to be released. */
static NTSTATUS frame_info(struct client_call *call, D3DKMT_OUTPUTDUPL_GET_FRAMEINFO *arguments)
{
    struct duplication *duplication;
    NTSTATUS status = find_for(call, arguments->hAdapter, arguments->VidPnSourceId, &duplication);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (duplication->held) {
        return STATUS_INVALID_PARAMETER;
    }
    arguments->FrameInfo = (D3DKMT_OUTPUTDUPL_FRAMEINFO){0};
    if (duplication->coming.frames == 0 || duplication->copies > 0) {
        return STATUS_SUCCESS;
    }
    const struct seen *seen = &duplication->looked_at;
    duplication->looked_at = duplication->coming;
    duplication->coming = (struct seen){0};
    duplication->held = true;
    arguments->FrameInfo = (D3DKMT_OUTPUTDUPL_FRAMEINFO){
        .LastPresentTime.QuadPart = (LONGLONG)seen->time,
        .AccumulatedFrames = seen->frames,
        .RectsCoalesced = seen->coalesced,
        .ProtectedContentMaskedOut = seen->masked,
        .TotalMetadataBufferSize = seen->dirty_count * (UINT)sizeof *seen->dirty +
                                   seen->move_count * (UINT)sizeof *seen->moves,
    };
    return STATUS_SUCCESS;
}
CLIENT_CALL(OutputDuplGetFrameInfo, frame_info, D3DKMT_OUTPUTDUPL_GET_FRAMEINFO)

static NTSTATUS metadata(struct client_call *call, D3DKMT_OUTPUTDUPL_METADATA *arguments)
{
    struct duplication *duplication;
    NTSTATUS status = find_held(call, arguments->hAdapter, arguments->VidPnSourceId, &duplication);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    if ((unsigned)arguments->Type > D3DKMT_OUTPUTDUPL_METADATATYPE_MOVE_RECTS) {
        return STATUS_INVALID_PARAMETER;
    }
    const struct seen *seen = &duplication->looked_at;
    bool moves = arguments->Type == D3DKMT_OUTPUTDUPL_METADATATYPE_MOVE_RECTS;
    arguments->BufferSizeRequired = moves ? seen->move_count * (UINT)sizeof *seen->moves
                                          : seen->dirty_count * (UINT)sizeof *seen->dirty;
    if (arguments->BufferSizeSupplied < arguments->BufferSizeRequired) {
        return STATUS_BUFFER_TOO_SMALL;
    }
    return client_write(arguments->pBuffer, moves ? (const void *)seen->moves : seen->dirty,
                        arguments->BufferSizeRequired);
}
CLIENT_CALL(OutputDuplGetMetaData, metadata, D3DKMT_OUTPUTDUPL_METADATA)

static NTSTATUS pointer_shape(struct client_call *call,
                              D3DKMT_OUTPUTDUPL_GET_POINTER_SHAPE_DATA *arguments)
{
    struct duplication *duplication;
    NTSTATUS status = find_held(call, arguments->hAdapter, arguments->VidPnSourceId, &duplication);

    if (NT_SUCCESS(status)) {
        arguments->BufferSizeRequired = 0;
        arguments->ShapeInfo = (D3DKMT_OUTDUPL_POINTER_SHAPE_INFO){0};
    }
    return status;
}
CLIENT_CALL(OutputDuplGetPointerShapeData, pointer_shape, D3DKMT_OUTPUTDUPL_GET_POINTER_SHAPE_DATA)

static NTSTATUS release(struct client_call *call, D3DKMT_OUTPUTDUPL_RELEASE_FRAME *arguments)
{
    struct duplication *duplication;
    NTSTATUS status = find_held(call, arguments->hAdapter, arguments->VidPnSourceId, &duplication);

    if (NT_SUCCESS(status)) {
        duplication->held = false;
        duplication->next = (duplication->next + 1) % SURFACES;
        arguments->NextKeyMutexIdx = duplication->next;
    }
    return status;
}
CLIENT_CALL(OutputDuplReleaseFrame, release, D3DKMT_OUTPUTDUPL_RELEASE_FRAME)

/* ---- Frames that come ------------------------------------------------------------------------ */

/* What changed, in a copy of the compositor's lists. */
struct regions {
    UINT dirty_count, move_count;
    const RECT *dirty;
    const D3DKMT_MOVE_RECT *moves;
    bool masked;
};

static NTSTATUS decode_regions(struct client_call *call, const D3DKMT_PRESENT_RGNS *given,
                               struct regions *out)
{
    void *dirty, *moves;

    if (given->DirtyRectCount > SUB_RECTS_MAX || given->MoveRectCount > SUB_RECTS_MAX) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status =
        client_capture(call, given->pDirtyRects, given->DirtyRectCount, sizeof(RECT), &dirty);
    if (NT_SUCCESS(status)) {
        status = client_capture(call, given->pMoveRects, given->MoveRectCount,
                                sizeof(D3DKMT_MOVE_RECT), &moves);
    }
    if (NT_SUCCESS(status)) {
        out->dirty_count = given->DirtyRectCount;
        out->move_count = given->MoveRectCount;
        out->dirty = dirty;
        out->moves = moves;
    }
    return status;
}

static void add_dirty(struct seen *seen, const RECT *rect)
{
    if (seen->dirty_count < RECTS_MAX) {
        seen->dirty[seen->dirty_count++] = *rect;
        return;
    }
    RECT *last = &seen->dirty[RECTS_MAX - 1];
    seen->coalesced = true;
    last->left = rect->left < last->left ? rect->left : last->left;
    last->top = rect->top < last->top ? rect->top : last->top;
    last->right = rect->right > last->right ? rect->right : last->right;
    last->bottom = rect->bottom > last->bottom ? rect->bottom : last->bottom;
}

/* Moves of one frame are told as moves; with a frame behind it what they moved has changed. */
static void note_frame(struct seen *seen, const struct regions *regions)
{
    bool first = seen->frames == 0 && regions->move_count <= RECTS_MAX;

    for (UINT i = 0; i < seen->move_count; i++) {
        add_dirty(seen, &seen->moves[i].DestRect);
    }
    seen->move_count = 0;
    for (UINT i = 0; i < regions->move_count; i++) {
        if (first) {
            seen->moves[seen->move_count++] = regions->moves[i];
        } else {
            add_dirty(seen, &regions->moves[i].DestRect);
        }
    }
    for (UINT i = 0; i < regions->dirty_count; i++) {
        add_dirty(seen, &regions->dirty[i]);
    }
    seen->frames++;
    seen->time = nt_performance_counter();
    seen->masked |= regions->masked;
}

/* The one in that device; 0: none. */
static D3DKMT_HANDLE opened_in(struct client_call *call, const struct dxgk_device *device,
                               const struct surface *surface)
{
    for (UINT i = 0; i < OPENED_MAX; i++) {
        const struct opened *opened = &surface->opened[i];
        if (is_open(opened) && opening_of(call, device, opened->handle)) {
            return opened->handle;
        }
    }
    return 0;
}

/* The oldest makes way, if there are too many. */
static void keep_opened(struct client_call *call, struct surface *surface, D3DKMT_HANDLE handle)
{
    UINT place = 0;

    while (place < OPENED_MAX - 1 && is_open(&surface->opened[place])) {
        place++;
    }
    struct opened last = surface->opened[place];
    memmove(&surface->opened[1], &surface->opened[0], place * sizeof last);
    surface->opened[0] = (struct opened){handle, dxgk_handle_life(handle, DXGK_KIND_OPENING)};
    close_opened(call, &last); /* may switch */
}

/* In the compositor's device, where the driver is asked to open it when that was not done yet. */
static NTSTATUS open_surface(struct client_call *call, struct dxgk_device *device,
                             struct duplication *duplication, UINT index, D3DKMT_HANDLE *out)
{
    struct surface *surface = &duplication->surfaces[index];
    uint64_t number = duplication->number;
    struct dxgk_opening *opening;
    UINT count = 1;

    *out = opened_in(call, device, surface);
    if (*out) {
        return STATUS_SUCCESS;
    }
    struct dxgk_resource *resource =
        client_shared_resource(call, (HANDLE)(uintptr_t)surface->share);
    if (!resource) {
        return STATUS_INVALID_HANDLE;
    }
    NTSTATUS status = dxgk_resource_open(device, resource, &opening, &count);
    if (NT_SUCCESS(status)) {
        *out = dxgk_opening_handle(opening);
    }
    if (NT_SUCCESS(status) && duplication->number == number) { /* it is the same still */
        keep_opened(call, surface, *out);
    }
    return status;
}

/* One whole picture, for what the surface lacks may be of frames long ago. */
static NTSTATUS copy(struct client_call *call, const struct client_copier *copier,
                     struct duplication *duplication, const struct regions *regions)
{
    UINT index = (duplication->next + duplication->held) % SURFACES;
    uint64_t number = duplication->number;
    struct client_copier to_surface = *copier;

    duplication->copies++;
    NTSTATUS status = open_surface(call, dxgk_context_device(copier->context), duplication, index,
                                   &to_surface.destination);
    if (NT_SUCCESS(status)) {
        status = client_present_copy(call, &to_surface);
    }
    if (duplication->number == number) {
        duplication->copies--;
        if (NT_SUCCESS(status)) {
            note_frame(&duplication->coming, regions);
        }
    }
    return status;
}

static NTSTATUS present(struct client_call *call, const struct client_copier *copier, UINT source,
                        const D3DKMT_PRESENT_RGNS *given, D3DKMT_OUTPUTDUPLPRESENTFLAGS flags)
{
    struct dxgk_device *device = dxgk_context_device(copier->context);
    struct regions regions = {.masked = flags.ProtectedContentBlankedOut};
    uint64_t numbers[CLIENT_DUPLICATIONS_MAX];
    struct dxgk_mode mode;

    if (flags.Reserved) {
        return STATUS_INVALID_PARAMETER;
    }
    if (flags.RemoteSession || flags.PresentIndirect) {
        return STATUS_NOT_SUPPORTED; /* there is one session, and one adapter */
    }
    if (!opening_of(call, device, copier->source)) {
        return NO_SUCH_OBJECT;
    }
    if (source >= D3DKMDT_MAX_VIDPN_SOURCES ||
        !dxgk_source_mode(dxgk_device_adapter(device), source, &mode)) {
        return STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = decode_regions(call, given, &regions);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    if (dxgk_device_state(device) != D3DKMT_DEVICEEXECUTION_ACTIVE) {
        return STATUS_DEVICE_REMOVED;
    }
    end_dead(call, source);
    for (UINT i = 0; i < CLIENT_DUPLICATIONS_MAX; i++) {
        numbers[i] = all[source][i].number;
    }
    for (UINT i = 0; i < CLIENT_DUPLICATIONS_MAX; i++) {
        struct duplication *duplication = find_numbered(source, numbers[i]);
        NTSTATUS one = duplication ? copy(call, copier, duplication, &regions) : STATUS_SUCCESS;
        status = NT_SUCCESS(status) ? one : status; /* the others look all the same */
    }
    return status;
}

static NTSTATUS present_by_context(struct client_call *call,
                                   const D3DKMT_OUTPUTDUPLPRESENT *arguments)
{
    const struct client_copier copier = {.context = context_of(call, arguments->hContext),
                                         .source = arguments->hSource};

    if (!copier.context) {
        return NO_SUCH_OBJECT;
    }
    return arguments->BroadcastContextCount ? STATUS_NOT_SUPPORTED /* linked adapters */
                                            : present(call, &copier, arguments->VidPnSourceId,
                                                      &arguments->PresentRegions, arguments->Flags);
}
CLIENT_CALL_IN(OutputDuplPresent, present_by_context, D3DKMT_OUTPUTDUPLPRESENT)

static NTSTATUS present_by_queue(struct client_call *call,
                                 const D3DKMT_OUTPUTDUPLPRESENTTOHWQUEUE *arguments)
{
    void *queues;

    if (arguments->BroadcastHwQueueCount != 1) {
        return arguments->BroadcastHwQueueCount ? STATUS_NOT_SUPPORTED : STATUS_INVALID_PARAMETER;
    }
    NTSTATUS status = client_capture(call, arguments->hHwQueues, 1, sizeof(D3DKMT_HANDLE), &queues);
    if (!NT_SUCCESS(status)) {
        return status;
    }
    struct client_copier copier = {.queue = hwqueue_of(call, *(const D3DKMT_HANDLE *)queues),
                                   .source = arguments->hSource};
    if (!copier.queue) {
        return NO_SUCH_OBJECT;
    }
    copier.context = dxgk_hwqueue_stream(copier.queue);
    return present(call, &copier, arguments->VidPnSourceId, &arguments->PresentRegions,
                   arguments->Flags);
}
CLIENT_CALL_IN(OutputDuplPresentToHwQueue, present_by_queue, D3DKMT_OUTPUTDUPLPRESENTTOHWQUEUE)
