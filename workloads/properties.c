/* Properties that a client asks for behind the creation, and the driver must not grant: what it
 * could not have answered in CreateAllocation. What allocations there are is agreed on in
 * softgpu_umd.h. */
#include "addressed.h"
#include "results.h"
#include "softgpu_client.h"

#define BYTES 0x10000u

/* `what` says what it would be. */
static bool is_refused_of(struct addressed *client, D3DKMT_HANDLE allocation,
                          D3DDDI_UPDATEALLOCPROPERTY update, const char *what)
{
    const struct drydock_workload_host *host = client->gpu.host;

    update.hPagingQueue = client->queue;
    update.hAllocation = allocation;
    NTSTATUS status = D3DKMTUpdateAllocationProperty(&update);
    if (status >= 0) {
        host->fail(
            host,
            "DxgkDdiValidateUpdateAllocationProperty granted a client %s: what CreateAllocation "
            "could not have answered is refused",
            what);
    }
    return status < 0;
}

/* Of an allocation with these flags. */
static bool is_refused(struct addressed *client, unsigned flags, D3DDDI_UPDATEALLOCPROPERTY update,
                       const char *what)
{
    struct memory_block block;

    if (!addressed_make(client, BYTES, flags, &block)) {
        return false;
    }
    bool refused = is_refused_of(client, block.allocation, update, what);
    addressed_destroy(client, &block);
    return refused;
}

/* One that could be shown, where anything is. */
static bool is_refused_of_a_primary(struct addressed *client, D3DDDI_UPDATEALLOCPROPERTY update)
{
    D3DKMT_DISPLAYMODE mode;
    struct surface primary;

    if (!gpu_display_mode(client->gpu.adapter, 0, &mode) || !gpu_is_32_bit(mode.Format)) {
        return true;
    }
    if (!softgpu_primary(&client->gpu, &mode, 0, &primary)) {
        return false;
    }
    bool refused = is_refused_of(client, primary.allocation, update,
                                 "the aperture for a primary, which no output scans there");
    gpu_surface_destroy(&client->gpu, &primary);
    return refused;
}

static bool refuses(struct addressed *client)
{
    static const unsigned cached =
        SOFTGPU_UMD_CACHED | SOFTGPU_UMD_CPU_VISIBLE | SOFTGPU_UMD_APERTURE_ONLY;
    const D3DDDI_UPDATEALLOCPROPERTY hidden = {.SetAccessedPhysically = 1};
    D3DDDI_UPDATEALLOCPROPERTY far_away = {.SetSupportedSegmentSet = 1}, unseen = far_away;
    uint32_t memory, aperture;

    if (!addressed_segments(client, &memory, &aperture)) {
        return false;
    }
    far_away.SupportedSegmentSet = memory;
    unseen.SupportedSegmentSet = memory | aperture;
    return (memory == 0 || aperture == 0 || is_refused_of_a_primary(client, unseen)) &&
           (memory == 0 ||
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
