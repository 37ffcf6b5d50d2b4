/* A client that bounds its Presents, opens the primary of another, gives a source a format of its
 * own, and leaves word with what it shares. */
#include <stdio.h>
#include <string.h>

#include "asked_client.h"
#include "hostile_support.h"
#include "nt/nt.h"
#include "softgpu_client.h"

#define NOBODY   0x1EADBEEDu
#define PRESENTS 8

/* ---- Presents -------------------------------------------------------------------------------- */

static NTSTATUS limit(D3DKMT_HANDLE device, D3DKMT_QUEUEDLIMIT_TYPE type, UINT *presents)
{
    D3DKMT_SETQUEUEDLIMIT limit = {
        .hDevice = device, .Type = type, .QueuedPresentLimit = *presents};
    NTSTATUS status = D3DKMTSetQueuedLimit(&limit);

    *presents = limit.QueuedPresentLimit;
    return status;
}

static NTSTATUS set_limit(D3DKMT_HANDLE device, UINT presents)
{
    return limit(device, D3DKMT_SET_QUEUEDLIMIT_PRESENT, &presents);
}

static UINT get_limit(D3DKMT_HANDLE device)
{
    UINT presents = 77;

    EXPECT(STATUS_SUCCESS, limit(device, D3DKMT_GET_QUEUEDLIMIT_PRESENT, &presents));
    return presents;
}

/* How long the calls take, of which the last may wait for the first. */
static uint64_t present_some(const struct hostile *client)
{
    D3DKMT_PRESENT present = hostile_blt(client);
    uint64_t begin_ns = host->now_ns(host);

    for (unsigned i = 0; i < PRESENTS; i++) {
        EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    }
    uint64_t taken_ns = host->now_ns(host) - begin_ns;
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client->device}));
    return taken_ns;
}

static NTSTATUS is_full(const struct hostile *client, UINT source, BOOLEAN *full)
{
    D3DKMT_GETDEVICESTATE state = {.hDevice = client->device,
                                   .StateType = D3DKMT_DEVICESTATE_PRESENT_QUEUE,
                                   .PresentQueueState.VidPnSourceId = source};
    NTSTATUS status = D3DKMTGetDeviceState(&state);

    *full = state.PresentQueueState.bQueuedPresentLimitReached;
    return status;
}

/* Who asks before he presents need not wait. */
static void ask_whether_full(const struct hostile *client)
{
    D3DKMT_PRESENT present = hostile_blt(client);
    BOOLEAN full = TRUE;

    EXPECT(STATUS_SUCCESS, set_limit(client->device, 2));
    EXPECT(STATUS_SUCCESS, is_full(client, 0, &full));
    EXPECT(FALSE, full);
    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&present));
    EXPECT(STATUS_SUCCESS, is_full(client, 0, &full));
    EXPECT(TRUE, full);
    EXPECT(STATUS_SUCCESS, D3DKMTWaitForIdle(&(D3DKMT_WAITFORIDLE){client->device}));
    EXPECT(STATUS_SUCCESS, is_full(client, 0, &full));
    EXPECT(FALSE, full);
    EXPECT(STATUS_INVALID_PARAMETER, is_full(client, 16, &full));
}

static void bound_presents(const struct hostile *client)
{
    UINT presents = 1;

    EXPECT(3, (NTSTATUS)get_limit(client->device));
    present_some(client); /* brings all into memory */
    uint64_t free_ns = present_some(client);
    EXPECT(STATUS_SUCCESS, set_limit(client->device, PRESENTS));
    EXPECT(1, present_some(client) <= 2 * free_ns);
    EXPECT(STATUS_SUCCESS, set_limit(client->device, 1));
    EXPECT(1, (NTSTATUS)get_limit(client->device));
    EXPECT(1, present_some(client) > 2 * free_ns);
    ask_whether_full(client);
    EXPECT(STATUS_SUCCESS, set_limit(client->device, 0));
    EXPECT(3, (NTSTATUS)get_limit(client->device));
    EXPECT(STATUS_SUCCESS, set_limit(client->device, UINT32_MAX));
    EXPECT(STATUS_INVALID_PARAMETER, limit(client->device, (D3DKMT_QUEUEDLIMIT_TYPE)0, &presents));
    EXPECT(STATUS_INVALID_PARAMETER, limit(client->device, (D3DKMT_QUEUEDLIMIT_TYPE)3, &presents));
    EXPECT(STATUS_INVALID_PARAMETER, set_limit(NOBODY, 1));
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTSetQueuedLimit((const void *)8));
}

