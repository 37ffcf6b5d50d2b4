/* The data sheet: what a driver sees of a virtio-gpu device on PCI, by the public specification
 * "Virtual I/O Device (VIRTIO)" 1.1 of OASIS: chapters 2.6 (split virtqueues), 4.1 (PCI) and 5.7
 * (GPU device). All is little-endian; structures have their natural layout. */
#ifndef VIRTIO_GPU_REGS_H
#define VIRTIO_GPU_REGS_H

#include <stdint.h>

/* ---- PCI --------------------------------------------------------------------------------- */

#define VIRTIO_PCI_VENDOR_ID 0x1AF4u
#define VIRTIO_PCI_DEVICE_ID 0x1050u /* 0x1040 and the device type, 16 */

/* The vendor capabilities say where a structure lies: its type, BAR, offset and length. */
enum virtio_pci_structure {
    VIRTIO_PCI_COMMON = 1,
    VIRTIO_PCI_NOTIFY = 2, /* one word more: bytes from one queue's doorbell to the next one's */
    VIRTIO_PCI_ISR = 3,
    VIRTIO_PCI_DEVICE = 4,
};

struct virtio_pci_capability { /* behind id and link */
    uint8_t length, type, bar, id, padding[2];
    uint8_t offset[4], bytes[4], multiplier[4];
};

struct virtio_pci_common {
    uint32_t device_feature_select, device_feature;
    uint32_t driver_feature_select, driver_feature;
    uint16_t config_vector, num_queues;
    uint8_t device_status, config_generation;
    uint16_t queue_select, queue_size, queue_vector, queue_enable, queue_notify_off;
    uint32_t queue_desc[2], queue_driver[2], queue_device[2]; /* low, high */
};

#define VIRTIO_NO_VECTOR     0xFFFFu
#define VIRTIO_STATUS_READY  0x04u /* DRIVER_OK */
#define VIRTIO_STATUS_AGREED 0x08u /* FEATURES_OK */
#define VIRTIO_STATUS_BROKEN 0x40u /* DEVICE_NEEDS_RESET */
#define VIRTIO_ISR_QUEUE     0x01u
#define VIRTIO_ISR_CONFIG    0x02u

#define VIRTIO_GPU_F_VIRGL   (UINT64_C(1) << 0)
#define VIRTIO_GPU_F_EDID    (UINT64_C(1) << 1)
#define VIRTIO_F_INDIRECT    (UINT64_C(1) << 28)
#define VIRTIO_F_EVENT_INDEX (UINT64_C(1) << 29)
#define VIRTIO_F_VERSION_1   (UINT64_C(1) << 32)

/* ---- Queues ------------------------------------------------------------------------------ */

struct virtq_descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags, next;
};

#define VIRTQ_NEXT         1u
#define VIRTQ_WRITE        2u /* the device writes; else it reads */
#define VIRTQ_INDIRECT     4u
#define VIRTQ_NO_INTERRUPT 1u /* a flag of the ring that the driver writes */

struct virtq_used {
    uint32_t id, length;
};

/* The driver's ring: flags, index, an index of a chain for each entry, and where the driver wants
 * the next interrupt. The device's: flags, index, struct virtq_used, and when it wants a notice. */
#define VIRTQ_INDEX             2u
#define VIRTQ_RING              4u
#define VIRTQ_USED_EVENT(size)  (VIRTQ_RING + 2u * (size))
#define VIRTQ_AVAIL_EVENT(size) (VIRTQ_RING + 8u * (size))

/* ---- The device's configuration and its commands ----------------------------------------- */

#define VIRTIO_GPU_SCANOUTS      16u
#define VIRTIO_GPU_EVENT_DISPLAY 1u
#define VIRTIO_GPU_FLAG_FENCE    1u
#define VIRTIO_GPU_CURSOR_SIZE   64u

struct virtio_gpu_config {
    uint32_t events_read, events_clear, num_scanouts, num_capsets;
};

