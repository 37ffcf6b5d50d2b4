/* Intrusive doubly linked list. The list head is a link of its own. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define container_of(pointer, type, member) \
    ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

struct list {
    struct list *prev, *next;
};

static inline void list_init(struct list *head)
{
    head->prev = head->next = head;
}

static inline bool list_empty(const struct list *head)
{
    return head->next == head;
}

/* Inserts link before the given place; before the head is the end of the list. */
static inline void list_insert_before(struct list *place, struct list *link)
{
    link->prev = place->prev;
    link->next = place;
    place->prev->next = link;
    place->prev = link;
}

static inline void list_push_back(struct list *head, struct list *link)
{
    list_insert_before(head, link);
}

static inline void list_push_front(struct list *head, struct list *link)
{
    list_insert_before(head->next, link);
}

static inline void list_remove(struct list *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    list_init(link);
}

static inline struct list *list_pop_front(struct list *head)
{
    struct list *link = head->next;

    if (link == head) {
        return NULL;
    }
    list_remove(link);
    return link;
}

/* Moves all of from to the end of head; from is empty afterwards. */
static inline void list_splice_back(struct list *head, struct list *from)
{
    while (!list_empty(from)) {
        struct list *link = from->next;
        list_remove(link);
        list_push_back(head, link);
    }
}

#define list_for_each(link, head) \
    for (struct list *link = (head)->next; link != (head); link = link->next)

/* The current link may be removed inside the loop. */
#define list_for_each_safe(link, head)                                                \
    for (struct list *link = (head)->next, *link##_next = link->next; link != (head); \
         link = link##_next, link##_next = link->next)

#endif
