/* scene: a small client that makes every DDI of a WDDM 1.x driver be called, in few steps. It uses
 * dxgk directly. What it does besides the plain scene is in tests/drivers/misbehave/scene.h. */
#ifndef CONTRACT_SCENE_H
#define CONTRACT_SCENE_H

#include "../drivers/misbehave/scene.h"
#include "drydock/workload.h"

/* Chosen before the run. */
extern unsigned scene_flags;
/* The scene's own count of things that went wrong: a driver that behaves gives none. */
extern unsigned scene_failures;
extern char scene_failure[160];

extern const struct drydock_workload scene_workload;

#endif