/* ---- The primary ----------------------------------------------------------------------------- */

static D3DKMT_HANDLE find_primary(const struct hostile *client)
{
    D3DKMT_GETSHAREDPRIMARYHANDLE find = {.hAdapter = client->adapter, .hSharedPrimary = NOBODY};

    EXPECT(STATUS_SUCCESS, D3DKMTGetSharedPrimaryHandle(&find));
    return find.hSharedPrimary;
}

/* What the one shows the other has, too. */
static void open_primary(const struct hostile *client, D3DKMT_HANDLE share)
{
    static uint8_t bytes[512];
    D3DDDI_OPENALLOCATIONINFO2 info = {0};
    D3DKMT_QUERYRESOURCEINFO query = {.hDevice = client->device, .hGlobalShare = share};
    D3DKMT_OPENRESOURCE open = {.hDevice = client->device,
                                .hGlobalShare = share,
                                .NumAllocations = 1,
                                .pOpenAllocationInfo2 = &info,
                                .pResourcePrivateDriverData = bytes,
                                .pTotalPrivateDriverDataBuffer = bytes,
                                .TotalPrivateDriverDataBufferSize = sizeof bytes};
    D3DKMT_LOCK2 lock = {.hDevice = client->device};

    EXPECT(STATUS_SUCCESS, D3DKMTQueryResourceInfo(&query));
    EXPECT(1, (NTSTATUS)query.NumAllocations);
    open.ResourcePrivateDriverDataSize = query.ResourcePrivateDriverDataSize;
    EXPECT(STATUS_SUCCESS, D3DKMTOpenResource2(&open));
    lock.hAllocation = info.hAllocation;
    EXPECT(STATUS_SUCCESS, D3DKMTLock2(&lock));
    EXPECT(1, lock.pData && *(volatile uint32_t *)lock.pData == 0x00C0FFEE);
    EXPECT(STATUS_SUCCESS, D3DKMTUnlock2(&(D3DKMT_UNLOCK2){client->device, info.hAllocation}));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation2(&(D3DKMT_DESTROYALLOCATION2){
                               .hDevice = client->device, .hResource = open.hResource}));
}

static void lock_primary(void)
{
    D3DKMT_SHAREDPRIMARYLOCKNOTIFICATION before = {
        .AdapterLuid = {host->adapter_luid_low, host->adapter_luid_high}, .LockRect = {1, 2, 3, 4}};
    D3DKMT_SHAREDPRIMARYUNLOCKNOTIFICATION after = {.AdapterLuid = before.AdapterLuid};

    EXPECT(STATUS_SUCCESS, D3DKMTSharedPrimaryLockNotification(&before));
    EXPECT(STATUS_SUCCESS, D3DKMTSharedPrimaryUnLockNotification(&after));
    before.LockRect.right = 0;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSharedPrimaryLockNotification(&before));
    before.LockRect.right = 3;
    before.VidPnSourceId = 99;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSharedPrimaryLockNotification(&before));
    after.AdapterLuid.LowPart++;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTSharedPrimaryUnLockNotification(&after));
}

