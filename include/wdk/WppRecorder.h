/*
 * WppRecorder.h: software tracing.
 *
 * A source with WPP tracing includes "its-name.tmh", which a preprocessor of the build writes:
 * there the trace functions that the project has configured become real. Where that file is empty,
 * what stands below lets the source compile: levels, flags and the calls that start and stop
 * tracing.
 */

#ifndef _WPPRECORDER_H_
#define _WPPRECORDER_H_

#include <evntrace.h>
#include <ntdef.h>
#include <ntstrsafe.h> /* drivers reach it through this one */

typedef struct _RECORDER_LOG *RECORDER_LOG;
typedef struct _RECORDER_LOG_CREATE_PARAMS {
    ULONG Size;
    LONG TotalBufferSize;
    LONG ErrorPartitionSize;
    BOOLEAN UseTimeStamp;
    BOOLEAN PreAllocate;
    CHAR LogIdentifier[16];
} RECORDER_LOG_CREATE_PARAMS, *PRECORDER_LOG_CREATE_PARAMS;

typedef struct _RECORDER_CONFIGURE_PARAMS {
    ULONG Size;
    BOOLEAN CreateDefaultLog;
} RECORDER_CONFIGURE_PARAMS, *PRECORDER_CONFIGURE_PARAMS;

#define RECORDER_CONFIGURE_PARAMS_INIT(parameters)  \
    do {                                            \
        (parameters)->Size = sizeof(*(parameters)); \
        (parameters)->CreateDefaultLog = TRUE;      \
    } while (0)
#define RECORDER_LOG_CREATE_PARAMS_INIT(parameters, name) \
    do {                                                  \
        (void)(name);                                     \
        (parameters)->Size = sizeof(*(parameters));       \
    } while (0)
#define WppRecorderLogCreate(parameters, log) (*(log) = NULL, STATUS_SUCCESS)
#define WppRecorderLogDelete(log)             ((void)(log))
#define WppRecorderLogGetDefault()            ((RECORDER_LOG)NULL)
#define WppRecorderIsDefaultLogAvailable()    (FALSE)
#define WppRecorderConfigure(parameters)      ((void)(parameters))

#ifndef WPP_INIT_TRACING
#define WPP_INIT_TRACING(driver_object, registry_path) \
    ((void)(driver_object), (void)(registry_path))
#endif
#ifndef WPP_CLEANUP
#define WPP_CLEANUP(driver_object) ((void)(driver_object))
#endif
/* Whether a flag goes to the recorder: something to assign to, read by nobody. */
FORCEINLINE UCHAR *__wpp_recorder_filter(void)
{
    static UCHAR filter;
    return &filter;
}
#ifndef WPP_RECORDER_LEVEL_FILTER
#define WPP_RECORDER_LEVEL_FILTER(flag) (*__wpp_recorder_filter())
#endif
#ifndef WPP_LEVEL_LOGGER
#define WPP_LEVEL_LOGGER(flag)
#endif
#ifndef WPP_DEFINE_CONTROL_GUID
#define WPP_DEFINE_CONTROL_GUID(name, guid, bits)
#define WPP_DEFINE_BIT(name)
#endif
#ifndef WPP_LEVEL_ENABLED
#define WPP_LEVEL_ENABLED(flag) 0
#endif
#ifndef WPP_FLAG_LEVEL_ENABLED
#define WPP_FLAG_LEVEL_ENABLED(flag, level) 0
#endif
#ifndef WPP_LEVEL_FLAGS_ENABLED
#define WPP_LEVEL_FLAGS_ENABLED(level, flag) 0
#endif

#endif /* _WPPRECORDER_H_ */
