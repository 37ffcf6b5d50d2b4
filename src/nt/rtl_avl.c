/* nt/rtl_avl.c: generic tables in balanced trees.
 *
 * Nodes lie in memory that the driver's routines allocate: links first, the driver's element behind
 * them. The root is the right child of the links in the table, which are the parent that ends every
 * walk upwards. Balance is the height on the right less that on the left. */
#include "nt/internal.h"

#include <string.h>

struct node {
    RTL_BALANCED_LINKS links; /* first */
    uint8_t element[] __attribute__((aligned(8)));
};

typedef RTL_BALANCED_LINKS links;

static links *root_of(RTL_AVL_TABLE *table)
{
    return table->BalancedRoot.RightChild;
}

static void *element_of(links *at)
{
    return at ? ((struct node *)at)->element : NULL;
}

static bool is_table(const RTL_AVL_TABLE *table, const struct export_call *call)
{
    if (table->CompareRoutine && table->BalancedRoot.Parent == &table->BalancedRoot) {
        return true;
    }
    misuse(NT_MISUSE_OBJECT, call, "the table is not initialised or overwritten");
    return false;
}

/* ---- Balance --------------------------------------------------------------------------------- */

static void replace_child(links *parent, const links *old, links *child)
{
    if (parent->LeftChild == old) {
        parent->LeftChild = child;
    } else {
        parent->RightChild = child;
    }
    if (child) {
        child->Parent = parent;
    }
}

static CHAR above(CHAR a, CHAR b)
{
    return a > b ? a : b;
}

static CHAR below(CHAR a, CHAR b)
{
    return a < b ? a : b;
}

/* The right child takes the place of its parent. */
static links *rotate_left(links *down)
{
    links *up = down->RightChild;

    replace_child(down->Parent, down, up);
    down->RightChild = up->LeftChild;
    if (down->RightChild) {
        down->RightChild->Parent = down;
    }
    up->LeftChild = down;
    down->Parent = up;
    down->Balance = (CHAR)(down->Balance - 1 - above(up->Balance, 0));
    up->Balance = (CHAR)(up->Balance - 1 + below(down->Balance, 0));
    return up;
}

static links *rotate_right(links *down)
{
    links *up = down->LeftChild;

    replace_child(down->Parent, down, up);
    down->LeftChild = up->RightChild;
    if (down->LeftChild) {
        down->LeftChild->Parent = down;
    }
    up->RightChild = down;
    down->Parent = up;
    down->Balance = (CHAR)(down->Balance + 1 - below(up->Balance, 0));
    up->Balance = (CHAR)(up->Balance + 1 + above(down->Balance, 0));
    return up;
}

/* Mends a node that is out of balance by two; who stands there afterwards. */
static links *rebalance(links *at)
{
    if (at->Balance > 0) {
        if (at->RightChild->Balance < 0) {
            rotate_right(at->RightChild);
        }
        return rotate_left(at);
    }
    if (at->LeftChild->Balance > 0) {
        rotate_left(at->LeftChild);
    }
    return rotate_right(at);
}

static void grown(RTL_AVL_TABLE *table, links *child)
{
    for (links *at = child->Parent; at != &table->BalancedRoot; child = at, at = at->Parent) {
        at->Balance = (CHAR)(at->Balance + (at->LeftChild == child ? -1 : 1));
        if (at->Balance == 0) {
            return;
        }
        if (at->Balance < -1 || at->Balance > 1) {
            rebalance(at);
            return;
        }
    }
}

/* Takes out a node that has one child at most. */
static void unlink_leafward(RTL_AVL_TABLE *table, links *gone)
{
    links *at = gone->Parent;
    bool left = at->LeftChild == gone;

    replace_child(at, gone, gone->LeftChild ? gone->LeftChild : gone->RightChild);
    while (at != &table->BalancedRoot) {
        at->Balance = (CHAR)(at->Balance + (left ? 1 : -1));
        if (at->Balance == 1 || at->Balance == -1) {
            return; /* as high as before */
        }
        if (at->Balance != 0) {
            at = rebalance(at);
            if (at->Balance != 0) {
                return;
            }
        }
        left = at->Parent->LeftChild == at;
        at = at->Parent;
    }
}

/* ---- Walking --------------------------------------------------------------------------------- */

static links *leftmost(links *at)
{
    while (at && at->LeftChild) {
        at = at->LeftChild;
    }
    return at;
}

