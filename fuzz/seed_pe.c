/* Writes the tests' small valid driver image to standard output: the fuzzer's first seed. */
#include "../tests/loader/pe_image.h"

#include <stdio.h>

int main(void)
{
    static uint8_t image[PE_IMAGE_SIZE];

    pe_image_make(image);
    return fwrite(image, 1, sizeof(image), stdout) != sizeof(image);
}
