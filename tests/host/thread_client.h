/* The workload of the thread driver; counts test.words_wrong. */
#ifndef THREAD_CLIENT_H
#define THREAD_CLIENT_H

#include "drydock/workload.h"

extern const struct drydock_workload thread_workload;

#endif
