/* duty_doorbells.h: what a kernel that mistook its own doorbells would have handed to the driver. A
 * part of duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_DOORBELLS_H
#define TESTS_CONTRACT_DUTY_DOORBELLS_H

SPOIL(doorbell_of_nobody, DXGKARG_CREATEDOORBELL, true, a->hHwQueue = NOBODY)
SPOIL(doorbell_without_ring, DXGKARG_CREATEDOORBELL, true, a->hRingBuffer = NULL)
SPOIL(doorbell_with_old_control, DXGKARG_CREATEDOORBELL, true, a->hRingBufferControl = NOBODY)
SPOIL(connects_nothing, DXGKARG_CONNECTDOORBELL, true, a->hDoorbell = NOBODY)
SPOIL(disconnects_nothing, DXGKARG_DISCONNECTDOORBELL, true, a->hDoorbell = NOBODY)
SPOIL(destroys_nothing, DXGKARG_DESTROYDOORBELL, true, a->hDoorbell = NOBODY)
SPOIL(notices_nobody, DXGKARG_NOTIFYWORKSUBMISSION, true, a->hHwQueue = NOBODY)

#define DOORBELL_ROWS                                                                   \
    TESTS_RULE(DOORB_020, CreateDoorbell, doorbell_of_nobody, SCENE_QUEUES),            \
        TESTS_RULE(DOORB_020, CreateDoorbell, doorbell_without_ring, SCENE_QUEUES),     \
        TESTS_RULE(DOORB_020, CreateDoorbell, doorbell_with_old_control, SCENE_QUEUES), \
        TESTS_RULE(DOORB_021, ConnectDoorbell, connects_nothing, SCENE_QUEUES),         \
        TESTS_RULE(DOORB_022, DisconnectDoorbell, disconnects_nothing, SCENE_QUEUES),   \
        TESTS_RULE(DOORB_026, DestroyDoorbell, destroys_nothing, SCENE_QUEUES),         \
        TESTS_RULE(DOORB_025, NotifyWorkSubmission, notices_nobody, SCENE_SIGNALS)

#endif
