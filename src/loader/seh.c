/* Structured exceptions: looks for a handler among the driver's frames, then unwinds to it.
 *
 *      search:  for each frame outwards: its language handler runs the filters whose range holds
 *               the place
 *                 continue execution ──> the driver goes on where it was
 *                 execute handler    ──> unwind
 *      unwind:  for each frame outwards: its language handler runs the __finally blocks;
 *               at the target frame the driver goes on in its __except block
 *
 * Filters and __finally blocks are driver code and may raise exceptions of their own. The
 * frame_link that lies below them on the stack tells the new walk where it came out of: a *nested*
 * exception goes on where the first one was raised; one that meets an unwind in progress (a
 * *collided* unwind) takes it over with the blocks that have not run yet.
 *
 * All of it runs on the stack that raised the exception.
 */
#include "loader/internal.h"

#include "base/check.h"

#include <stdlib.h>

#define LINK_MAGIC 0x6b6e696c2d656870ull

enum {
    NESTED_MAX = 12,
    HOST_FRAMES_MAX = 256,
    DRIVER_FRAMES_MAX = 4096, /* deep recursion is legal, an endless walk is not */
    SCOPE_SIZE = 16,
    RAX = 0,
    RSP = 4,
};

enum disposition {
    CONTINUE_EXECUTION = 0,
    CONTINUE_SEARCH = 1,
    NESTED_EXCEPTION = 2,
    COLLIDED_UNWIND = 3,
};

struct exception_pointers {
    struct loader_exception *record;
    struct loader_context *context;
};

/* ---- The walk -------------------------------------------------------------------------------- */

void walk_begin(struct walk *walk, const struct loader_context *context, bool exact)
{
    *walk = (struct walk){
        .context = *context,
        .stack = stack_of(context->gpr[RSP]),
        .exact = exact,
        .first = true,
        .over_callbacks = loader_host_now.cross_host_callbacks,
    };
}

/* The link that our call of driver code left behind, if that is where the walk is now. */
static const struct frame_link *link_here(const struct walk *walk)
{
    uintptr_t at = walk->context.gpr[RSP] + 40;
    const struct frame_link *link;

    if (walk->context.rip != (uintptr_t)loader_call_driver_return || at < walk->stack.low ||
        at > walk->stack.high - 8) {
        return NULL;
    }
    link = *(const struct frame_link *const *)at;
    return link && link->magic == LINK_MAGIC ? link : NULL;
}

/* Goes over host frames to where a driver called; false if there is none. */
static bool skip_host_frames(struct walk *walk)
{
    uintptr_t function;

    for (int i = 0; i < HOST_FRAMES_MAX; i++) {
        if (!unwind_host_frame(&walk->stack, &walk->context, walk->exact, &function)) {
            return false;
        }
        walk->exact = false;
        walk->dropped_host_frames = true;
        if (loader_image_at((void *)(uintptr_t)walk->context.rip)) {
            return true;
        }
    }
    return false;
}

/* A jump to nowhere leaves the place unknown, but the caller's return address on the stack. */
static bool leave_nowhere(struct walk *walk)
{
    uintptr_t at = walk->context.gpr[RSP];

    if (!walk->first || !walk->exact || at < walk->stack.low || at > walk->stack.high - 8 ||
        unwind_is_host_code(walk->context.rip)) {
        return false;
    }
    walk->context.rip = *(const uint64_t *)at;
    walk->context.gpr[RSP] += 8;
    walk->exact = false;
    return loader_image_at((void *)(uintptr_t)walk->context.rip) != NULL;
}

/* Brings the walk to driver code, if it is not there. */
static enum walk_step go_to_driver(struct walk *walk)
{
    while (!loader_image_at((void *)(uintptr_t)walk->context.rip)) {
        const struct frame_link *link = link_here(walk);

        if (link) {
            walk->depth = link->depth >= walk->depth ? link->depth + 1 : walk->depth;
            walk->collided = link->unwinding ? link : NULL;
            walk->context = link->unwinding ? *link->dispatcher.context : *link->origin;
            walk->exact = link->unwinding ? link->frame_exact : link->origin_exact;
            walk->first = true;
        } else if (!leave_nowhere(walk) && (!walk->over_callbacks || !skip_host_frames(walk))) {
            return WALK_END;
        }
        if (walk->collided) {
            break;
        }
    }
    return WALK_DRIVER;
}