static links *next_of(RTL_AVL_TABLE *table, links *at)
{
    if (at->RightChild) {
        return leftmost(at->RightChild);
    }
    while (at != &table->BalancedRoot && at->Parent->RightChild == at) {
        at = at->Parent;
        if (at == &table->BalancedRoot) {
            return NULL;
        }
    }
    return at->Parent;
}

static links *previous_of(RTL_AVL_TABLE *table, links *at)
{
    if (at->LeftChild) {
        for (at = at->LeftChild; at->RightChild; at = at->RightChild) {
        }
        return at;
    }
    while (at->Parent != &table->BalancedRoot && at->Parent->LeftChild == at) {
        at = at->Parent;
    }
    return at->Parent == &table->BalancedRoot ? NULL : at->Parent;
}

static TABLE_SEARCH_RESULT find(RTL_AVL_TABLE *table, void *wanted, links **out)
{
    links *at = root_of(table);

    *out = at;
    while (at) {
        RTL_GENERIC_COMPARE_RESULTS order = table->CompareRoutine(table, wanted, element_of(at));
        links *child = order == GenericLessThan ? at->LeftChild : at->RightChild;
        *out = at;
        if (order == GenericEqual) {
            return TableFoundNode;
        }
        if (!child) {
            return order == GenericLessThan ? TableInsertAsLeft : TableInsertAsRight;
        }
        at = child;
    }
    return TableEmptyTree;
}

/* ---- Exports --------------------------------------------------------------------------------- */

VOID NTAPI RtlInitializeGenericTableAvl(PRTL_AVL_TABLE Table,
                                        PRTL_AVL_COMPARE_ROUTINE CompareRoutine,
                                        PRTL_AVL_ALLOCATE_ROUTINE AllocateRoutine,
                                        PRTL_AVL_FREE_ROUTINE FreeRoutine, PVOID TableContext)
{
    NT_EXPORT_ENTER(RtlInitializeGenericTableAvl);
    memset(Table, 0, sizeof(*Table));
    Table->BalancedRoot.Parent = &Table->BalancedRoot;
    Table->CompareRoutine = CompareRoutine;
    Table->AllocateRoutine = AllocateRoutine;
    Table->FreeRoutine = FreeRoutine;
    Table->TableContext = TableContext;
}

static void *insert(RTL_AVL_TABLE *table, const void *buffer, CLONG size, BOOLEAN *is_new,
                    links *place, TABLE_SEARCH_RESULT result)
{
    struct node *node;

    if (is_new) {
        *is_new = result != TableFoundNode;
    }
    if (result == TableFoundNode) {
        return element_of(place);
    }
    node = table->AllocateRoutine(table, (CLONG)(sizeof(*node) + size));
    if (!node) {
        if (is_new) {
            *is_new = FALSE;
        }
        return NULL;
    }
    memset(&node->links, 0, sizeof(node->links));
    memcpy(node->element, buffer, size);
    node->links.Parent = result == TableEmptyTree ? &table->BalancedRoot : place;
    if (result == TableInsertAsLeft) {
        place->LeftChild = &node->links;
    } else {
        node->links.Parent->RightChild = &node->links;
    }
    grown(table, &node->links);
    table->NumberGenericTableElements++;
    return node->element;
}

PVOID NTAPI RtlInsertElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer, CLONG BufferSize,
                                            PBOOLEAN NewElement)
{
    struct export_call call = NT_EXPORT_CALL(RtlInsertElementGenericTableAvl);
    links *place;
    TABLE_SEARCH_RESULT result;

    if (!is_table(Table, &call)) {
        return NULL;
    }
    result = find(Table, Buffer, &place);
    return insert(Table, Buffer, BufferSize, NewElement, place, result);
}

PVOID NTAPI RtlInsertElementGenericTableFullAvl(PRTL_AVL_TABLE Table, PVOID Buffer,
                                                CLONG BufferSize, PBOOLEAN NewElement,
                                                PVOID NodeOrParent,
                                                TABLE_SEARCH_RESULT SearchResult)
{
    struct export_call call = NT_EXPORT_CALL(RtlInsertElementGenericTableFullAvl);

    if (!is_table(Table, &call)) {
        return NULL;
    }
    return insert(Table, Buffer, BufferSize, NewElement, NodeOrParent, SearchResult);
}