enum virtio_gpu_type {
    VIRTIO_GPU_GET_DISPLAY_INFO = 0x0100,
    VIRTIO_GPU_RESOURCE_CREATE_2D,
    VIRTIO_GPU_RESOURCE_UNREF,
    VIRTIO_GPU_SET_SCANOUT,
    VIRTIO_GPU_RESOURCE_FLUSH,
    VIRTIO_GPU_TRANSFER_TO_HOST_2D,
    VIRTIO_GPU_RESOURCE_ATTACH_BACKING,
    VIRTIO_GPU_RESOURCE_DETACH_BACKING,
    VIRTIO_GPU_GET_CAPSET_INFO,
    VIRTIO_GPU_GET_CAPSET,
    VIRTIO_GPU_GET_EDID,
    VIRTIO_GPU_CTX_CREATE = 0x0200,
    VIRTIO_GPU_CTX_DESTROY,
    VIRTIO_GPU_CTX_ATTACH_RESOURCE,
    VIRTIO_GPU_CTX_DETACH_RESOURCE,
    VIRTIO_GPU_RESOURCE_CREATE_3D,
    VIRTIO_GPU_TRANSFER_TO_HOST_3D,
    VIRTIO_GPU_TRANSFER_FROM_HOST_3D,
    VIRTIO_GPU_SUBMIT_3D,
    VIRTIO_GPU_UPDATE_CURSOR = 0x0300,
    VIRTIO_GPU_MOVE_CURSOR,
    VIRTIO_GPU_OK_NODATA = 0x1100,
    VIRTIO_GPU_OK_DISPLAY_INFO,
    VIRTIO_GPU_OK_EDID = 0x1104,
    VIRTIO_GPU_ERR_UNSPECIFIED = 0x1200,
    VIRTIO_GPU_ERR_MEMORY,
    VIRTIO_GPU_ERR_SCANOUT,
    VIRTIO_GPU_ERR_RESOURCE,
    VIRTIO_GPU_ERR_CONTEXT,
    VIRTIO_GPU_ERR_PARAMETER,
};

/* The order of a pixel's bytes in memory. */
enum virtio_gpu_format {
    VIRTIO_GPU_BGRA = 1,
    VIRTIO_GPU_BGRX = 2,
    VIRTIO_GPU_ARGB = 3,
    VIRTIO_GPU_XRGB = 4,
    VIRTIO_GPU_RGBA = 67,
    VIRTIO_GPU_XBGR = 68,
    VIRTIO_GPU_ABGR = 121,
    VIRTIO_GPU_RGBX = 134,
};

struct virtio_gpu_header {
    uint32_t type, flags;
    uint64_t fence_id;
    uint32_t context_id, ring_and_padding;
};

struct virtio_gpu_rectangle {
    uint32_t x, y, width, height;
};

/* What follows the header of each command. */
struct virtio_gpu_create_2d {
    uint32_t resource_id, format, width, height;
};
struct virtio_gpu_resource { /* UNREF, DETACH_BACKING */
    uint32_t resource_id, padding;
};
struct virtio_gpu_set_scanout {
    struct virtio_gpu_rectangle r;
    uint32_t scanout_id, resource_id;
};
struct virtio_gpu_flush {
    struct virtio_gpu_rectangle r;
    uint32_t resource_id, padding;
};
struct virtio_gpu_transfer {
    struct virtio_gpu_rectangle r;
    uint64_t offset; /* in the backing, of the rectangle's first pixel */
    uint32_t resource_id, padding;
};
struct virtio_gpu_attach {
    uint32_t resource_id, count; /* as many struct virtio_gpu_piece follow */
};
struct virtio_gpu_piece {
    uint64_t address;
    uint32_t length, padding;
};
struct virtio_gpu_get_edid {
    uint32_t scanout_id, padding;
};
struct virtio_gpu_cursor {
    uint32_t scanout_id, x, y, padding;
    uint32_t resource_id, hot_x, hot_y, padding_2; /* UPDATE_CURSOR alone */
};

/* The 3D part. */
struct virtio_gpu_create_3d {
    uint32_t resource_id, target, format, bind, width, height, depth, array_size, last_level;
    uint32_t samples, flags, padding;
};
struct virtio_gpu_transfer_3d {
    uint32_t x, y, z, width, height, depth;
    uint64_t offset; /* in the backing, of the box's first pixel */
    uint32_t resource_id, level, stride, layer_stride;
};
struct virtio_gpu_submit_3d {
    uint32_t size, padding; /* as many bytes of commands follow */
};
/* A word that says what command it is, and how many words follow it. */
#define VIRGL_COMMAND(word)         ((word) & 0xFF)
#define VIRGL_LENGTH(word)          ((word) >> 16)
#define VIRGL_RESOURCE_COPY_REGION  17u
struct virgl_copy_region {
    uint32_t to, to_level, to_x, to_y, to_z;
    uint32_t from, from_level, x, y, z, width, height, depth;
};

/* What follows the header of an answer. */
struct virtio_gpu_display_info {
    struct {
        struct virtio_gpu_rectangle r;
        uint32_t enabled, flags;
    } scanouts[VIRTIO_GPU_SCANOUTS];
};
struct virtio_gpu_edid {
    uint32_t size, padding;
    uint8_t bytes[1024];
};

#endif
