/* duty_features.h: what a kernel that mistook features and their interfaces would have handed to
 * the driver. A part of duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_FEATURES_H
#define TESTS_CONTRACT_DUTY_FEATURES_H

SPOIL(feature_of_another, DXGKARG_QUERYFEATUREINTERFACE, true,
      a->FeatureId = DXGK_FEATURE_LDA_GPUPV)
SPOIL(feature_of_tomorrow, DXGKARG_QUERYFEATUREINTERFACE, true, a->Version++)
SPOIL(feature_is_off, DXGKARG_QUERYFEATUREINTERFACE, true,
      precede(call, POINT_QueryFeatureSupport,
              &((DXGKARG_QUERYFEATURESUPPORT){.FeatureId = DXGK_FEATURE_SAMPLE,
                                              .MinSupportedVersion = 3,
                                              .MaxSupportedVersion = 5,
                                              .SupportedByDriver = TRUE}),
              sizeof(DXGKARG_QUERYFEATURESUPPORT)))
SPOIL(interface_of_nobody, void, true, call->first = NOBODY)
SPOIL(interface_twice, void, true, precede_copy(call, STATUS_SUCCESS))

static void NTAPI refer(PVOID context)
{
    (void)context;
}

/* The driver hands its interface out right before the call. */
static void hand_out(const struct contract_call *call)
{
    static struct {
        DXGKDDI_FEATURE_INTERFACE interface;
        uint8_t canary[CONTRACT_CANARY_BYTES];
    } handed = {{.Size = sizeof handed.interface,
                 .Version = DXGKDDI_FEATURE_INTERFACE_VERSION_1,
                 .InterfaceReference = refer,
                 .InterfaceDereference = refer,
                 .QueryFeatureSupport = (PDXGKDDI_QUERYFEATURESUPPORT)(void *)refer,
                 .QueryFeatureInterface = (PDXGKDDI_QUERYFEATUREINTERFACE)(void *)refer}};
    QUERY_INTERFACE query = {.InterfaceType = (GUID *)&contract_feature_interface,
                             .Size = sizeof handed.interface,
                             .Version = DXGKDDI_FEATURE_INTERFACE_VERSION_1,
                             .Interface = (PINTERFACE)&handed.interface};

    contract_canary_write(handed.canary);
    precede(call, POINT_QueryInterface, &query, sizeof query);
}
SPOIL(interface_is_kept, void, true, hand_out(call))

#define FEATURE_ROWS                                                                              \
    TESTS_RULE(FEATURE_005, QueryFeatureInterface, feature_of_another, SCENE_VIRTUAL),            \
        TESTS_RULE(FEATURE_005, QueryFeatureInterface, feature_of_tomorrow, SCENE_VIRTUAL),       \
        TESTS_RULE(FEATURE_005, QueryFeatureInterface, feature_is_off, SCENE_VIRTUAL),            \
        TESTS_RULE(FEATURE_006, FeatureInterfaceDereference, interface_of_nobody, SCENE_VIRTUAL), \
        TESTS_RULE(FEATURE_006, FeatureInterfaceDereference, interface_twice, SCENE_VIRTUAL),     \
        TESTS_RULE(FEATURE_006, StopDevice, interface_is_kept, SCENE_VIRTUAL),                    \
        TESTS_RULE(FEATURE_006, RemoveDevice, interface_is_kept, SCENE_VIRTUAL)

#endif
