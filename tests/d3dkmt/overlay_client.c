/* A client that asks for overlays, rightly and wrongly. */
#include <string.h>

#include "../../drivers/softgpu/softgpu_umd.h"
#include "asked_client.h"
#include "hostile_support.h"

#define NOBODY 0x1EADBEEDu

/* A plain one, of the client's small surface. */
static D3DKMT_CREATEOVERLAY plain(const struct hostile *client)
{
    return (D3DKMT_CREATEOVERLAY){.hDevice = client->device,
                                  .OverlayInfo = {.hAllocation = client->surface.hAllocation,
                                                  .DstRect = {10, 10, 26, 26},
                                                  .SrcRect = {0, 0, 16, 16}}};
}

static NTSTATUS destroy(D3DKMT_HANDLE device, D3DKMT_HANDLE overlay)
{
    return D3DKMTDestroyOverlay(&(D3DKMT_DESTROYOVERLAY){device, overlay});
}

static int is_on(D3DKMT_HANDLE device, D3DKMT_HANDLE overlay)
{
    D3DKMT_GETOVERLAYSTATE state = {.hDevice = device, .hOverlay = overlay, .OverlayEnabled = 2};

    EXPECT(STATUS_SUCCESS, D3DKMTGetOverlayState(&state));
    return state.OverlayEnabled;
}

static D3DKMT_HANDLE make(const struct hostile *client)
{
    D3DKMT_CREATEOVERLAY create = plain(client);

    EXPECT(STATUS_SUCCESS, D3DKMTCreateOverlay(&create));
    EXPECT(1, is_on(client->device, create.hOverlay));
    return create.hOverlay;
}

/* What the kernel refuses without asking the driver, and what the driver refuses. */
static void make_wrong(const struct hostile *client)
{
    struct softgpu_umd_overlay data = {.magic = SOFTGPU_UMD_OVERLAY_MAGIC, .version = 99};
    D3DKMT_CREATEOVERLAY create = plain(client);

    create.hDevice = NOBODY;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOverlay(&create));
    create = plain(client);
    create.VidPnSourceId = 99;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOverlay(&create));
    create = plain(client);
    create.VidPnSourceId = 1; /* it shows nothing */
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOverlay(&create));
    create = plain(client);
    create.OverlayInfo.hAllocation = NOBODY;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOverlay(&create));
    create = plain(client);
    create.OverlayInfo.DstRect.right = create.OverlayInfo.DstRect.left;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOverlay(&create));
    create = plain(client);
    create.OverlayInfo.SrcRect.left = -1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOverlay(&create));
    create = plain(client);
    create.OverlayInfo.SrcRect.right = 9999;
    EXPECT(STATUS_INSUFFICIENT_RESOURCES, D3DKMTCreateOverlay(&create));
    create = plain(client);
    create.OverlayInfo.PrivateDriverDataSize = sizeof data;
    create.OverlayInfo.pPrivateDriverData = (void *)8;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTCreateOverlay(&create));
    create.OverlayInfo.pPrivateDriverData = &data;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOverlay(&create));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTCreateOverlay((void *)8));
}

/* There are two, whosoever they are. */
static void make_many(const struct hostile *client, const struct hostile *other)
{
    D3DKMT_HANDLE first = make(client), second = make(other);
    D3DKMT_CREATEOVERLAY third = plain(client);

    EXPECT(STATUS_INSUFFICIENT_RESOURCES, D3DKMTCreateOverlay(&third));
    EXPECT(STATUS_INVALID_PARAMETER, destroy(client->device, second));
    EXPECT(STATUS_SUCCESS, destroy(client->device, first));
    EXPECT(STATUS_INVALID_PARAMETER, destroy(client->device, first));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateOverlay(&third));
    EXPECT(STATUS_SUCCESS, destroy(client->device, third.hOverlay));
    EXPECT(STATUS_SUCCESS, destroy(other->device, second));
}

static NTSTATUS update(D3DKMT_HANDLE overlay, const D3DKMT_CREATEOVERLAY *as)
{
    return D3DKMTUpdateOverlay(&(D3DKMT_UPDATEOVERLAY){as->hDevice, overlay, as->OverlayInfo});
}

