/* duty_power.h: what a kernel that mistook power components or power states would have asked of the
 * driver. A part of duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_POWER_H
#define TESTS_CONTRACT_DUTY_POWER_H

#define COMPONENT(name, condition, change) \
    SPOIL(name, struct contract_component_call, condition, change)
COMPONENT(component_unknown, true, a->component = 99)
COMPONENT(component_state_unknown, true, a->state = 7)
COMPONENT(component_goes_deeper, a->state == 0, a->state = 2)
COMPONENT(component_without_cap, true, SAY_CAPS(caps->SupportRuntimePowerManagement = 0))

/* SetPowerState has been called so, before. */
#define POWER(name, ...) \
    SPOIL(name, void, true, precede_power(call, &(const struct contract_power){__VA_ARGS__}))
POWER(power_of_nobody, 77, PowerDeviceD3, PowerActionSleep)
POWER(power_is_too_low, DISPLAY_ADAPTER_HW_ID, PowerDeviceD3 + 1, PowerActionSleep)
POWER(power_for_nothing, DISPLAY_ADAPTER_HW_ID, PowerDeviceD3, PowerActionNone)

#define POWER_ROWS                                                                            \
    TESTS_RULE(POWER_007, SetPowerComponentFState, component_unknown, SCENE_RESTS),           \
        TESTS_RULE(POWER_007, SetPowerComponentFState, component_state_unknown, SCENE_RESTS), \
        TESTS_RULE(POWER_007, SetPowerComponentFState, component_goes_deeper, SCENE_RESTS),   \
        TESTS_RULE(POWER_007, SetPowerComponentFState, component_without_cap, SCENE_RESTS),   \
        TESTS_RULE(POWER_010, SubmitCommand, power_of_nobody, SCENE_PLAIN),                   \
        TESTS_RULE(POWER_010, SubmitCommand, power_is_too_low, SCENE_PLAIN),                  \
        TESTS_RULE(POWER_010, SubmitCommand, power_for_nothing, SCENE_PLAIN)

#endif
