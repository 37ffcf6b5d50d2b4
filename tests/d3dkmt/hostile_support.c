/* What the hostile clients share; see hostile_support.h. */
#include "hostile_support.h"

const struct drydock_workload_host *hostile_host;

void hostile_expect(NTSTATUS wanted, NTSTATUS status, const char *what, int line)
{
    hostile_host->count(hostile_host, "test.calls", 1);
    if (status != wanted) {
        hostile_host->fail(hostile_host, "line %d: %s gave 0x%08X, not 0x%08X", line, what,
                           (unsigned)status, (unsigned)wanted);
    }
}

struct drydock_standard_allocation hostile_surface(D3DKMT_HANDLE device)
{
    return (struct drydock_standard_allocation){
        .hDevice = device,
        .kind = DRYDOCK_SURFACE_SHADOW,
        .width = 64,
        .height = 32,
        .format = D3DDDIFMT_X8R8G8B8,
        .shared = TRUE,
    };
}

struct hostile hostile_open(void)
{
    D3DKMT_OPENADAPTERFROMLUID adapter = {
        .AdapterLuid = {hostile_host->adapter_luid_low, hostile_host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};
    struct hostile client = {0};

    EXPECT(STATUS_SUCCESS, D3DKMTOpenAdapterFromLuid(&adapter));
    device.hAdapter = adapter.hAdapter;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateDevice(&device));
    client.adapter = adapter.hAdapter;
    client.device = device.hDevice;
    client.space = (D3DKMT_CREATECONTEXT){.hDevice = device.hDevice, .EngineAffinity = 1};
    EXPECT(STATUS_SUCCESS, D3DKMTCreateContext(&client.space));
    client.context = client.space.hContext;
    client.surface = hostile_surface(client.device);
    client.other = hostile_surface(client.device);
    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&client.surface));
    EXPECT(STATUS_SUCCESS, drydock_create_standard_allocation(&client.other));
    return client;
}

void hostile_close(const struct hostile *client)
{
    const D3DKMT_DESTROYCONTEXT context = {client->context};
    const D3DKMT_DESTROYDEVICE device = {client->device};
    const D3DKMT_CLOSEADAPTER adapter = {client->adapter};

    EXPECT(STATUS_SUCCESS, D3DKMTDestroyContext(&context));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&device));
    EXPECT(STATUS_SUCCESS, D3DKMTCloseAdapter(&adapter));
}

D3DKMT_PRESENT hostile_blt(const struct hostile *client)
{
    return (D3DKMT_PRESENT){.hContext = client->context,
                            .hSource = client->surface.hAllocation,
                            .hDestination = client->other.hAllocation,
                            .Flags.Blt = 1};
}

NTSTATUS hostile_signal(const struct hostile *client, D3DKMT_HANDLE fence, UINT64 value)
{
    return D3DKMTSignalSynchronizationObjectFromCpu(
        &(D3DKMT_SIGNALSYNCHRONIZATIONOBJECTFROMCPU){.hDevice = client->device,
                                                     .ObjectCount = 1,
                                                     .ObjectHandleArray = &fence,
                                                     .FenceValueArray = &value});
}
