/* What the files of dxgk/ share about resources: their begin and end, and who else holds them. */
#ifndef DXGK_RESOURCE_H
#define DXGK_RESOURCE_H

#include "dxgk/internal.h"

/* Not begun; *out must be dropped even if this fails, unless it is NULL. */
NTSTATUS dxgk_resource_new(struct dxgk_adapter *adapter,
                           const struct dxgk_allocations_request *request,
                           struct dxgk_resource **out);
void dxgk_resource_begin(struct dxgk_resource *resource, struct dxgk_allocation *const *allocations,
                         UINT count);
void dxgk_resource_drop(struct dxgk_resource *resource);
/* Its allocations stay, whoever has them open; false: it ended, or is added to. The end of that may
 * switch. */
bool dxgk_resource_hold(struct dxgk_resource *resource);
void dxgk_resource_let_go(struct dxgk_resource *resource);
/* share.c: the handles that a process made. */
void dxgk_shares_close(struct dxgk_process *process);
/* client_event.c */
void dxgk_events_close(struct dxgk_process *process);
/* Destroys the targets that nobody has open; the last of the resource takes it along. The caller
 * has references to all. May switch. */
void dxgk_allocations_drop(struct dxgk_allocation **targets, UINT count,
                           struct dxgk_resource *resource);

/* Beside those that it has, before its allocations are made: room for so many more. The caller
 * keeps it by one of its openings. INVALID_PARAMETER: there would be too many, or others can open
 * it. */
NTSTATUS MUST_CHECK dxgk_resource_expect(struct dxgk_resource *resource, UINT count);
/* They are its own from now on, or (NULL) do not come. */
void dxgk_resource_add(struct dxgk_resource *resource, struct dxgk_allocation *const *allocations,
                       UINT count);

/* holding.c */
/* NULL: without memory, or a handle. Its first opening puts it among those that are there. */
struct dxgk_holding *dxgk_holding_new(struct dxgk_device *device, struct dxgk_resource *resource);
/* Its handle is no more; what was ended already stays so. */
void dxgk_holding_end(struct dxgk_holding *holding);
/* Its last opening is gone, or none was made: it goes as well, unless it is living. */
void dxgk_holding_empty(struct dxgk_holding *holding);
/* Of those that are left; false: it has openings, which may be ended. */
bool dxgk_holding_drop_left(struct dxgk_holding *holding);
void dxgk_holdings_drop_left(struct dxgk_device *device);

/* standard.c: the flags that no primary has [ALLOC-010] */
void dxgk_primary_judge(const struct dxgk_allocation *made);

/* described.c */
NTSTATUS MUST_CHECK dxgk_allocation_place(struct dxgk_allocation *allocation,
                                          struct dxgk_device *device,
                                          const struct dxgk_allocation_request *request);
void dxgk_fill_preferences(D3DDDI_SEGMENTPREFERENCE given,
                           struct vidmm_preference preferences[VIDMM_PREFERENCE_COUNT]);

/* section.c */
/* Of a process that ends. */
void dxgk_sections_close(struct dxgk_process *process);
/* The frames from a page on, or NULL: so much is not there. As long as the section is held. */
const uint64_t *dxgk_section_frames(struct dxgk_section *section, uint64_t page,
                                    uint64_t size_bytes);
void dxgk_section_hold(struct dxgk_section *section);
void dxgk_section_put(struct dxgk_section *section);

#endif
