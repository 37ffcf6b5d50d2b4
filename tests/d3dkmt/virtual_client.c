/* Clients whose contexts have GPU virtual addresses. */
#include "virtual_client.h"

#include "hostile_support.h"

static D3DKMT_HANDLE open_device(D3DKMT_HANDLE *adapter)
{
    D3DKMT_OPENADAPTERFROMLUID open = {
        .AdapterLuid = {hostile_host->adapter_luid_low, hostile_host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};

    EXPECT(STATUS_SUCCESS, D3DKMTOpenAdapterFromLuid(&open));
    device.hAdapter = *adapter = open.hAdapter;
    EXPECT(STATUS_SUCCESS, D3DKMTCreateDevice(&device));
    return device.hDevice;
}

static void close_device(D3DKMT_HANDLE adapter, D3DKMT_HANDLE device)
{
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyDevice(&(D3DKMT_DESTROYDEVICE){device}));
    EXPECT(STATUS_SUCCESS, D3DKMTCloseAdapter(&(D3DKMT_CLOSEADAPTER){adapter}));
}

/* One that is destroyed, and made again, beside one that the device takes along. */
static void run_contexts(const struct drydock_workload_host *given)
{
    hostile_host = given;
    D3DKMT_HANDLE adapter, device = open_device(&adapter);
    D3DKMT_CREATECONTEXTVIRTUAL first = {.hDevice = device, .EngineAffinity = 1}, second = first;
    D3DKMT_CREATECONTEXTVIRTUAL wrong = {.hDevice = device, .EngineAffinity = 1};

    EXPECT(STATUS_SUCCESS, D3DKMTCreateContextVirtual(&first));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){first.hContext}));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateContextVirtual(&first));
    EXPECT(STATUS_SUCCESS, D3DKMTCreateContextVirtual(&second));
    EXPECT(STATUS_SUCCESS, D3DKMTDestroyContext(&(D3DKMT_DESTROYCONTEXT){second.hContext}));
    wrong.NodeOrdinal = 1000;
    EXPECT(STATUS_INVALID_PARAMETER, D3DKMTCreateContextVirtual(&wrong));
    close_device(adapter, device);
}

const struct drydock_workload virtual_contexts = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                  .name = "virtual contexts",
                                                  .description = "contexts and their root tables",
                                                  .run = run_contexts};

static void run_none(const struct drydock_workload_host *given)
{
    hostile_host = given;
    D3DKMT_HANDLE adapter, device = open_device(&adapter);
    D3DKMT_CREATECONTEXTVIRTUAL context = {.hDevice = device, .EngineAffinity = 1};

    EXPECT(STATUS_NOT_SUPPORTED, D3DKMTCreateContextVirtual(&context));
    close_device(adapter, device);
}

const struct drydock_workload virtual_where_there_are_none = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "no virtual contexts",
    .description = "a driver of physical addresses refuses them",
    .run = run_none};
