/* Properties that a client asks for behind the creation, and the driver must not grant: what it
 * could not have answered in CreateAllocation. What allocations there are is agreed on in
 * softgpu_umd.h. */
#include "addressed.h"
#include "results.h"

#define BYTES 0x10000u

/* Asks for it, of an allocation with these flags; `what` says what it would be. */
static bool is_refused(struct addressed *client, unsigned flags, D3DDDI_UPDATEALLOCPROPERTY update,
                       const char *what)
{
    const struct drydock_workload_host *host = client->gpu.host;
    struct memory_block block;

    if (!addressed_make(client, BYTES, flags, &block)) {
        return false;
    }
    update.hPagingQueue = client->queue;
    update.hAllocation = block.allocation;
    NTSTATUS status = D3DKMTUpdateAllocationProperty(&update);
    if (status >= 0) {
        host->fail(
            host,
            "DxgkDdiValidateUpdateAllocationProperty granted a client %s: what CreateAllocation "
            "could not have answered is refused",
            what);
    }
    addressed_destroy(client, &block);
    return status < 0;
}

static bool refuses(struct addressed *client)
{
    static const unsigned cached =
        SOFTGPU_UMD_CACHED | SOFTGPU_UMD_CPU_VISIBLE | SOFTGPU_UMD_APERTURE_ONLY;
    const D3DDDI_UPDATEALLOCPROPERTY hidden = {.SetAccessedPhysically = 1};
    D3DDDI_UPDATEALLOCPROPERTY far_away = {.SetSupportedSegmentSet = 1};
    uint32_t memory, aperture;

    if (!addressed_segments(client, &memory, &aperture)) {
        return false;
    }
    far_away.SupportedSegmentSet = memory;
    return (memory == 0 ||
            is_refused(client, cached, far_away, "video memory for what the CPU has cached")) &&
           is_refused(client, SOFTGPU_UMD_NOTIFY_RESIDENCY, hidden,
                      "addresses of its own alone for an allocation of which the driver asked "
                      "ExplicitResidencyNotification [ALLOC-011]");
}

bool result_of_properties(const struct drydock_workload_host *host, unsigned node)
{
    struct addressed client;
    bool there;

    if (!addressed_open(&client, host, node, &there)) {
        return !there;
    }
    bool good = refuses(&client);
    addressed_close(&client);
    return good;
}
