/* The rules that only the result of work shows to be broken: workloads name them. */
#include "host/internal.h"

#include <string.h>

#define RESULTS(X)                                                                                 \
    X(PRES_025, "PRES-025",                                                                        \
      "Color taken as A8R8G8B8 in whatever format the surface is, or as an index of a palette")    \
    X(PRES_026, "PRES-026",                                                                        \
      "sub-rectangles as they are, each from where SrcRect and DstRect say that it comes from")    \
    X(HWQ_008, "HWQ-008", "a progress fence that has the id of a Present when all of it is drawn") \
    X(HWQ_012, "HWQ-012", "what a Present asks for, drawn by the hardware queue as by a context")  \
    X(PRES_028, "PRES-028",                                                                        \
      "every listed sub-rectangle drawn, and no pixel outside of them changed")                    \
    X(PRES_033, "PRES-033", "the source's pixels in the destination")                              \
    X(PRES_034, "PRES-034", "the sub-rectangles of the destination filled with Color")             \
    X(PRES_038, "PRES-038", "source pixels that equal Color left out, and all others copied")      \
    X(PRES_039, "PRES-039", "only destination pixels that equal Color replaced")                   \
    X(PRES_040, "PRES-040", "what counts light converted to sRGB while it is copied")              \
    X(PRES_041, "PRES-041",                                                                        \
      "a Blt with Rotate turned as the path is, and one without it not turned")                    \
    X(PRES_044, "PRES-044", "each eye shown, or given to a copy, the image that the flags say")    \
    X(SHOW_010, "SHOW-010",                                                                        \
      "the colours of SetPalette in the entries from FirstEntry on, and the others as before")     \
    X(SHOW_013, "SHOW-013", "the picture in the target's mode as the Scaling of the path says")    \
    X(VIDPN_016, "VIDPN-016", "the picture seen through the path's GammaRamp, and then as it is")  \
    X(MPO_001, "MPO-001", "a plane with Enabled 0 off, and a plane that no call names as it was")  \
    X(MPO_002, "MPO-002",                                                                          \
      "planes of two calls before one vertical sync shown as both calls have them")                \
    X(MPO_003, "MPO-003",                                                                          \
      "all planes of a call shown together, each with all of its PlaneAttributes")                 \
    X(MPO_014, "MPO-014", "flips that were reported as cancelled never shown")                     \
    X(MPO_029, "MPO-029",                                                                          \
      "at each vertical sync the newest flip shown of those whose TargetFlipTime has come")        \
    X(OVL_001, "OVL-001",                                                                          \
      "STATUS_INSUFFICIENT_RESOURCES only where bandwidth or overlay hardware does not suffice")   \
    X(OVL_011, "OVL-011",                                                                          \
      "SrcRect of the allocation seen in DstRect, and nothing else changed on the screen")         \
    X(OVL_012, "OVL-012",                                                                          \
      "the overlay with the allocation, SrcRect and DstRect of the call, and gone from where it "  \
      "was")                                                                                       \
    X(OVL_013, "OVL-013", "the new allocation in the place of the old one")                        \
    X(OVL_014, "OVL-014",                                                                          \
      "nothing of an overlay seen that was destroyed, and the others as before")                   \
    X(OVL_015, "OVL-015", "an overlay over the primary, whatever flips there")                     \
    X(FLIP_008, "FLIP-008",                                                                        \
      "pitch and format of the surface that hAllocation names programmed with its address")        \
    X(INT_016, "INT-016",                                                                          \
      "the address of the fault in FaultedVirtualAddress, and DXGK_PAGE_FAULT_WRITE if it was a "  \
      "write, and not else")                                                                       \
    X(SUBMIT_045, "SUBMIT-045",                                                                    \
      "a preempted packet goes on where it stopped: each command has run once")                    \
    X(RENDER_003, "RENDER-003",                                                                    \
      "a command buffer refused that would reach what is not the client's")                        \
    X(GDI_004, "GDI-004",                                                                          \
      "in each sub-rectangle what the raster operation makes, and no pixel outside of them "       \
      "changed")                                                                                   \
    X(GDI_005, "GDI-005",                                                                          \
      "in each sub-rectangle the source, scaled, mirrored, keyed or blended as the command says, " \
      "and no pixel outside of them changed")                                                      \
    X(GDI_006, "GDI-006",                                                                          \
      "text blended by the coverage of each channel, Color2 where that is full, and no pixel "     \
      "outside of the sub-rectangles changed")                                                     \
    X(ALLOC_025, "ALLOC-025", "in Pitch the bytes from row to row of a surface that the CPU sees") \
    X(SUBMIT_038, "SUBMIT-038",                                                                    \
      "nothing of a buffer with NullRendering run, and its fence told as ever")

#define RESULT_OF(rule, name, words)  \
    if (strcmp(id, name) == 0) {      \
        *expected = words;            \
        return CONTRACT_JUDGES(rule); \
    }

enum contract_rule host_result_rule(const char *id, const char **expected)
{
    RESULTS(RESULT_OF)
    return CONTRACT_RULE_COUNT;
}
