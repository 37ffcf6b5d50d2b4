/* What the driver said of itself, as a document for `drydock info`. */
#include "host/internal.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/caps.h"

json_t *host_name_value(const char *name)
{
    char plain[256];

    snprintf(plain, sizeof plain, "%s", name);
    text_make_plain(plain, strlen(plain));
    return json_string(plain);
}

static json_t *ddis_of(const struct ddi_driver *driver)
{
    json_t *list = json_array();

    for (unsigned point = 0; point < POINT_DDI_COUNT; point++) {
        if (driver->has[point]) {
            json_array_append_new(
                list, json_string(contract_point_info((enum contract_point)point)->name));
        }
    }
    return list;
}

static json_t *flag_names(UINT flags)
{
#define ROW(name, first, bits) {name, first, bits},
    static const struct {
        const char *name;
        unsigned first, bits;
    } rows[] = {ABI_SEGMENT_FLAGS(ROW)};
#undef ROW
    json_t *list = json_array();

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (flags >> rows[i].first & ((1u << rows[i].bits) - 1)) {
            json_array_append_new(list, json_string(rows[i].name));
        }
    }
    return list;
}

static json_t *segments_of(const struct dxgk_adapter_info *info)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < info->segment_count; i++) {
        json_array_append_new(
            list,
            json_pack("{s:i, s:s, s:b, s:b, s:I, s:I, s:I, s:I, s:o}", "id", (int)i + 1, "kind",
                      info->segments[i].flags.Agp        ? "agp aperture"
                      : info->segments[i].flags.Aperture ? "aperture"
                                                         : "memory",
                      "cpu_visible", (int)info->segments[i].flags.CpuVisible, "cache_coherent",
                      (int)info->segments[i].flags.CacheCoherent, "base",
                      (json_int_t)info->segments[i].base, "size",
                      (json_int_t)info->segments[i].size, "commit_limit",
                      (json_int_t)info->segments[i].commit_limit, "flags",
                      (json_int_t)info->segments[i].flags.Value, "flag_names",
                      flag_names(info->segments[i].flags.Value)));
    }
    return list;
}

/* ---- Outputs --------------------------------------------------------------------------------- */

static const char *named(const char *const *names, size_t count, unsigned value)
{
    return value < count ? names[value] : "unknown";
}
#define NAMED(names, value) named(names, sizeof(names) / sizeof(names)[0], value)

static json_t *children_of(const struct dxgk_adapter_info *info)
{
    static const char *const types[] = {"uninitialized", "video output", "other",
                                        "integrated display"};
    static const char *const awareness[] = {"uninitialized", "always connected", "none", "polled",
                                            "interruptible"};
    json_t *list = json_array();

    for (unsigned i = 0; i < info->listed_children; i++) {
        json_array_append_new(
            list, json_pack("{s:I, s:s, s:s, s:b, s:i}", "uid", (json_int_t)info->children[i].uid,
                            "type", NAMED(types, info->children[i].type), "hot_plug",
                            NAMED(awareness, info->children[i].hpd_awareness), "connected",
                            (int)info->children[i].connected, "descriptor_bytes",
                            (int)info->children[i].descriptor_bytes));
    }
    return list;
}

static json_t *modes_of(const struct dxgk_adapter_info *info)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < info->source_count && i < CONTRACT_SOURCES_MAX; i++) {
        if (info->modes[i].active) {
            json_array_append_new(list,
                                  json_pack("{s:i, s:I, s:I, s:I, s:I, s:i}", "source", (int)i,
                                            "target", (json_int_t)info->modes[i].target, "width",
                                            (json_int_t)info->modes[i].width, "height",
                                            (json_int_t)info->modes[i].height, "refresh_millihertz",
                                            (json_int_t)info->modes[i].refresh_millihertz, "format",
                                            (int)info->modes[i].format));
        }
    }
    return list;
}

/* ---- Engines and caps ------------------------------------------------------------------------ */

static const char *engine_name(unsigned type)
{
    static const char *const names[] = {
        "other",          "3d",   "video decode", "video encode", "video processing",
        "scene assembly", "copy", "overlay",      "crypto",       "video codec"};

    return type < sizeof names / sizeof names[0] ? names[type] : "unknown";
}

