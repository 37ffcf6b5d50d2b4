/* Versions as data: what the generated tables say agrees with the headers, and features follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "abi/abi.h"

static void every_registered_version_is_known(void **state)
{
    assert_int_equal(abi_version_of(DXGKDDI_INTERFACE_VERSION_VISTA), ABI_VISTA);
    assert_int_equal(abi_version_of(DXGKDDI_INTERFACE_VERSION_WDDM2_1_5), ABI_WDDM2_1_5);
    assert_int_equal(abi_version_of(DXGKDDI_INTERFACE_VERSION_WDDM3_2), ABI_WDDM3_2);
    assert_int_equal(abi_version_of(0x5022), ABI_VERSION_COUNT);
    assert_int_equal(abi_version_of(0), ABI_VERSION_COUNT);
    for (enum abi_version version = 0; version < ABI_VERSION_COUNT; version++) {
        assert_int_equal(abi_version_of(abi_version_info(version)->interface_version), version);
        assert_true(version == 0 || abi_version_info(version)->interface_version >
                                        abi_version_info(version - 1)->interface_version);
        assert_true(version == 0 || abi_version_info(version)->wddm_version >=
                                        abi_version_info(version - 1)->wddm_version);
    }
}

/* The headers are compiled for the newest version here. */
static void sizes_at_the_newest_version_are_those_of_the_headers(void **state)
{
    assert_int_equal(abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, ABI_WDDM3_2), sizeof(DXGK_DRIVERCAPS));
    assert_int_equal(abi_size(ABI_SIZE_OF_DXGKRNL_INTERFACE, ABI_WDDM3_2),
                     sizeof(DXGKRNL_INTERFACE));
    assert_int_equal(abi_size(ABI_SIZE_OF_DXGK_PHYSICALADAPTERCAPS, ABI_WDDM3_2),
                     sizeof(DXGK_PHYSICALADAPTERCAPS));
    assert_int_equal(abi_size(ABI_SIZE_OF_DXGKARG_BUILDPAGINGBUFFER, ABI_WDDM3_2),
                     sizeof(DXGKARG_BUILDPAGINGBUFFER));
}

static void structures_grow_and_appear_with_versions(void **state)
{
    assert_int_equal(abi_size(ABI_SIZE_OF_DXGK_PHYSICALADAPTERCAPS, ABI_WIN8), 0);
    for (enum abi_version version = 1; version < ABI_VERSION_COUNT; version++) {
        assert_true(abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, version) >=
                    abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, version - 1));
    }
    assert_true(abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, ABI_VISTA) <
                abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, ABI_WIN7));
}

static void interrupt_types_appear_with_versions(void **state)
{
    assert_true(abi_has_interrupt(DXGK_INTERRUPT_CRTC_VSYNC, ABI_VISTA));
    assert_false(abi_has_interrupt(DXGK_INTERRUPT_DMA_PAGE_FAULTED, ABI_WDDM1_3));
    assert_true(abi_has_interrupt(DXGK_INTERRUPT_DMA_PAGE_FAULTED, ABI_WDDM2_0));
    assert_false(abi_has_interrupt((DXGK_INTERRUPT_TYPE)99, ABI_WDDM3_2));
}

/* A driver that is built against newer headers follows the model it names; one that names none
 * follows its interface. */
static void the_model_is_what_the_caps_say(void **state)
{
    DXGK_DRIVERCAPS caps = {0};
    struct abi_features features;

    abi_features_init(&features, ABI_WDDM2_6, &caps);
    assert_int_equal(features.wddm_version, 0x2600);
    assert_true(features.wddm2);
    assert_int_equal(features.segment_query, ABI_QUERY_SEGMENT4);

    caps.WDDMVersion = DXGKDDI_WDDMv1_3;
    abi_features_init(&features, ABI_WDDM2_6, &caps);
    assert_int_equal(features.wddm_version, 0x1300);
    assert_false(features.wddm2);
    assert_true(features.residency_flags); /* of the structures */
    assert_int_equal(features.segment_query, ABI_QUERY_SEGMENT3);

    /* The member did not exist: what lies there means nothing. */
    caps.WDDMVersion = (DXGK_WDDMVERSION)0xA5A5;
    abi_features_init(&features, ABI_VISTA, &caps);
    assert_int_equal(features.wddm_version, 0x1000);
    assert_int_equal(features.segment_query, ABI_QUERY_SEGMENT);
    assert_false(features.engine_topology);
}

static void virtual_addresses_need_the_second_model(void **state)
{
    DXGK_DRIVERCAPS caps = {.WDDMVersion = DXGKDDI_WDDMv1_3};
    struct abi_features features;

    caps.MemoryManagementCaps.VirtualAddressingSupported = 1;
    abi_features_init(&features, ABI_WDDM2_0, &caps);
    assert_false(features.virtual_addressing);
    caps.WDDMVersion = DXGKDDI_WDDMv2;
    abi_features_init(&features, ABI_WDDM2_0, &caps);
    assert_true(features.virtual_addressing);
}

static void what_came_with_the_second_model_needs_it(void **state)
{
    struct abi_features features;
    DXGK_DRIVERCAPS caps = {.WDDMVersion = DXGKDDI_WDDMv1_3};

    abi_features_init(&features, ABI_WDDM2_6,
                      &caps); /* headers of the second, model of the first */
    assert_true(abi_features_have(&features, ABI_WDDM1_3));
    assert_false(abi_features_have(&features, ABI_WDDM2_0));
    assert_true(features.one_removal_cap);
    caps.WDDMVersion = DXGKDDI_WDDMv2;
    abi_features_init(&features, ABI_WDDM2_6, &caps);
    assert_true(abi_features_have(&features, ABI_WDDM2_6));
    assert_false(abi_features_have(&features, ABI_WDDM2_9));
    assert_false(features.one_removal_cap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_registered_version_is_known),
        cmocka_unit_test(sizes_at_the_newest_version_are_those_of_the_headers),
        cmocka_unit_test(structures_grow_and_appear_with_versions),
        cmocka_unit_test(interrupt_types_appear_with_versions),
        cmocka_unit_test(the_model_is_what_the_caps_say),
        cmocka_unit_test(virtual_addresses_need_the_second_model),
        cmocka_unit_test(what_came_with_the_second_model_needs_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
