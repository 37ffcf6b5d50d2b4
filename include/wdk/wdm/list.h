/* wdm/list.h: doubly and singly linked lists; the head is an entry of the same type. */

#ifndef _WDM_LIST_H_
#define _WDM_LIST_H_

#include <ntdef.h>

FORCEINLINE VOID InitializeListHead(PLIST_ENTRY head)
{
    head->Flink = head->Blink = head;
}

FORCEINLINE BOOLEAN IsListEmpty(const LIST_ENTRY *head)
{
    return head->Flink == head;
}

/* Returns whether the list is empty now. */
FORCEINLINE BOOLEAN RemoveEntryList(PLIST_ENTRY entry)
{
    PLIST_ENTRY next = entry->Flink;
    PLIST_ENTRY previous = entry->Blink;
    previous->Flink = next;
    next->Blink = previous;
    return next == previous;
}

FORCEINLINE PLIST_ENTRY RemoveHeadList(PLIST_ENTRY head)
{
    PLIST_ENTRY entry = head->Flink;
    RemoveEntryList(entry);
    return entry;
}

FORCEINLINE PLIST_ENTRY RemoveTailList(PLIST_ENTRY head)
{
    PLIST_ENTRY entry = head->Blink;
    RemoveEntryList(entry);
    return entry;
}

FORCEINLINE VOID InsertTailList(PLIST_ENTRY head, PLIST_ENTRY entry)
{
    PLIST_ENTRY last = head->Blink;
    entry->Flink = head;
    entry->Blink = last;
    last->Flink = entry;
    head->Blink = entry;
}

FORCEINLINE VOID InsertHeadList(PLIST_ENTRY head, PLIST_ENTRY entry)
{
    PLIST_ENTRY first = head->Flink;
    entry->Flink = first;
    entry->Blink = head;
    first->Blink = entry;
    head->Flink = entry;
}

/* `tail` is an entry of a headless ring that joins the end of the list. */
FORCEINLINE VOID AppendTailList(PLIST_ENTRY head, PLIST_ENTRY tail)
{
    PLIST_ENTRY last = head->Blink;
    head->Blink->Flink = tail;
    head->Blink = tail->Blink;
    tail->Blink->Flink = head;
    tail->Blink = last;
}

FORCEINLINE PSINGLE_LIST_ENTRY PopEntryList(PSINGLE_LIST_ENTRY head)
{
    PSINGLE_LIST_ENTRY first = head->Next;
    if (first != NULL)
        head->Next = first->Next;
    return first;
}

FORCEINLINE VOID PushEntryList(PSINGLE_LIST_ENTRY head, PSINGLE_LIST_ENTRY entry)
{
    entry->Next = head->Next;
    head->Next = entry;
}

#endif /* _WDM_LIST_H_ */
