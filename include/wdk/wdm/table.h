/* wdm/table.h: generic tables in balanced trees. */

#ifndef _WDM_TABLE_H_
#define _WDM_TABLE_H_

#include <ntdef.h>

typedef ULONG CLONG;

typedef enum _TABLE_SEARCH_RESULT {
    TableEmptyTree,
    TableFoundNode,
    TableInsertAsLeft,
    TableInsertAsRight
} TABLE_SEARCH_RESULT;

typedef enum _RTL_GENERIC_COMPARE_RESULTS {
    GenericLessThan,
    GenericGreaterThan,
    GenericEqual
} RTL_GENERIC_COMPARE_RESULTS;

typedef struct _RTL_BALANCED_LINKS {
    struct _RTL_BALANCED_LINKS *Parent;
    struct _RTL_BALANCED_LINKS *LeftChild;
    struct _RTL_BALANCED_LINKS *RightChild;
    CHAR Balance;
    UCHAR Reserved[3];
} RTL_BALANCED_LINKS, *PRTL_BALANCED_LINKS;

struct _RTL_AVL_TABLE;
typedef RTL_GENERIC_COMPARE_RESULTS NTAPI RTL_AVL_COMPARE_ROUTINE(struct _RTL_AVL_TABLE *Table,
                                                                  PVOID FirstStruct,
                                                                  PVOID SecondStruct);
typedef RTL_AVL_COMPARE_ROUTINE *PRTL_AVL_COMPARE_ROUTINE;
typedef PVOID NTAPI RTL_AVL_ALLOCATE_ROUTINE(struct _RTL_AVL_TABLE *Table, CLONG ByteSize);
typedef RTL_AVL_ALLOCATE_ROUTINE *PRTL_AVL_ALLOCATE_ROUTINE;
typedef VOID NTAPI RTL_AVL_FREE_ROUTINE(struct _RTL_AVL_TABLE *Table, PVOID Buffer);
typedef RTL_AVL_FREE_ROUTINE *PRTL_AVL_FREE_ROUTINE;

typedef struct _RTL_AVL_TABLE {
    RTL_BALANCED_LINKS BalancedRoot;
    PVOID OrderedPointer;
    ULONG WhichOrderedElement;
    ULONG NumberGenericTableElements;
    ULONG DepthOfTree;
    PRTL_BALANCED_LINKS RestartKey;
    ULONG DeleteCount;
    PRTL_AVL_COMPARE_ROUTINE CompareRoutine;
    PRTL_AVL_ALLOCATE_ROUTINE AllocateRoutine;
    PRTL_AVL_FREE_ROUTINE FreeRoutine;
    PVOID TableContext;
} RTL_AVL_TABLE, *PRTL_AVL_TABLE;

NTSYSAPI VOID NTAPI RtlInitializeGenericTableAvl(PRTL_AVL_TABLE Table,
                                                 PRTL_AVL_COMPARE_ROUTINE CompareRoutine,
                                                 PRTL_AVL_ALLOCATE_ROUTINE AllocateRoutine,
                                                 PRTL_AVL_FREE_ROUTINE FreeRoutine,
                                                 PVOID TableContext);
NTSYSAPI PVOID NTAPI RtlInsertElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer,
                                                     CLONG BufferSize, PBOOLEAN NewElement);
NTSYSAPI PVOID NTAPI RtlInsertElementGenericTableFullAvl(PRTL_AVL_TABLE Table, PVOID Buffer,
                                                         CLONG BufferSize, PBOOLEAN NewElement,
                                                         PVOID NodeOrParent,
                                                         TABLE_SEARCH_RESULT SearchResult);
NTSYSAPI BOOLEAN NTAPI RtlDeleteElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer);
NTSYSAPI PVOID NTAPI RtlLookupElementGenericTableAvl(PRTL_AVL_TABLE Table, PVOID Buffer);
NTSYSAPI PVOID NTAPI RtlLookupElementGenericTableFullAvl(PRTL_AVL_TABLE Table, PVOID Buffer,
                                                         PVOID *NodeOrParent,
                                                         TABLE_SEARCH_RESULT *SearchResult);
NTSYSAPI PVOID NTAPI RtlLookupFirstMatchingElementGenericTableAvl(PRTL_AVL_TABLE Table,
                                                                  PVOID Buffer, PVOID *RestartKey);
NTSYSAPI PVOID NTAPI RtlEnumerateGenericTableAvl(PRTL_AVL_TABLE Table, BOOLEAN Restart);
NTSYSAPI PVOID NTAPI RtlEnumerateGenericTableWithoutSplayingAvl(PRTL_AVL_TABLE Table,
                                                                PVOID *RestartKey);
NTSYSAPI PVOID NTAPI RtlGetElementGenericTableAvl(PRTL_AVL_TABLE Table, ULONG I);
NTSYSAPI ULONG NTAPI RtlNumberGenericTableElementsAvl(PRTL_AVL_TABLE Table);
NTSYSAPI BOOLEAN NTAPI RtlIsGenericTableEmptyAvl(PRTL_AVL_TABLE Table);

#endif /* _WDM_TABLE_H_ */
