/* drydock/client.h: what clients need that Windows keeps inside of its kernel.
 *
 * On Windows the window manager, itself a part of the kernel, makes the surfaces of the desktop:
 * the shared primaries that are shown and the surfaces in which windows are composed ("standard
 * allocations"; the driver describes them in DxgkDdiGetStandardAllocationDriverData). User-mode
 * clients have no call for that. Workloads that must run on any driver need such surfaces, so
 * Drydock offers the call here, apart from the functions that exist on Windows. */
#ifndef DRYDOCK_CLIENT_H
#define DRYDOCK_CLIENT_H

#include <d3dkmthk.h>

#ifdef __cplusplus
extern "C" {
#endif

enum drydock_surface_kind {
    DRYDOCK_SURFACE_PRIMARY, /* can be shown on a source, and flipped to */
    DRYDOCK_SURFACE_SHADOW,  /* a picture that the CPU draws in and the GPU copies from */
    DRYDOCK_SURFACE_STAGING, /* 32 bits a pixel, for the CPU and the GPU */
    /* Since Windows 7, what windows are drawn in, and what of it the CPU reads and writes. */
    DRYDOCK_SURFACE_GDI_TEXTURE,
    DRYDOCK_SURFACE_GDI_STAGING,
    /* What smoothed text is blended by: 16 rows of 512 pixels, for GDI's drawing alone. */
    DRYDOCK_SURFACE_GDI_TABLE,
    /* Since WDDM 1.3, of drivers with CrossAdapterResource: what one adapter draws and another
     * shows. There is no other here: it is made, and opened, as any. */
    DRYDOCK_SURFACE_CROSS_ADAPTER,
};

struct drydock_standard_allocation {
    D3DKMT_HANDLE hDevice;                 /* in */
    enum drydock_surface_kind kind;        /* in */
    UINT width, height;                    /* in: pixels, 1 to 16384 */
    D3DDDIFORMAT format;                   /* in: all but staging surfaces */
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source; /* in: primaries */
    BOOL shared;                           /* in: make hGlobalShare */
    UINT pitch;                            /* out: bytes from row to row; 0 for primaries */
    UINT64 size_bytes;                     /* out */
    D3DKMT_HANDLE hAllocation;             /* out */
    D3DKMT_HANDLE hResource;               /* out */
    D3DKMT_HANDLE hGlobalShare;            /* out: for D3DKMTOpenResource; 0 if not shared */
};

/* Destroyed by D3DKMTDestroyAllocation, as any other. */
NTSTATUS drydock_create_standard_allocation(struct drydock_standard_allocation *arguments);

/* How many bytes an allocation has: what its driver answered, in whole pages. On Windows a client
 * believes the user-mode half of its driver; one that writes by the CPU should not have to. */
struct drydock_allocation_size {
    D3DKMT_HANDLE hDevice;     /* in */
    D3DKMT_HANDLE hAllocation; /* in */
    UINT64 size_bytes;         /* out */
};

NTSTATUS drydock_query_allocation_size(struct drydock_allocation_size *arguments);

/* Brings an allocation to where the GPU reaches it, and returns when it is there. On Windows the
 * kernel does so for work that names it; a client that knows no command of its driver has none. */
struct drydock_page_in {
    D3DKMT_HANDLE hDevice;     /* in */
    D3DKMT_HANDLE hAllocation; /* in */
};

NTSTATUS drydock_page_in(const struct drydock_page_in *arguments);

/* Pictures of GDI that the GPU draws: on Windows the display driver of the kernel (cdd.dll) asks
 * for them, where the miniport's PresentationCaps offer it (SupportKernelModeCommandBuffer). The
 * context is of a device of its own; D3DKMTDestroyDevice ends both.
 * STATUS_NOT_SUPPORTED: the driver draws nothing for GDI. */
struct drydock_gdi_context {
    D3DKMT_HANDLE hAdapter; /* in */
    UINT node;              /* in */
    BOOL virtual_addresses; /* in: as of D3DKMTCreateContextVirtual */
    UINT caps;              /* out: the driver's DXGK_PRESENTATIONCAPS.Value */
    D3DKMT_HANDLE hDevice;  /* out */
    D3DKMT_HANDLE hContext; /* out */
};

NTSTATUS drydock_create_gdi_context(struct drydock_gdi_context *arguments);

/* As DXGK_RENDERKM_OPERATION; the members of DXGK_GDIARG_... that an operation has. */
enum drydock_gdi_operation {
    DRYDOCK_GDI_BITBLT = 1,
    DRYDOCK_GDI_COLORFILL,
    DRYDOCK_GDI_ALPHABLEND,
    DRYDOCK_GDI_STRETCHBLT,
    DRYDOCK_GDI_ESCAPE, /* drivers pass over it */
    DRYDOCK_GDI_TRANSPARENTBLT,
    DRYDOCK_GDI_CLEARTYPEBLEND,
};

#define DRYDOCK_GDI_NO_GAMMA 0xFFFFFFFFu

struct drydock_gdi_command {
    enum drydock_gdi_operation operation;
    /* Standard allocations of the context's device, or 0. Text: source has the coverage, one byte a
     * colour; scratch is the driver's to use. */
    D3DKMT_HANDLE hDestination, hSource, hTable, hScratch;
    RECT to, from; /* text has no `from`: offset_x and offset_y lead from the destination to it */
    UINT rop;      /* DXGK_GDIROP_..., of fills DXGK_GDIROPCF_... */
    UINT rop3;
    UINT color, color2;
    UINT alpha;     /* of the whole source, 0 to 255 */
    BOOL has_alpha; /* the source's alpha counts */
    BOOL mirror_x, mirror_y;
    UINT gamma; /* a row of the table */
    INT offset_x, offset_y;
    UINT rect_count; /* 0: all of `to`; at most 4096 */
    const RECT D3DKMT_CLIENT *rects;
};

struct drydock_gdi_work {
    D3DKMT_HANDLE hContext;                                   /* in */
    UINT command_count;                                       /* in: 1 to 256 */
    const struct drydock_gdi_command D3DKMT_CLIENT *commands; /* in */
};

/* Drawn one behind the other, when the context's work before is done.
 * STATUS_NOT_SUPPORTED: what the driver's caps leave out, which is not asked of it. */
NTSTATUS drydock_draw_gdi(const struct drydock_gdi_work *arguments);

/* Hands a picture of the whole screen to a driver that has a display and nothing else, with what
 * changed since the one before: first parts that are on the screen already and move, one after the
 * other, then parts that are new in the picture. On Windows the window manager does so; the driver
 * gets it by DxgkDdiPresentDisplayOnly. */
struct drydock_move {
    LONG from_x, from_y;
    RECT to;
};

struct drydock_host_frame {
    D3DKMT_HANDLE hAdapter;                /* in */
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source; /* in */
    UINT width, height; /* in: of the source's mode; turned by 90 degrees, the other way round */
    const void D3DKMT_CLIENT *pixels;               /* in: 32-bit rows 0x00RRGGBB */
    UINT stride_bytes;                              /* in: at least 4 * width */
    UINT move_count, dirty_count;                   /* in: at most 1024 each */
    const struct drydock_move D3DKMT_CLIENT *moves; /* in: inside of the picture */
    const RECT D3DKMT_CLIENT *dirty;                /* in */
};

NTSTATUS drydock_present_frame(const struct drydock_host_frame *arguments);

/* The screen of such a driver in another mode of D3DKMTGetDisplayModeList, or turned: Windows does it
 * by SetDisplayConfig. STATUS_GRAPHICS_VIDPN_MODALITY_NOT_SUPPORTED: the driver offers no such thing. */
struct drydock_screen_arrangement {
    D3DKMT_HANDLE hAdapter;                /* in */
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source; /* in */
    UINT width, height;                    /* in: of the mode, as it is sent to the monitor */
    D3DDDI_ROTATION rotation;              /* in: counter-clockwise */
    UINT fixed_output; /* in: 0, or one of these: the picture, turned, too, in the mode that the
                        * monitor likes best */
};

/* DisplayFixedOutput of modes in D3DKMTGetDisplayModeList that the driver shows in one of another
 * size: stretched to all of it (DMDFO_STRETCH), in its middle (DMDFO_CENTER), or as large as it can
 * be with the shape that it has; they are for drydock_arrange_screen. */
#define DRYDOCK_OUTPUT_STRETCHED 1u
#define DRYDOCK_OUTPUT_CENTERED  2u
#define DRYDOCK_OUTPUT_ASPECT    3u
#define DRYDOCK_OUTPUT_CUSTOM    4u /* as the driver likes */

/* Of a driver that renders, fixed_output says how pictures are shown from the next
 * D3DKMTSetDisplayMode on, where the mode that the monitor likes best has another size; width and
 * height are not read, and rotation is D3DDDI_ROTATION_IDENTITY. */
NTSTATUS drydock_arrange_screen(const struct drydock_screen_arrangement *arguments);

/* Colours of a screen whose mode has D3DDDIFMT_P8, from entry `first` on: on Windows the window
 * manager sets them, by DxgkDdiSetPalette. They stay until they are set again. */
struct drydock_colour {
    UCHAR red, green, blue, unused;
};

struct drydock_palette {
    D3DKMT_HANDLE hAdapter;                             /* in */
    D3DDDI_VIDEO_PRESENT_SOURCE_ID source;              /* in */
    UINT first, count;                                  /* in: at most 256 together */
    const struct drydock_colour D3DKMT_CLIENT *entries; /* in */
};

NTSTATUS drydock_set_palette(const struct drydock_palette *arguments);

/* Memory that the GPU can be shown, as VirtualAlloc() and CreateFileMapping() give on Windows:
 * zeroed pages. D3DKMTCreateAllocation takes addresses of whole pages in it for pSystemMem, and its
 * handle for hSection (ExistingSection); other memory of a client is not the computer's. It is
 * freed by its handle, or with the process; allocations that are made of it keep their pages. */
struct drydock_memory {
    UINT64 size_bytes;           /* in */
    void D3DKMT_CLIENT *address; /* out */
    HANDLE hSection;             /* out */
};

NTSTATUS drydock_allocate_memory(struct drydock_memory *arguments);
NTSTATUS drydock_free_memory(const struct drydock_memory *arguments);

/* Closes what D3DKMTShareObjects or drydock_create_event() made: CloseHandle() of Windows. All client processes know such
 * handles by one number; on Windows each has its own, by DuplicateHandle(). */
struct drydock_handle {
    HANDLE hNtHandle; /* in */
};

NTSTATUS drydock_close_handle(const struct drydock_handle *arguments);

/* Events as CreateEvent() makes them on Windows: for CPU notifications, and for calls that set one
 * when something has come about. Closed by drydock_close_handle(), or with the process. */
struct drydock_client_event {
    BOOL automatic; /* in: a signal lets one wait pass; else it stays signalled */
    HANDLE hEvent;  /* out */
};
struct drydock_event_wait {
    HANDLE hEvent;     /* in */
    UINT64 timeout_ns; /* in: from now; UINT64_MAX: for ever */
};

NTSTATUS drydock_create_event(struct drydock_client_event *arguments);
NTSTATUS drydock_set_event(const struct drydock_handle *arguments);
/* STATUS_TIMEOUT: it was not signalled by then. */
NTSTATUS drydock_wait_event(const struct drydock_event_wait *arguments);

#ifdef __cplusplus
}
#endif

#endif
