/* Same seed, same digest; another seed, another digest; and the form in which a driver was built
 * makes no difference.
 *
 *   determinism_digest_test DIGEST DRIVER.so [DRIVER.sys]
 *
 * Each run is a process of its own, so that the addresses of its libraries and heaps differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

static const char *program, *module, *image;

struct result {
    char line[512];
};

static void run(const char *driver, unsigned seed, struct result *result)
{
    char command[4096];

    assert_true(snprintf(command, sizeof command, "'%s' '%s' %u", program, driver, seed) <
                (int)sizeof command);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    char *line = fgets(result->line, sizeof result->line, pipe);
    int status = pclose(pipe);
    assert_non_null(line);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail_msg("seed %u: %s", seed, result->line);
    }
}

static void same_seed_gives_the_same_digest(void **state)
{
    struct result first, second;

    for (unsigned seed = 1; seed <= 2; seed++) {
        run(module, seed, &first);
        run(module, seed, &second);
        assert_string_equal(first.line, second.line);
    }
}

static void other_seeds_give_other_digests(void **state)
{
    struct result first, second;

    run(module, 1, &first);
    run(module, 2, &second);
    assert_string_not_equal(first.line, second.line);
}

static void the_form_of_the_driver_makes_no_difference(void **state)
{
    struct result elf, pe;

    if (!image) {
        skip();
    }
    run(module, 3, &elf);
    run(image, 3, &pe);
    assert_string_equal(elf.line, pe.line);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_gives_the_same_digest),
        cmocka_unit_test(other_seeds_give_other_digests),
        cmocka_unit_test(the_form_of_the_driver_makes_no_difference),
    };

    if (argc < 3) {
        fprintf(stderr, "usage: determinism_digest_test DIGEST DRIVER.so [DRIVER.sys]\n");
        return 2;
    }
    program = argv[1];
    module = argv[2];
    image = argc > 3 ? argv[3] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