static json_t *nodes_of(const struct dxgk_adapter_info *info)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < info->node_count; i++) {
        json_array_append_new(list, json_pack("{s:i, s:s, s:o, s:b}", "node", (int)i, "engine",
                                              engine_name(info->nodes[i].engine_type), "name",
                                              host_name_value(info->nodes[i].name), "paging",
                                              i == info->paging_node));
    }
    return list;
}

static json_t *caps_of(const DXGK_DRIVERCAPS *caps)
{
    return json_pack(
        "{s:I, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:b, s:b, s:b, s:b, s:b}",
        "highest_acceptable_address", (json_int_t)caps->HighestAcceptableAddress.QuadPart,
        "max_allocation_list_slot_id", (int)caps->MaxAllocationListSlotId, "scheduling",
        (int)caps->SchedulingCaps.Value, "memory_management", (int)caps->MemoryManagementCaps.Value,
        "presentation", (int)caps->PresentationCaps.Value, "flip", (int)caps->FlipCaps.Value,
        "max_queued_flip_on_vsync", (int)caps->MaxQueuedFlipOnVSync, "max_pointer_width",
        (int)caps->MaxPointerWidth, "max_pointer_height", (int)caps->MaxPointerHeight,
        "graphics_preemption", (int)caps->PreemptionCaps.GraphicsPreemptionGranularity,
        "compute_preemption", (int)caps->PreemptionCaps.ComputePreemptionGranularity,
        "multi_engine_aware", (int)caps->SchedulingCaps.MultiEngineAware, "preemption_aware",
        (int)caps->SchedulingCaps.PreemptionAware, "cancel_command_aware",
        (int)caps->SchedulingCaps.CancelCommandAware, "per_engine_tdr",
        (int)caps->SupportPerEngineTDR, "flip_on_vsync_mmio", (int)caps->FlipCaps.FlipOnVSyncMmIo);
}

/* All of them, by the names of the structure; those that the driver's version has. */
static json_t *driver_caps_of(const struct dxgk_adapter_info *info)
{
#define ROW(name, offset, bytes, first, bits) {name, offset, bytes, first, bits},
    static const struct {
        const char *name;
        unsigned offset, bytes, first, bits;
    } rows[] = {ABI_DRIVER_CAPS(ROW)};
#undef ROW
    size_t size = abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, host.driver.version);
    json_t *all = json_object();

    for (size_t i = 0; info->has_caps && i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t value = 0,
                 mask = rows[i].bits < 64 ? (UINT64_C(1) << rows[i].bits) - 1 : UINT64_MAX;
        if (rows[i].offset + rows[i].bytes <= size) {
            memcpy(&value, (const char *)&info->caps + rows[i].offset, rows[i].bytes);
            value = value >> rows[i].first & mask;
            json_object_set_new(all, rows[i].name, json_integer((json_int_t)value));
        }
    }
    return all;
}

static json_t *paging_of(const struct dxgk_adapter_info *info)
{
    return json_pack("{s:I, s:I, s:I}", "segment", (json_int_t)info->paging_segment, "buffer_bytes",
                     (json_int_t)info->paging_buffer_size, "private_bytes",
                     (json_int_t)info->paging_private_size);
}

void host_leave_info(const struct dxgk_adapter_info *info, const char *refusal)
{
    const struct abi_version_info *version = abi_version_info(host.driver.version);
    json_t *document = json_pack(
        "{s:o, s:s, s:i, s:i, s:b, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "driver", host_name_value(host.image->name), "interface", version->name,
        "interface_version", (int)info->interface_version, "wddm_version", (int)info->wddm_version,
        "display_only", (int)host.driver.display_only, "sources", (int)info->source_count,
        "children", (int)info->child_count, "caps", caps_of(&info->caps), "segments",
        segments_of(info), "nodes", nodes_of(info), "ddis", ddis_of(&host.driver), "refused",
        refusal ? host_name_value(refusal) : json_null(), "outputs", children_of(info), "modes",
        modes_of(info), "paging", paging_of(info), "driver_caps", driver_caps_of(info),
        "settings_asked_for", host_settings_asked());
    char *text = document ? json_dumps(document, JSON_INDENT(2)) : NULL;
    CHECK_THAT(text);
    const struct record_blob blob = {.kind = RECORD_BLOB_INFO, .size = strlen(text)};
    record_add_blob(&blob, text);
    free(text);
    json_decref(document);
}
