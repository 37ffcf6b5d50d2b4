/* Where the device leads at virtual addresses, held against what the driver was told: leads.c.
 * Nothing, where the device model does not answer. */
#ifndef DXGK_LEADS_H
#define DXGK_LEADS_H

#include <stdbool.h>
#include <stdint.h>

struct dxgk_adapter;
struct dxgk_packet;
struct paging_operation;
struct dxgk_space;
struct vidmm_op;

/* paging_judge.c: an operation is about to run beside those that do; it has ended, and all look at
 * what it left. */
void dxgk_paging_beside(struct dxgk_adapter *adapter, struct paging_operation *operation);
void dxgk_paging_look(struct dxgk_adapter *adapter, struct paging_operation *operation);

/* The device's spaces that have the root table of this one: each context may have its own. */
#define DXGK_LEADS_SPACES_MAX 4
struct dxgk_leads_spaces {
    unsigned count, numbers[DXGK_LEADS_SPACES_MAX];
    bool any; /* the device has some, whatever their roots */
};
void dxgk_leads_find(struct dxgk_adapter *adapter, struct dxgk_space *space,
                     struct dxgk_leads_spaces *out);
/* Does the device stand as it was left, and is it of interest what it has? */
bool dxgk_leads_may_ask(const struct dxgk_adapter *adapter);

/* The operation has ended well: what it wrote, or had forgotten, is looked at next time. */
void dxgk_leads_note(struct dxgk_adapter *adapter, const struct vidmm_op *op);
/* Looks, if nothing of paging is under way: at what was noted, and at some of the rest. */
void dxgk_leads_look(struct dxgk_adapter *adapter);
/* The same of one page, of a space that nothing changes just now. */
void dxgk_leads_page(struct dxgk_adapter *adapter, struct dxgk_space *space, uint64_t page);
/* The same at what work of a process names: just before it is submitted, or behind it, where the
 * device had no root of the process until then. */
void dxgk_leads_work(const struct dxgk_packet *packet);
/* SetRootPageTable named the root of a context, or of all that the space has. */
void dxgk_leads_root(struct dxgk_space *space);
/* It has run to its end: does its context go by the root table that was named last? If so, and the
 * process was not seen in the device so far, its tables are looked at where the work named them. */
void dxgk_leads_after(const struct dxgk_packet *packet);
/* The same, of all that the node was given when it faulted; and does the address lead where the
 * entries say? False: it does not, and that was said. */
bool dxgk_leads_fault(struct dxgk_adapter *adapter, unsigned node);
/* The space ends; nothing of it is looked at any more. */
void dxgk_leads_forget(struct dxgk_space *space);

#endif
