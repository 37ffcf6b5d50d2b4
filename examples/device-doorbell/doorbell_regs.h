/* The data sheet of the doorbell engine: what its models, its driver and its clients agree on.
 *
 * Work is a buffer of commands in system memory. Its address, length and fence go to the registers,
 * a write to DOORBELL queues it. The engine reads the commands by DMA, carries them out in order,
 * puts the fence into COMPLETED and interrupts. */
#ifndef DOORBELL_REGS_H
#define DOORBELL_REGS_H

#define DOORBELL_VENDOR_ID   0x1AF4
#define DOORBELL_DEVICE_ID   0x0DB1
#define DOORBELL_QUEUE_DEPTH 32u

/* Registers of 32 bits, in BAR 0: mapped, or as ports. BAR 2 is the engine's memory. */
enum {
    DOORBELL_REG_MEMORY_BYTES = 0x00,
    DOORBELL_REG_BUFFER_LOW = 0x04, /* physical address of the commands */
    DOORBELL_REG_BUFFER_HIGH = 0x08,
    DOORBELL_REG_LENGTH = 0x0C, /* bytes */
    DOORBELL_REG_FENCE = 0x10,
    DOORBELL_REG_DOORBELL = 0x14, /* any write queues what the four above say */
    DOORBELL_REG_STATUS = 0x18, /* writing a bit clears it; the interrupt is up while any is set */
    DOORBELL_REG_COMPLETED = 0x1C, /* fence of the last buffer that ended */
    DOORBELL_REG_PREEMPT = 0x20,   /* any write drops what is queued; PREEMPTED when none runs */
};

#define DOORBELL_STATUS_DONE      1u
#define DOORBELL_STATUS_PREEMPTED 2u
#define DOORBELL_STATUS_ERROR     4u /* a bad command or a bus fault: the engine stands still */

#define DOORBELL_REGISTER_BYTES 64u

/* An address is an offset in the engine's memory, or a physical one with this bit. */
#define DOORBELL_SYSTEM (1ull << 63)

enum { DOORBELL_FILL = 1, DOORBELL_COPY = 2 };

struct doorbell_command {
    unsigned int opcode;
    unsigned int bytes;   /* a multiple of 4 */
    unsigned int pattern; /* of a fill */
    unsigned int reserved;
    unsigned long long destination, source;
};

/* Private data of an allocation, from the client to the driver. */
struct doorbell_allocation {
    unsigned int bytes;
};

#endif
