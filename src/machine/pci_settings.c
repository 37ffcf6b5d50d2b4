/* What a driver set in registers of a device, and what of that it did not set again when the device
 * had lost it.
 *
 *   pci_settings_begin ─> writes of StartDevice ─> _started ─> writes of work ─> _note: the last
 *   look before the way down ─> pci_reset: power is lost ─> writes of D0 and of work ─> _lost
 *
 * Which registers keep a value, and which one they have at power-on, only the device knows. Those
 * that nothing but the start wrote are read when all is at rest and the power is about to go, and
 * once more right behind, where the device is reset again: whatever a reading does, little comes
 * of it. What reads back as it was written is a setting; the others are commands, or acknowledge
 * something. A model that gives up when it is asked so has said nothing. */
#include "machine/internal.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define REGISTERS_MAX 1024 /* those that are written later are not followed */
#define CHAINS        256
#define NOTHING       UINT16_MAX

enum { AT_START = 1, AT_WORK = 2 };

struct written {
    uint64_t offset;
    uint64_t value;    /* the last one that was written */
    uint64_t kept;     /* of settings: what stood there when the way down began */
    uint64_t power_on; /* of settings */
    uint8_t bar, size;
    uint8_t writers, writers_before; /* AT_*: since the power came; before that */
    bool setting;                    /* of the start, which reads back what it wrote */
    bool cleared;                    /* set otherwise on the way down */
    uint16_t next;                   /* of its chain */
};

struct pci_settings {
    struct written registers[REGISTERS_MAX];
    unsigned count;
    uint16_t chains[CHAINS];
    bool starting;
    bool noted; /* what is to be lost is known */
    bool lost;  /* and was lost, and is not told of yet */
    bool asking;
    jmp_buf gives_up;
};

void pci_settings_begin(struct pci_slot *slot)
{
    if (!slot->settings) {
        slot->settings = calloc(1, sizeof *slot->settings);
    }
    if (slot->settings) {
        struct pci_settings *settings = slot->settings;
        settings->count = 0;
        memset(settings->chains, 0xFF, sizeof settings->chains);
        settings->starting = true;
        settings->noted = settings->lost = false;
    }
}

void pci_settings_started(struct pci_slot *slot)
{
    if (slot->settings) {
        slot->settings->starting = false;
    }
}

static uint64_t mask_of(unsigned size)
{
    return size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static struct written *find(struct pci_settings *settings, unsigned bar, uint64_t offset,
                            unsigned size)
{
    uint16_t *chain = &settings->chains[(offset / 4 + offset / 1024 + bar * 89u) % CHAINS];

    for (uint16_t i = *chain; i != NOTHING; i = settings->registers[i].next) {
        struct written *at = &settings->registers[i];
        if (at->offset == offset && at->bar == bar && at->size == size) {
            return at;
        }
    }
    if (settings->count == REGISTERS_MAX) {
        return NULL;
    }
    struct written *made = &settings->registers[settings->count];
    *made = (struct written){
        .offset = offset, .bar = (uint8_t)bar, .size = (uint8_t)size, .next = *chain};
    *chain = (uint16_t)settings->count++;
    return made;
}

void settings_written(struct pci_slot *slot, unsigned bar, uint64_t offset, unsigned size,
                      uint64_t value)
{
    struct pci_settings *settings = slot->settings;
    struct written *at = settings && !slot->rests ? find(settings, bar, offset, size) : NULL;

    if (at) {
        at->value = value & mask_of(size);
        at->writers |= settings->starting ? AT_START : AT_WORK;
    }
}

/* It is asked, and does not answer. */
void settings_give_up(struct pci_slot *slot)
{
    if (slot->settings && slot->settings->asking) {
        longjmp(slot->settings->gives_up, 1);
    }
}

typedef void take_answer(struct written *at, uint64_t value);

static void ask(struct pci_slot *slot, take_answer *take)
{
    struct pci_settings *settings = slot->settings;
    const uint64_t activity = slot->activity, looks = slot->looks;

    model_enter(slot);
    settings->asking = true;
    if (setjmp(settings->gives_up) == 0) {
        for (unsigned i = 0; i < settings->count; i++) {
            struct written *at = &settings->registers[i];
            if (at->setting) {
                take(at, slot->operations.mmio_read(slot->device, at->bar, at->offset, at->size) &
                             mask_of(at->size));
            }
        }
    } else {
        settings->count = 0;
        memset(settings->chains, 0xFF, sizeof settings->chains);
    }
    settings->asking = false;
    model_leave();
    slot->activity = activity;
    slot->looks = looks;
}

static void keeps(struct written *at, uint64_t value)
{
    at->setting = value == at->value;
    at->kept = value;
}

static void has_at_power_on(struct written *at, uint64_t value)
{
    at->power_on = value;
}

void pci_settings_note(struct pci_slot *slot)
{
    struct pci_settings *settings = slot->settings;

    if (!settings || slot->removed) {
        return;
    }
    for (unsigned i = 0; i < settings->count; i++) {
        struct written *at = &settings->registers[i];
        at->writers_before |= at->writers;
        at->setting = at->writers_before == AT_START;
    }
    ask(slot, keeps);
    settings->noted = true;
    settings->lost = false;
}

bool settings_lose(struct pci_slot *slot)
{
    struct pci_settings *settings = slot->settings;

    if (!settings || !settings->noted || slot->removed) {
        return false;
    }
    ask(slot, has_at_power_on);
    for (unsigned i = 0; i < settings->count; i++) {
        struct written *at = &settings->registers[i];
        at->cleared = at->value != at->kept;
        at->writers = 0;
    }
    settings->noted = false;
    settings->lost = true;
    return true;
}

/* Registers of another size may be the same. */
static bool is_written_again(const struct pci_settings *settings, const struct written *what)
{
    for (unsigned i = 0; i < settings->count; i++) {
        const struct written *at = &settings->registers[i];
        if (at->writers && at->bar == what->bar && at->offset < what->offset + what->size &&
            what->offset < at->offset + at->size) {
            return true;
        }
    }
    return false;
}

static bool next_lost(const struct pci_settings *settings, unsigned *cursor,
                      struct pci_setting *out)
{
    while (settings && settings->lost && *cursor < settings->count) {
        const struct written *at = &settings->registers[(*cursor)++];
        if (at->setting && at->kept != at->power_on && !is_written_again(settings, at)) {
            *out = (struct pci_setting){.bar = at->bar,
                                        .size = at->size,
                                        .offset = at->offset,
                                        .value = at->kept,
                                        .power_on = at->power_on};
            return true;
        }
    }
    return false;
}

bool pci_settings_lost(const struct pci_slot *slot, unsigned *cursor, struct pci_setting *out)
{
    bool found = next_lost(slot->settings, cursor, out);

    if (!found && slot->settings) {
        slot->settings->lost = false; /* each is told of once */
    }
    return found;
}

/* What a driver itself took back on the way down it may set again when there is need. */
bool pci_settings_lost_yet(const struct pci_slot *slot, struct pci_setting *out)
{
    unsigned cursor = 0;
    bool found;

    do {
        found = next_lost(slot->settings, &cursor, out);
    } while (found && slot->settings->registers[cursor - 1].cleared);
    return found;
}