enum walk_step walk_next(struct walk *walk, struct unwind_frame *frame)
{
    const struct loader_image *image;
    bool ok;

    walk->dropped_host_frames = false;
    walk->collided = NULL;
    if (go_to_driver(walk) == WALK_END) {
        return WALK_END;
    }
    image = loader_image_at((void *)(uintptr_t)walk->context.rip);
    if (!image || image->kind != LOADER_KIND_PE) {
        /* Modules of the host's own format have no handlers; their frames end the search. */
        return WALK_END;
    }
    ok = unwind_driver_frame(image, &walk->stack, &walk->context, frame);
    frame->exact = walk->exact;
    walk->exact = false;
    walk->first = false;
    return ok ? WALK_DRIVER : WALK_BROKEN;
}

/* ---- Calling handlers ------------------------------------------------------------------------ */

static bool is_code(const struct loader_image *image, uint32_t rva)
{
    const struct pe_section *section = pe_section_at(image, rva);

    return section && (section->flags & pe_section_execute);
}

/* Calls the frame's language handler. */
static enum disposition call_language_handler(const struct unwind_frame *frame,
                                              struct loader_exception *record,
                                              struct loader_context *context,
                                              struct frame_link *link)
{
    struct dispatcher *dispatcher = &link->dispatcher;

    link->frame_exact = frame->exact;
    dispatcher->control_pc = frame->control_pc;
    dispatcher->image_base = (uintptr_t)frame->image->base;
    dispatcher->function = frame->function;
    dispatcher->establisher = frame->establisher;
    dispatcher->handler = frame->image->base + frame->handler_rva;
    dispatcher->handler_data = frame->image->base + frame->handler_data_rva;
    return (enum disposition)(uint32_t)loader_call_driver(
        dispatcher->handler, record, (const void *)frame->establisher, context, dispatcher, link);
}

static struct frame_link *link_of(struct dispatcher *dispatcher)
{
    return (struct frame_link *)(void *)((char *)dispatcher -
                                         offsetof(struct frame_link, dispatcher));
}

static void tell_dropped(uintptr_t stack_pointer)
{
    if (loader_host_now.unwound) {
        loader_host_now.unwound(loader_host_now.ctx, (const void *)stack_pointer);
    }
}

/* ---- Where they come from ------------------------------------------------------------------- */

#define OVER_AND_OVER 100u /* from one place, each of them handled */

static const void *exception_place; /* of the latest: its instruction, or what called the host */
static unsigned of_one_place;
static bool is_handled;

const void *loader_exception_place(void)
{
    bool tells = !is_handled || of_one_place >= OVER_AND_OVER;

    return tells && loader_image_at(exception_place) ? exception_place : NULL;
}

static void comes_from(uint64_t rip)
{
    const void *place = (const void *)(uintptr_t)rip;

    of_one_place = place == exception_place ? of_one_place + 1 : 1;
    exception_place = place;
    is_handled = false;
}

/* ---- Going on ------------------------------------------------------------------------------- */

static _Noreturn void resume(const struct loader_context *context)
{
    is_handled = true;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (here < context->gpr[RSP]) {
        stack_forget(here, context->gpr[RSP]);
    }
    loader_context_resume(context);
}

/* ---- Unwinding ------------------------------------------------------------------------------- */

_Noreturn void exception_bad_stack(const struct unwind_target *target)
{
    struct loader_exception record = {.code = LOADER_BAD_STACK,
                                      .address = (const void *)(uintptr_t)target->origin->rip};

    report_unhandled(LOADER_FAULT_UNHANDLED, &record, target->origin, target->origin_exact);
}

/* Runs the frame's __finally blocks. `before` is the state in the frame. */
static void unwind_frame_handlers(const struct unwind_frame *frame, const struct walk *walk,
                                  struct loader_exception *record, struct loader_context *before,
                                  const struct unwind_target *target)
{
    struct frame_link link = {
        .magic = LINK_MAGIC,
        .unwinding = true,
        .depth = target->depth,
        .origin = target->origin,
        .origin_exact = target->origin_exact,
    };

    if (!(frame->handler_flags & UNWIND_HANDLER_TERMINATION) ||
        !is_code(frame->image, frame->handler_rva)) {
        return;
    }
    link.dispatcher.target_ip = target->ip;
    link.dispatcher.context = before;
    record->flags &= ~(uint32_t)(EXCEPTION_TARGET_UNWIND | EXCEPTION_COLLIDED_UNWIND);
    if (frame->establisher == target->establisher) {
        record->flags |= EXCEPTION_TARGET_UNWIND;
    }
    if (walk->collided) {
        record->flags |= EXCEPTION_COLLIDED_UNWIND;
        link.dispatcher.scope_index = walk->collided->dispatcher.scope_index;
    }
    call_language_handler(frame, record, before, &link);
}

