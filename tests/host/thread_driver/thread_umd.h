/* What clients of the thread driver write: private data of allocations, and commands. */
#ifndef THREAD_UMD_H
#define THREAD_UMD_H

#define THREAD_MEMORY_BYTES (8u << 20)
#define THREAD_DMA_BYTES    4096u
#define THREAD_PATCHES_MAX  128u

struct thread_allocation_data {
    unsigned int size_bytes;
};

enum thread_opcode {
    THREAD_COPY,
    THREAD_WORK, /* keeps the GPU busy; can be preempted at any time */
};

struct thread_command {
    unsigned int opcode;
    unsigned int amount;                    /* bytes, or milliseconds */
    unsigned long long destination, source; /* offsets in video memory, patched in */
};

#endif