static void take_out(RTL_AVL_TABLE *table, links *gone)
{
    links *heir;

    if (table->RestartKey == gone) { /* the walk goes on behind the one before */
        table->RestartKey = previous_of(table, gone);
    }
    if (!gone->LeftChild || !gone->RightChild) {
        unlink_leafward(table, gone);
    } else {
        heir = leftmost(gone->RightChild);
        unlink_leafward(table, heir);
        *heir = *gone;
        replace_child(gone->Parent, gone, heir);
        if (heir->LeftChild) {
            heir->LeftChild->Parent = heir;
        }
        if (heir->RightChild) {
            heir->RightChild->Parent = heir;
        }
    }
    table->NumberGenericTableElements--;
    table->DeleteCount++;
}

BOOLEAN NTAPI RtlDeleteElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer)
{
    struct export_call call = NT_EXPORT_CALL(RtlDeleteElementGenericTableAvl);
    links *gone;

    if (!is_table(Table, &call) || find(Table, Buffer, &gone) != TableFoundNode) {
        return FALSE;
    }
    take_out(Table, gone);
    Table->FreeRoutine(Table, gone);
    return TRUE;
}

PVOID NTAPI RtlLookupElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer)
{
    struct export_call call = NT_EXPORT_CALL(RtlLookupElementGenericTableAvl);
    links *at;

    return is_table(Table, &call) && find(Table, Buffer, &at) == TableFoundNode ? element_of(at)
                                                                                : NULL;
}

PVOID NTAPI RtlLookupElementGenericTableFullAvl(PRTL_AVL_TABLE Table, PVOID Buffer,
                                                PVOID *NodeOrParent,
                                                TABLE_SEARCH_RESULT *SearchResult)
{
    struct export_call call = NT_EXPORT_CALL(RtlLookupElementGenericTableFullAvl);
    links *at = NULL;

    *SearchResult = is_table(Table, &call) ? find(Table, Buffer, &at) : TableEmptyTree;
    *NodeOrParent = at;
    return *SearchResult == TableFoundNode ? element_of(at) : NULL;
}

PVOID NTAPI RtlLookupFirstMatchingElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer,
                                                         PVOID *RestartKey)
{
    struct export_call call = NT_EXPORT_CALL(RtlLookupFirstMatchingElementGenericTableAvl);
    links *at;

    *RestartKey = NULL;
    if (!is_table(Table, &call) || find(Table, Buffer, &at) != TableFoundNode) {
        return NULL;
    }
    for (links *before = previous_of(Table, at);
         before && Table->CompareRoutine(Table, Buffer, element_of(before)) == GenericEqual;
         before = previous_of(Table, at)) {
        at = before;
    }
    *RestartKey = at;
    return element_of(at);
}

static void *enumerate(RTL_AVL_TABLE *table, links **key)
{
    links *at = *key ? next_of(table, *key) : leftmost(root_of(table));

    if (at) {
        *key = at;
    }
    return element_of(at);
}

PVOID NTAPI RtlEnumerateGenericTableAvl(PRTL_AVL_TABLE Table, BOOLEAN Restart)
{
    struct export_call call = NT_EXPORT_CALL(RtlEnumerateGenericTableAvl);

    if (!is_table(Table, &call)) {
        return NULL;
    }
    if (Restart) {
        Table->RestartKey = NULL;
    }
    return enumerate(Table, &Table->RestartKey);
}

PVOID NTAPI RtlEnumerateGenericTableWithoutSplayingAvl(PRTL_AVL_TABLE Table, PVOID *RestartKey)
{
    struct export_call call = NT_EXPORT_CALL(RtlEnumerateGenericTableWithoutSplayingAvl);

    return is_table(Table, &call) ? enumerate(Table, (links **)RestartKey) : NULL;
}

PVOID NTAPI RtlGetElementGenericTableAvl(PRTL_AVL_TABLE Table, ULONG I)
{
    struct export_call call = NT_EXPORT_CALL(RtlGetElementGenericTableAvl);
    links *at;

    if (!is_table(Table, &call) || I >= Table->NumberGenericTableElements) {
        return NULL;
    }
    for (at = leftmost(root_of(Table)); at && I > 0; I--) {
        at = next_of(Table, at);
    }
    return element_of(at);
}

ULONG NTAPI RtlNumberGenericTableElementsAvl(PRTL_AVL_TABLE Table)
{
    NT_EXPORT_ENTER(RtlNumberGenericTableElementsAvl);
    return Table->NumberGenericTableElements;
}

BOOLEAN NTAPI RtlIsGenericTableEmptyAvl(PRTL_AVL_TABLE Table)
{
    NT_EXPORT_ENTER(RtlIsGenericTableEmptyAvl);
    return Table->NumberGenericTableElements == 0;
}