/* The state in the frame that walk_next() is about to describe, wherever the walk has to go for it.
 */
static bool state_in_next_frame(struct walk *walk, struct loader_context *before)
{
    struct walk peek = *walk;

    if (go_to_driver(&peek) == WALK_END) {
        return false;
    }
    *before = peek.context;
    return true;
}

_Noreturn void exception_land(const struct unwind_target *target, struct loader_context *context)
{
    context->rip = target->ip;
    context->gpr[RAX] = target->value;
    if (target->jump) {
        jump_apply(target->jump, context);
        tell_dropped(context->gpr[RSP]);
    }
    resume(context);
}

_Noreturn void exception_unwind(const struct unwind_target *target, struct loader_exception *record)
{
    struct loader_context before;
    struct unwind_frame frame;
    struct walk walk;

    walk_begin(&walk, target->origin, target->origin_exact);
    record->flags |= EXCEPTION_UNWINDING;
    tell_dropped(target->origin->gpr[RSP]);
    for (int i = 0; i < DRIVER_FRAMES_MAX; i++) {
        if (!state_in_next_frame(&walk, &before) || walk_next(&walk, &frame) != WALK_DRIVER) {
            break;
        }
        if (walk.dropped_host_frames) {
            tell_dropped(before.gpr[RSP]);
        }
        if (frame.establisher > target->establisher) {
            break;
        }
        unwind_frame_handlers(&frame, &walk, record, &before, target);
        if (frame.establisher == target->establisher) {
            exception_land(target, &before);
        }
    }
    exception_bad_stack(target);
}

/* ---- Searching ------------------------------------------------------------------------------- */

static _Noreturn void bad_disposition(uint32_t code, const struct loader_exception *cause,
                                      const struct loader_context *origin, bool exact)
{
    struct loader_exception record = {
        .code = code, .flags = EXCEPTION_NONCONTINUABLE, .address = cause->address};

    report_unhandled(LOADER_FAULT_UNHANDLED, &record, origin, exact);
}

static _Noreturn void continue_execution(const struct loader_exception *record,
                                         const struct loader_context *context,
                                         const struct loader_context *origin, bool exact)
{
    if (record->flags & EXCEPTION_NONCONTINUABLE) {
        bad_disposition(LOADER_NONCONTINUABLE, record, origin, exact);
    }
    tell_dropped(context->gpr[RSP]);
    resume(context);
}

/* Asks one frame. Comes back if the search goes on. */
static void search_frame(const struct unwind_frame *frame, const struct walk *walk,
                         struct loader_exception *record, struct loader_context *context,
                         const struct loader_context *origin, bool exact)
{
    struct loader_context scratch = walk->context;
    struct frame_link link = {
        .magic = LINK_MAGIC, .depth = walk->depth, .origin = origin, .origin_exact = exact};

    if (!(frame->handler_flags & UNWIND_HANDLER_EXCEPTION) ||
        !is_code(frame->image, frame->handler_rva)) {
        return;
    }
    link.dispatcher.context = &scratch;
    if (walk->collided) {
        link.dispatcher.scope_index = walk->collided->dispatcher.scope_index;
    }
    switch (call_language_handler(frame, record, context, &link)) {
    case CONTINUE_EXECUTION:
        continue_execution(record, context, origin, exact);
    case CONTINUE_SEARCH:
    case NESTED_EXCEPTION:
        return;
    default:
        bad_disposition(LOADER_INVALID_DISPOSITION, record, origin, exact);
    }
}

