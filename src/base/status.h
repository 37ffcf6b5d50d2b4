/* The one status type of the house: NTSTATUS, with the codes of the WDK. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

typedef int NTSTATUS;

#include <ntstatus.h>

#ifndef NT_SUCCESS
#define NT_SUCCESS(status) ((NTSTATUS)(status) >= 0)
#endif

#define MUST_CHECK __attribute__((warn_unused_result))

/* "STATUS_INVALID_PARAMETER", or "0xC000ABCD" for a code without a known name. The text of an
 * unknown code stands in a buffer that the next call with an unknown code may reuse. */
const char *status_name(NTSTATUS status);

#endif
