/* Cases of planes_test.c: mistakes with overlay planes in the forms of WDDM 1.3 and 2.0. */
#ifndef CONTRACT_PLANES_OLDER_H
#define CONTRACT_PLANES_OLDER_H

static void first_form(void)
{
    asks.form = 1;
}

static void second_form(void)
{
    asks.form = 2;
}

static void refuses_in_the_first_form(void)
{
    first_form();
    says.of_older = STATUS_INVALID_PARAMETER;
}

static void refuses_in_the_second_form(void)
{
    asks.form = 2;
    says.of_older = STATUS_INVALID_PARAMETER;
}

static void tells_an_address_of_its_own(void)
{
    asks.form = 1;
    asks.told_first[1].PhysicalAddress.QuadPart = 8192;
}

static void tells_plane_1_as_off(void)
{
    asks.form = 1;
    asks.told_first[1].Enabled = FALSE;
}

static void never_tells_that_plane_1_is_off(void)
{
    asks.form = 2;
    asks.second[1].Enabled = FALSE;
    asks.told_first[1].PhysicalAddress.QuadPart = 4096;
}

static void tells_planes_from_below(void)
{
    asks.form = 1;
    asks.told_first[0].LayerIndex = 1;
    asks.told_first[1].LayerIndex = 0;
}

static void tells_no_such_plane_in_the_first_form(void)
{
    asks.form = 1;
    asks.told_first[1].LayerIndex = PLANES;
}

static void tells_of_too_many(void)
{
    asks.told_count = PLANES + 1;
    asks.posts = false; /* what such a notice asks for nobody reads */
}

static void tells_of_a_plane_that_is_not_there(void)
{
    asks.told[1].LayerIndex = PLANES;
}

static void tells_of_one_behind_that(void)
{
    asks.told[1].LayerIndex = PLANES + 1;
}

static void gives_first_planes_the_other_way_round(void)
{
    asks.form = 1;
    asks.first[0].LayerIndex = 1;
    asks.first[1].LayerIndex = 0;
}

static void gives_a_place_outside_in_the_second_form(void)
{
    asks.form = 2;
    asks.second[1].AllocationAddress.QuadPart = MEBIBYTE;
}

#endif