_Noreturn void exception_dispatch(struct loader_exception *record, struct loader_context *context,
                                  bool exact)
{
    /* Filters may change *context; where the exception came from stays. */
    struct loader_context origin = *context;
    struct unwind_frame frame;
    struct walk walk;

    comes_from(context->rip);
    walk_begin(&walk, &origin, exact);
    for (int i = 0; i < DRIVER_FRAMES_MAX && walk_next(&walk, &frame) == WALK_DRIVER; i++) {
        if (walk.depth > NESTED_MAX) {
            report_unhandled(LOADER_FAULT_NESTED, record, &origin, exact);
        }
        if (walk.depth) {
            record->flags |= EXCEPTION_NESTED_CALL;
        }
        search_frame(&frame, &walk, record, context, &origin, exact);
    }
    report_unhandled(LOADER_FAULT_UNHANDLED, record, &origin, exact);
}

/* ---- Scope tables: what C compilers make of __try -------------------------------------------- */

struct scope {
    uint32_t begin, end, handler, target; /* handler 1: always; target 0: a __finally */
};

struct scope_table {
    const struct loader_image *image;
    const uint8_t *at;
    uint32_t count;
};

static bool read_table(const struct dispatcher *dispatcher, struct scope_table *table)
{
    uint64_t rva;

    table->image = loader_image_at((const void *)(uintptr_t)dispatcher->control_pc);
    if (!table->image || table->image->kind != LOADER_KIND_PE) {
        return false;
    }
    rva = (uintptr_t)dispatcher->handler_data - (uintptr_t)table->image->base;
    table->at = pe_at(table->image, rva, 4);
    table->count = table->at ? load32(table->at) : 0;
    return pe_range_ok(table->image, rva, 4 + (uint64_t)table->count * SCOPE_SIZE);
}

static struct scope scope_at(const struct scope_table *table, uint32_t index)
{
    struct scope scope;

    memcpy(&scope, table->at + 4 + (size_t)index * SCOPE_SIZE, sizeof(scope));
    return scope;
}

/* Where the frame is, for comparing with scopes. After a call the place is behind it, which may be
 * the first byte of the next scope already: the call itself is what counts. */
static uint64_t place_in(struct dispatcher *dispatcher)
{
    return dispatcher->control_pc - dispatcher->image_base - !link_of(dispatcher)->frame_exact;
}

static bool scope_holds(const struct scope *scope, uint64_t rva)
{
    return rva >= scope->begin && rva < scope->end;
}

/* What the filter says: negative, zero or positive. */
static int run_filter(const struct scope_table *table, const struct scope *scope,
                      struct exception_pointers *pointers, void *establisher,
                      struct dispatcher *dispatcher)
{
    if (scope->handler == 1) {
        return 1;
    }
    if (!is_code(table->image, scope->handler)) {
        return 0;
    }
    return (int)(uint32_t)loader_call_driver(table->image->base + scope->handler, pointers,
                                             establisher, NULL, NULL, link_of(dispatcher));
}

static enum disposition search_scopes(const struct scope_table *table,
                                      struct loader_exception *record, void *establisher,
                                      struct loader_context *context, struct dispatcher *dispatcher)
{
    struct exception_pointers pointers = {record, context};
    uint64_t pc = place_in(dispatcher);

    for (uint32_t i = dispatcher->scope_index; i < table->count; i++) {
        struct scope scope = scope_at(table, i);
        int answer;

        if (!scope_holds(&scope, pc) || scope.target == 0 || !is_code(table->image, scope.target)) {
            continue;
        }
        answer = run_filter(table, &scope, &pointers, establisher, dispatcher);
        if (answer < 0) {
            return CONTINUE_EXECUTION;
        }
        if (answer > 0) {
            const struct frame_link *link = link_of(dispatcher);
            struct unwind_target target = {
                .establisher = (uintptr_t)establisher,
                .ip = (uintptr_t)table->image->base + scope.target,
                .value = record->code,
                .origin = link->origin,
                .origin_exact = link->origin_exact,
                .depth = link->depth,
            };

            exception_unwind(&target, record);
        }
    }
    return CONTINUE_SEARCH;
}

/* Is the target of the unwind the beginning of one of the frame's __except blocks? */
static bool is_except_block(const struct scope_table *table, uint64_t target)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (scope_at(table, i).target == target) {
            return true;
        }
    }
    return false;
}

/* Is the target of the unwind inside the same __try as this scope? Then its __finally stays armed.
 */
