/* What the two roads of submissions by virtual address share: submission.c, hwqueue.c. */
#ifndef DXGK_SUBMISSION_H
#define DXGK_SUBMISSION_H

#include "dxgk/work.h"

/* ---- Private data: block.c ------------------------------------------------------------------- */

/* What a client sends with a submission, and what the driver writes behind it. */
struct dxgk_block {
    struct list link;
    UINT size_bytes;
    uint8_t *bytes; /* NULL: no private data */
    uint8_t *shown; /* to ValidateSubmitCommand, which is done with it when it returns; or NULL */
};

/* NULL: no memory. */
struct dxgk_block *dxgk_block_new(struct dxgk_adapter *adapter, UINT size_bytes);
void dxgk_block_free(struct dxgk_block *block); /* NULL is fine */
/* Shows the driver the block; what it writes there is in the block then. arguments: without the
 * block, and handles behind the last one. SUCCESS: also of a driver that validates nothing, or not
 * this [VALID-002, VALID-003]. May switch. */
NTSTATUS dxgk_block_validate(const struct dxgk_block *block, const struct dxgk_context *context,
                             DXGKARG_VALIDATESUBMITCOMMAND *arguments);

/* The driver refused the packet, for which its device is lost: its client is told so. */
void dxgk_note_turned_down(const struct dxgk_packet *packet, const char *ddi, NTSTATUS status);

/* ---- Spoiled: spoil_submission.c ------------------------------------------------------------- */

/* What a client's context was made with, and what is sent in it, is known then. */
void dxgk_sent_made(struct dxgk_context *context, const struct dxgk_context_request *request);
void dxgk_sent_keep(const struct dxgk_virtual_request *request);
void dxgk_sent_free(struct dxgk_device *device);
/* Around the making of a client's device: none is made while that of another is spoiled. The first
 * may switch. */
void dxgk_sent_device_begins(void);
void dxgk_sent_device_made(void);
/* Before a client's device ends: once more what it sent last, spoiled. May switch. */
void dxgk_sent_spoil(struct dxgk_device *device);

/* ---- What leads nowhere, and is its client's own doing: nowhere.c ---------------------------- */

/* All that its client has in memory is there now: is something where its commands should be? */
void dxgk_submission_look_where(struct dxgk_packet *packet);
/* There was nothing then. */
bool dxgk_submission_is_nowhere(const struct dxgk_packet *packet);
/* The commands are there, and it is they that asked for what faulted, where that has nothing. */
bool dxgk_submission_goes_nowhere(const struct dxgk_packet *packet, const struct dxgk_fault *fault);

/* ---- Stations: submission.c ------------------------------------------------------------------ */

/* All that the device wants is in place, and the tables say so. */
enum vidsch_prepare dxgk_virtual_prepare(struct dxgk_packet *packet, NTSTATUS *status);
void dxgk_virtual_progress(struct dxgk_packet *packet);
void dxgk_virtual_recall(struct dxgk_packet *packet);
/* SubmitCommandVirtual and CancelCommand, of what is in packet->submission. */
void dxgk_virtual_submit(struct dxgk_packet *packet);
void dxgk_virtual_cancel(struct dxgk_packet *packet);
/* Among the device's submissions, and not any more: dxgk_submissions_done(). */
void dxgk_submission_begin(struct dxgk_packet *packet);
void dxgk_submission_end(struct dxgk_packet *packet);

#endif
