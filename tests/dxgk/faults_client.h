/* faults_client.h: a client whose two devices fault on two nodes at once. */
#ifndef TESTS_DXGK_FAULTS_CLIENT_H
#define TESTS_DXGK_FAULTS_CLIENT_H

#include "drydock/workload.h"

#define FAULTS_ROUNDS 32 /* with one reset of the adapter each */

extern const struct drydock_workload faults_client;

#endif