static void share_primary(const struct hostile *client, const struct hostile *other)
{
    struct drydock_standard_allocation primary;
    D3DKMT_GETSHAREDPRIMARYHANDLE wrong = {.hAdapter = client->adapter, .VidPnSourceId = 99};

    EXPECT(0, (NTSTATUS)find_primary(client));
    asked_show(client, &primary);
    D3DKMT_PRESENT fill = {.hContext = client->context,
                           .hDestination = primary.hAllocation,
                           .DstRect = {0, 0, 64, 32},
                           .Color = 0x00C0FFEE,
                           .Flags = {.ColorFill = 1, .DstRectValid = 1}};
    EXPECT(STATUS_SUCCESS, D3DKMTPresent(&fill));
    D3DKMT_HANDLE share = find_primary(other);
    EXPECT(1, share != 0 && share == find_primary(client));
    open_primary(other, share);
    lock_primary();
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetSharedPrimaryHandle(&wrong));
    wrong = (D3DKMT_GETSHAREDPRIMARYHANDLE){.hAdapter = NOBODY};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetSharedPrimaryHandle(&wrong));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation2(&(D3DKMT_DESTROYALLOCATION2){
                               .hDevice = client->device, .hResource = primary.hResource}));
    EXPECT(0, (NTSTATUS)find_primary(client));
}

/* ---- Formats of the driver's own ------------------------------------------------------------- */

static NTSTATUS own(D3DKMT_HANDLE device, D3DKMT_VIDPNSOURCEOWNER_TYPE type)
{
    const D3DDDI_VIDEO_PRESENT_SOURCE_ID source = 0;

    return D3DKMTSetVidPnSourceOwner(&(D3DKMT_SETVIDPNSOURCEOWNER){device, &type, &source, 1});
}

static NTSTATUS set_format(D3DKMT_HANDLE device, UINT source, UINT format)
{
    return D3DKMTSetDisplayPrivateDriverFormat(
        &(D3DKMT_SETDISPLAYPRIVATEDRIVERFORMAT){device, source, format});
}

static void use_formats(const struct hostile *client, const struct hostile *other)
{
    EXPECT(STATUS_INVALID_PARAMETER, set_format(client->device, 0, 0)); /* nobody has it */
    EXPECT(STATUS_SUCCESS, own(client->device, D3DKMT_VIDPNSOURCEOWNER_EXCLUSIVE));
    EXPECT(STATUS_SUCCESS, set_format(client->device, 0, 0));
    EXPECT(STATUS_UNSUCCESSFUL, set_format(client->device, 0, 5)); /* the driver's answer */
    EXPECT(STATUS_INVALID_PARAMETER, set_format(client->device, 99, 0));
    EXPECT(STATUS_INVALID_PARAMETER, set_format(other->device, 0, 0));
    EXPECT(STATUS_INVALID_PARAMETER, set_format(NOBODY, 0, 0));
    EXPECT(STATUS_SUCCESS, own(client->device, D3DKMT_VIDPNSOURCEOWNER_UNOWNED));
}

/* ---- Word for others ------------------------------------------------------------------------- */

static const char word[] = "eight by eight, of the teapot";

static D3DKMT_CREATEALLOCATION leave_word(const struct hostile *client, bool shared)
{
    D3DDDI_ALLOCATIONINFO2 info = {0};
    D3DKMT_CREATEALLOCATION create = {.hDevice = client->device,
                                      .NumAllocations = 1,
                                      .pAllocationInfo2 = &info,
                                      .pPrivateRuntimeData = word,
                                      .PrivateRuntimeDataSize = sizeof word,
                                      .Flags = {.CreateResource = 1, .CreateShared = shared}};
    struct softgpu_umd_allocation data = {.magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
                                          .version = SOFTGPU_UMD_VERSION,
                                          .flags = SOFTGPU_UMD_CPU_VISIBLE,
                                          .size_bytes = 4096};

    info.pPrivateDriverData = &data;
    info.PrivateDriverDataSize = sizeof data;
    D3DKMT_CREATEALLOCATION wrong = create;
    wrong.PrivateRuntimeDataSize = (1u << 20) + 1;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation2(&wrong));
    wrong.PrivateRuntimeDataSize = 4;
    wrong.pPrivateRuntimeData = (const void *)8;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTCreateAllocation2(&wrong));
    wrong.pPrivateRuntimeData = NULL;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateAllocation2(&wrong));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateAllocation2(&create));
    return create;
}

