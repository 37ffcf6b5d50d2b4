/* Rules of overlays of WDDM 1.x. What is seen of them the workload `overlays` judges. */
#include "contract/internal.h"
#include "contract/tracker.h"

static const struct contract_row rows[] = {
    AFTER(OVL_001, CreateOverlay,
          STATUS_IN(STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_NO_MEMORY,
                    STATUS_INSUFFICIENT_RESOURCES, STATUS_GRAPHICS_DRIVER_MISMATCH),
          WHEN(has_device)),
    AFTER(OVL_002, CreateOverlay,
          FIELD_NEW_HANDLE(DXGKARG_CREATEOVERLAY, hOverlay, TRACKED_OVERLAY), WHEN(has_succeeded)),
    AFTER(OVL_003, UpdateOverlay,
          STATUS_IN(STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_NO_MEMORY,
                    STATUS_INSUFFICIENT_RESOURCES, STATUS_GRAPHICS_DRIVER_MISMATCH),
          WHEN(has_device)),
    AFTER(OVL_004, FlipOverlay,
          STATUS_IN(STATUS_SUCCESS, STATUS_INVALID_PARAMETER, STATUS_NO_MEMORY,
                    STATUS_GRAPHICS_DRIVER_MISMATCH),
          WHEN(has_device)),
    AFTER(OVL_005, DestroyOverlay, SUCCEEDS, WHEN(has_device), ADVISES,
          SAYS("what the overlay showed is about to lose its place")),
};

const struct contract_family contract_family_overlays = FAMILY_OF(rows);
