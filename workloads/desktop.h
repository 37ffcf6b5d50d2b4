/* desktop.h: what the parts of the desktop share.
 *
 *     client process ── draws into ──> back surface ─┐ publish: front and back change places
 *                                                    v
 *     compositor ── copies what is in front ──> primary ── flip ──> screen
 *
 * A window has two surfaces that its process made and shares. The process draws into the one that
 * is not in front while the compositor copies from the other; `held` says which one the compositor
 * is copying from. All tasks share this memory; see drydock/workload.h for why it needs no lock. */
#ifndef WORKLOADS_DESKTOP_H
#define WORKLOADS_DESKTOP_H

#include "art.h"
#include "canvas.h"

#define DESKTOP_WINDOWS_MAX   8
#define DESKTOP_PLAIN_NS      UINT64_C(60000000) /* shorter runs paint nothing fine */
#define DESKTOP_TITLE_HEIGHT  28
#define DESKTOP_SHADOW_MARGIN 12

enum window_content {
    CONTENT_PHOTO, /* pans over a picture that is larger than the window */
    CONTENT_GAUGE, /* a dial that the CPU draws anew each time */
    CONTENT_LIST,  /* rows that scroll within the surface */
    CONTENT_BARS,  /* many rectangles filled by the GPU */
    CONTENT_LENS,  /* a part of a picture, enlarged by the GPU */
    CONTENT_COUNT
};

struct desktop;

struct window {
    struct desktop *desktop;
    unsigned index;
    enum window_content content;
    unsigned width, height; /* of the surfaces */
    uint32_t colour;
    struct drydock_event *wake; /* the owner's, for all its windows: a frame is done */
    struct canvas buffers[2];   /* the owner's */
    struct canvas source;       /* the owner's: the picture it shows, if any */
    struct picture dial;        /* the owner's: a gauge without its hands */
    int front, held;            /* buffer indexes; -1: none */
    bool still;                 /* it shows what it shows, and stays where it is */
    unsigned version;           /* how often it was published */
};

struct desktop {
    const struct drydock_workload_host *host;
    unsigned process_count, window_count;
    struct window windows[DESKTOP_WINDOWS_MAX];
    bool closing;
    bool due; /* the next frame is compared: what is published meanwhile is painted as well */
    struct drydock_event *ready; /* a window has its first picture, or will never have one */
};

struct desktop_client {
    struct desktop *desktop;
    unsigned index; /* its windows are index, index + process_count, ... */
};

/* The entry of a client process; the argument is a struct desktop_client. */
void desktop_client_run(void *argument);

#endif