static void ask_for_word(const struct hostile *client, D3DKMT_HANDLE share)
{
    char room[64] = {0};
    D3DKMT_QUERYRESOURCEINFO query = {.hDevice = client->device, .hGlobalShare = share};
    D3DKMT_GETRUNTIMEDATA get = {.hAdapter = client->adapter, .hGlobalShare = share};

    EXPECT(STATUS_SUCCESS, D3DKMTQueryResourceInfo(&query));
    EXPECT((NTSTATUS)sizeof word, (NTSTATUS)query.PrivateRuntimeDataSize);
    query.pPrivateRuntimeData = room;
    query.PrivateRuntimeDataSize = sizeof room;
    EXPECT(STATUS_SUCCESS, D3DKMTQueryResourceInfo(&query));
    EXPECT((NTSTATUS)sizeof word, (NTSTATUS)query.PrivateRuntimeDataSize);
    EXPECT(0, room[0]); /* only who opens it gets it so */
    EXPECT(STATUS_SUCCESS, D3DKMTGetRuntimeData(&get));
    EXPECT((NTSTATUS)sizeof word, (NTSTATUS)get.RuntimeDataSize);
    memset(room, 0, sizeof room);
    get.pRuntimeData = room;
    EXPECT(STATUS_SUCCESS, D3DKMTGetRuntimeData(&get));
    EXPECT(0, memcmp(room, word, sizeof word));
    get.pRuntimeData = (void *)8;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTGetRuntimeData(&get));
    get.hGlobalShare = NOBODY;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTGetRuntimeData(&get));
}

static void open_with_word(const struct hostile *client, D3DKMT_HANDLE share)
{
    static uint8_t bytes[256];
    char room[64] = {0};
    D3DDDI_OPENALLOCATIONINFO2 info = {0};
    D3DKMT_OPENRESOURCE open = {.hDevice = client->device,
                                .hGlobalShare = share,
                                .NumAllocations = 1,
                                .pOpenAllocationInfo2 = &info,
                                .pPrivateRuntimeData = room,
                                .PrivateRuntimeDataSize = sizeof word + 1,
                                .pTotalPrivateDriverDataBuffer = bytes,
                                .TotalPrivateDriverDataBufferSize = sizeof bytes};

    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenResource2(&open));
    open.PrivateRuntimeDataSize = sizeof word;
    open.pPrivateRuntimeData = (void *)8;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTOpenResource2(&open));
    open.pPrivateRuntimeData = room;
    EXPECT(STATUS_SUCCESS, D3DKMTOpenResource2(&open));
    EXPECT(0, memcmp(room, word, sizeof word));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyAllocation2(&(D3DKMT_DESTROYALLOCATION2){
                               .hDevice = client->device, .hResource = open.hResource}));
}

static void share_word(const struct hostile *client, const struct hostile *other)
{
    D3DKMT_CREATEALLOCATION shared = leave_word(client, true), alone = leave_word(client, false);
    UINT self = (UINT)nt_process_id(nt_process_current());
    D3DKMT_CHECKSHAREDRESOURCEACCESS check = {shared.hResource, 4};

    ask_for_word(other, shared.hGlobalShare);
    open_with_word(other, shared.hGlobalShare);
    EXPECT(STATUS_SUCCESS, D3DKMTCheckSharedResourceAccess(&check));
    check = (D3DKMT_CHECKSHAREDRESOURCEACCESS){shared.hGlobalShare, self};
    EXPECT(STATUS_SUCCESS, D3DKMTCheckSharedResourceAccess(&check));
    check = (D3DKMT_CHECKSHAREDRESOURCEACCESS){alone.hResource, self};
    EXPECT(STATUS_SUCCESS, D3DKMTCheckSharedResourceAccess(&check));
    check.ClientPid = 4;
    EXPECT(STATUS_ACCESS_DENIED, D3DKMTCheckSharedResourceAccess(&check));
    check = (D3DKMT_CHECKSHAREDRESOURCEACCESS){shared.hResource, 3};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCheckSharedResourceAccess(&check));
    check = (D3DKMT_CHECKSHAREDRESOURCEACCESS){NOBODY, self};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCheckSharedResourceAccess(&check));
}