static NTSTATUS flip(D3DKMT_HANDLE device, D3DKMT_HANDLE overlay, D3DKMT_HANDLE allocation)
{
    return D3DKMTFlipOverlay(
        &(D3DKMT_FLIPOVERLAY){.hDevice = device, .hOverlay = overlay, .hSource = allocation});
}

static void change(const struct hostile *client, const struct hostile *other)
{
    D3DKMT_CREATEOVERLAY as = plain(client), wrong = plain(other);
    D3DKMT_HANDLE overlay = make(client);

    as.OverlayInfo.DstRect = (D3DDDIRECT){-8, -8, 8, 8};
    EXPECT(STATUS_SUCCESS, update(overlay, &as));
    EXPECT(STATUS_INVALID_PARAMETER, update(NOBODY, &as));
    EXPECT(STATUS_INVALID_PARAMETER, update(overlay, &wrong));
    as.OverlayInfo.hAllocation = other->surface.hAllocation;
    EXPECT(STATUS_INVALID_PARAMETER, update(overlay, &as));
    EXPECT(STATUS_SUCCESS, flip(client->device, overlay, client->other.hAllocation));
    EXPECT(STATUS_INVALID_PARAMETER, flip(client->device, overlay, other->surface.hAllocation));
    EXPECT(STATUS_INVALID_PARAMETER, flip(other->device, overlay, other->surface.hAllocation));
    EXPECT(1, is_on(client->device, overlay));
    EXPECT(STATUS_SUCCESS, destroy(client->device, overlay));
}

/* What ends it without its client. */
static void lose(const struct hostile *client, struct drydock_standard_allocation *primary)
{
    D3DKMT_CREATEOVERLAY as = plain(client);
    struct drydock_standard_allocation surface = hostile_surface(client->device);

    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&surface));
    as.OverlayInfo.hAllocation = surface.hAllocation;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateOverlay(&as));
    D3DKMT_HANDLE second = make(client);
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation2(&(D3DKMT_DESTROYALLOCATION2){
                               .hDevice = client->device, .hResource = surface.hResource}));
    EXPECT(0, is_on(client->device, as.hOverlay));
    EXPECT(1, is_on(client->device, second));
    EXPECT(STATUS_SUCCESS,
           D3DKMTSetDisplayMode(&(D3DKMT_SETDISPLAYMODE){
               .hDevice = client->device, .hPrimaryAllocation = primary->hAllocation}));
    EXPECT(0, is_on(client->device, second));
    as = plain(client);
    EXPECT(STATUS_INVALID_PARAMETER, update(second, &as));
    EXPECT(STATUS_INVALID_PARAMETER, flip(client->device, second, client->surface.hAllocation));
    EXPECT(STATUS_SUCCESS, destroy(client->device, second));
    (void)make(client); /* with the device */
}

/* A device that has a source for itself has its overlays, too. */
static void own(const struct hostile *client, const struct hostile *other)
{
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;
    D3DKMT_VIDPNSOURCEOWNER_TYPE type = D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE;
    const D3DKMT_SETVIDPNSOURCEOWNER set = {client->device, &type, &source, 1};
    D3DKMT_CREATEOVERLAY create = plain(other);

    EXPECT(STATUS_SUCCESS, D3DKMTSetVidPnSourceOwner(&set));
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOverlay(&create));
    EXPECT(STATUS_SUCCESS, destroy(client->device, make(client)));
    type = D3DKMT_VIDPNSOURCEOWNER_UNOWNED;
    EXPECT(STATUS_SUCCESS, D3DKMTSetVidPnSourceOwner(&set));
}

static void run(const struct drydock_workload_host *given)
{
    struct drydock_standard_allocation primary;

    hostile_host = given;
    const struct hostile client = hostile_open(), other = hostile_open();
    D3DKMT_CREATEOVERLAY create = plain(&client);

    if (!(host->capabilities & DRYDOCK_DRIVER_HAS_OVERLAYS)) {
        EXPECT(STATUS_NOT_SUPPORTED, D3DKMTCreateOverlay(&create));
    } else {
        EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateOverlay(&create)); /* nothing is shown */
        asked_show(&client, &primary);
        make_wrong(&client);
        make_many(&client, &other);
        change(&client, &other);
        own(&client, &other);
        lose(&client, &primary);
    }
    hostile_close(&other);
    hostile_close(&client);
}

const struct drydock_workload asked_overlays = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                .name = "overlay",
                                                .description = "a client with overlays",
                                                .run = run};
