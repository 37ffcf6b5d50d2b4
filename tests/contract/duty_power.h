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

#define POWER_ROWS                                                                            \
    TESTS_RULE(POWER_007, SetPowerComponentFState, component_unknown, SCENE_RESTS),           \
        TESTS_RULE(POWER_007, SetPowerComponentFState, component_state_unknown, SCENE_RESTS), \
        TESTS_RULE(POWER_007, SetPowerComponentFState, component_goes_deeper, SCENE_RESTS),   \
        TESTS_RULE(POWER_007, SetPowerComponentFState, component_without_cap, SCENE_RESTS)

#endif