/* ---- The device's name ----------------------------------------------------------------------- */

static NTSTATUS open_device(const char *name)
{
    WCHAR wide[300] = {0};
    D3DKMT_OPENADAPTERFROMDEVICENAME open = {.pDeviceName = wide};

    for (unsigned i = 0; name[i]; i++) {
        wide[i] = (unsigned char)name[i];
    }
    NTSTATUS status = D3DKMTOpenAdapterFromDeviceName(&open);
    if (status >= 0) {
        EXPECT((NTSTATUS)host->adapter_luid_low, (NTSTATUS)open.AdapterLuid.LowPart);
        EXPECT(STATUS_SUCCESS, D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){open.hAdapter}));
    }
    return status;
}

/* As a setup library would put it together. */
static void name_device(const struct hostile *client)
{
    static const char class[] = "{5B45201D-F2F2-4F3B-85BB-30FF1F953599}";
    D3DKMT_QUERY_DEVICE_IDS ids = {0};
    D3DKMT_ADAPTERADDRESS place = {0};
    D3DKMT_QUERYADAPTERINFO query = {client->adapter, KMTQAITYPE_PHYSICALADAPTERDEVICEIDS, &ids,
                                     sizeof ids};
    char name[300], longest[300];
    WCHAR endless[299];

    EXPECT(STATUS_SUCCESS, D3DKMTQueryAdapterInfo(&query));
    query =
        (D3DKMT_QUERYADAPTERINFO){client->adapter, KMTQAITYPE_ADAPTERADDRESS, &place, sizeof place};
    EXPECT(STATUS_SUCCESS, D3DKMTQueryAdapterInfo(&query));
    snprintf(name, sizeof name, "\\\\?\\PCI#VEN_%04X&DEV_%04X&SUBSYS_%04X%04X&REV_%02X#%u&%u&%u#%s",
             ids.DeviceIds.VendorID, ids.DeviceIds.DeviceID, ids.DeviceIds.SubSystemID,
             ids.DeviceIds.SubVendorID, ids.DeviceIds.RevisionID, place.BusNumber,
             place.DeviceNumber, place.FunctionNumber, class);
    EXPECT(STATUS_SUCCESS, open_device(name));
    name[12]++;
    EXPECT(STATUS_INVALID_PARAMETER, open_device(name));
    memset(longest, 'x', 299);
    longest[299] = 0;
    EXPECT(STATUS_INVALID_PARAMETER, open_device(longest));
    EXPECT(STATUS_INVALID_PARAMETER, open_device(""));
    memset(endless, 0x11, sizeof endless);
    D3DKMT_OPENADAPTERFROMDEVICENAME open = {.pDeviceName = endless};
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenAdapterFromDeviceName(&open));
    open.pDeviceName = NULL;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTOpenAdapterFromDeviceName(&open));
    open.pDeviceName = (const void *)8;
    EXPECT(STATUS_ACCESS_VIOLATION, D3DKMTOpenAdapterFromDeviceName(&open));
}

static void run(const struct drydock_workload_host *given)
{
    hostile_host = given;
    struct hostile one = hostile_open(), two = hostile_open();

    name_device(&one);
    bound_presents(&one);
    use_formats(&one, &two);
    share_word(&one, &two);
    share_primary(&one, &two);
    hostile_close(&one);
    hostile_close(&two);
}

const struct drydock_workload asked_primary = {.abi = DRYDOCK_WORKLOAD_ABI,
                                               .name = "primary",
                                               .description = "shares the primary, and words",
                                               .run = run};
