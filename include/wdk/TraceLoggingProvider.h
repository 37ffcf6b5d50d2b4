/* TraceLoggingProvider.h: tracing without a manifest. Nobody listens here: a provider is an address, and
 * an event is nothing, whose arguments are not evaluated. */

#ifndef _TRACELOGGINGPROVIDER_
#define _TRACELOGGINGPROVIDER_

#include <evntrace.h>
#include <ntdef.h>
#include <wdm/etw.h>

struct _tlgProvider_t {
    UCHAR Level;
};
typedef const struct _tlgProvider_t *TraceLoggingHProvider;

#define TRACELOGGING_DECLARE_PROVIDER(handle) EXTERN_C const TraceLoggingHProvider handle
#define TRACELOGGING_DEFINE_PROVIDER(handle, name, ...)         \
    static const struct _tlgProvider_t handle##_provider = {0}; \
    EXTERN_C const TraceLoggingHProvider handle;                \
    const TraceLoggingHProvider handle = &handle##_provider

#define TraceLoggingRegister(handle)             ((void)(handle), STATUS_SUCCESS)
#define TraceLoggingRegisterEx(handle, ...)      ((void)(handle), STATUS_SUCCESS)
#define TraceLoggingUnregister(handle)           ((void)(handle))
#define TraceLoggingProviderEnabled(handle, ...) ((void)(handle), FALSE)
#define TraceLoggingWrite(handle, ...)           ((void)(handle))
#define TraceLoggingWriteActivity(handle, ...)   ((void)(handle))

#endif /* _TRACELOGGINGPROVIDER_ */
