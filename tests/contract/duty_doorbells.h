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

/* What the tracker has of a queue, if it is one. */
static struct contract_object *queue_in(struct contract_call *call, HANDLE handle)
{
    return contract_object_find(call->tracker, TRACKED_HW_QUEUE, handle);
}

SPOIL(submits_for_a_client, DXGKARG_SUBMITCOMMANDTOHWQUEUE, queue_in(call, a->hHwQueue) != NULL,
      queue_in(call, a->hHwQueue)->users = true)
SPOIL(queue_before_its_doorbell, void, queue_in(call, call->first) != NULL,
      queue_in(call, call->first)->child_count = 1)

#define DOORBELL_ROWS                                                                      \
    TESTS_RULE(DOORB_020, CreateDoorbell, doorbell_of_nobody, SCENE_QUEUES),               \
        TESTS_RULE(DOORB_020, CreateDoorbell, doorbell_without_ring, SCENE_QUEUES),        \
        TESTS_RULE(DOORB_020, CreateDoorbell, doorbell_with_old_control, SCENE_QUEUES),    \
        TESTS_RULE(DOORB_021, ConnectDoorbell, connects_nothing, SCENE_QUEUES),            \
        TESTS_RULE(DOORB_022, DisconnectDoorbell, disconnects_nothing, SCENE_QUEUES),      \
        TESTS_RULE(DOORB_023, DestroyHwQueue, queue_before_its_doorbell, SCENE_QUEUES),    \
        TESTS_RULE(DOORB_024, SubmitCommandToHwQueue, submits_for_a_client, SCENE_QUEUES), \
        TESTS_RULE(DOORB_026, DestroyDoorbell, destroys_nothing, SCENE_QUEUES),            \
        TESTS_RULE(DOORB_025, NotifyWorkSubmission, notices_nobody, SCENE_SIGNALS)

#endif
