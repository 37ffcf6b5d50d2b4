/* component.h: power components. softgpu.h opens this. */
#ifndef SOFTGPU_COMPONENT_H
#define SOFTGPU_COMPONENT_H

struct softgpu_adapter;

NTSTATUS softgpu_query_power_components(const struct softgpu_adapter *adapter,
                                        const DXGKARG_QUERYADAPTERINFO *query);
NTSTATUS softgpu_query_power_component(const struct softgpu_adapter *adapter,
                                       const DXGKARG_QUERYADAPTERINFO *query);
DXGKDDISETPOWERCOMPONENTFSTATE softgpu_set_power_component_f_state;
DXGKDDIPOWERRUNTIMECONTROLREQUEST softgpu_power_runtime_control;
/* softgpu_set_pointer_shape(), while what shows pointers is on. */
DXGKDDI_SETPOINTERSHAPE softgpu_wake_and_set_pointer_shape;
/* After the device came back from D3. */
void softgpu_components_restore(struct softgpu_adapter *adapter);

#endif