static bool target_within(const struct scope_table *table, const struct scope *scope,
                          uint64_t target)
{
    for (uint32_t i = 0; i < table->count; i++) {
        struct scope other = scope_at(table, i);

        if (scope_holds(&other, target) && other.target == scope->target &&
            other.handler == scope->handler) {
            return true;
        }
    }
    return false;
}

/* Runs the __finally blocks that the unwind leaves. Tables name the inner __try first: the blocks
 * before the __except that is unwound to lie within its __try, those behind it stay armed. Where
 * scopes end says nothing of that: clang ends them one byte late, so that they hold the return
 * address of a last call, and that byte may be the __except block's first one. Only for a target
 * that is no such block, as that of longjmp, do the scopes around it decide. */
static void unwind_scopes(const struct scope_table *table, const struct loader_exception *record,
                          void *establisher, struct dispatcher *dispatcher)
{
    uint64_t pc = place_in(dispatcher);
    uint64_t target = dispatcher->target_ip - dispatcher->image_base;
    bool is_target = (record->flags & EXCEPTION_TARGET_UNWIND) != 0;
    bool to_except = is_target && is_except_block(table, target);

    for (uint32_t i = dispatcher->scope_index; i < table->count; i++) {
        struct scope scope = scope_at(table, i);

        if (!scope_holds(&scope, pc)) {
            continue;
        }
        if (is_target && !to_except && target_within(table, &scope, target)) {
            return;
        }
        if (scope.target != 0) {
            if (to_except && target == scope.target) {
                return;
            }
            continue;
        }
        if (is_code(table->image, scope.handler)) {
            /* Told first: an unwind that collides with this one must not run the block again. */
            dispatcher->scope_index = i + 1;
            loader_call_driver(table->image->base + scope.handler, (const void *)1, establisher,
                               NULL, NULL, link_of(dispatcher));
        }
    }
}

LOADER_MS_ABI int loader_c_specific_handler(struct loader_exception *record, void *establisher,
                                            struct loader_context *context,
                                            struct dispatcher *dispatcher)
{
    struct scope_table table;

    /* It is an import that anybody may call; only what we handed out is followed. */
    if (link_of(dispatcher)->magic != LINK_MAGIC || !read_table(dispatcher, &table)) {
        return CONTINUE_SEARCH;
    }
    if (record->flags & (EXCEPTION_UNWINDING | EXCEPTION_EXIT_UNWIND)) {
        unwind_scopes(&table, record, establisher, dispatcher);
        return CONTINUE_SEARCH;
    }
    return search_scopes(&table, record, establisher, context, dispatcher);
}

/* ---- Raising from the host ------------------------------------------------------------------- */

bool exception_origin(struct loader_context *context)
{
    struct walk walk;
    bool found;

    memset(context, 0, sizeof(*context));
    loader_context_capture(context);
    walk_begin(&walk, context, false);
    found = skip_host_frames(&walk);
    if (found) {
        *context = walk.context;
    }
    return found;
}

static _Noreturn void raise_from_here(struct loader_exception *record)
{
    struct loader_context context;

    if (!exception_origin(&context)) {
        report_unhandled(LOADER_FAULT_UNHANDLED, record, &context, false);
    }
    if (!record->address) {
        record->address = (const void *)(uintptr_t)context.rip;
    }
    exception_dispatch(record, &context, false);
}

_Noreturn void loader_raise_with(uint32_t code, unsigned parameter_count,
                                 const uint64_t *parameters)
{
    struct loader_exception record = {.code = code, .flags = EXCEPTION_NONCONTINUABLE};

    CHECK_THAT(parameter_count <= LOADER_PARAMETER_MAX);
    record.parameter_count = parameter_count;
    if (parameter_count) {
        memcpy(record.parameters, parameters, parameter_count * sizeof(*parameters));
    }
    raise_from_here(&record);
}

_Noreturn void loader_raise(uint32_t code)
{
    loader_raise_with(code, 0, NULL);
}

_Noreturn void loader_raise_record(const struct loader_exception *given)
{
    struct loader_exception record = *given;

    record.address = NULL;
    record.flags &= EXCEPTION_NONCONTINUABLE;
    if (record.parameter_count > LOADER_PARAMETER_MAX) {
        record.parameter_count = LOADER_PARAMETER_MAX;
    }
    raise_from_here(&record);
}
