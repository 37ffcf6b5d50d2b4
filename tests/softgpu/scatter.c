/* scatter.c: a started GPU whose aperture leads to pages that lie about in memory. */
#include "scatter.h"

#include <stdlib.h>

int scatter_setup(void **state)
{
    struct mock *mock = calloc(1, sizeof(*mock));
    mock_init(mock, "vram_mb=16,aperture_mb=8");
    mock->scattered = true;
    for (unsigned engine = 0; engine < SOFTGPU_ENGINE_COUNT; engine++)
        mock_start_engine(mock, engine, 0);
    mock_write64(mock, SOFTGPU_REG_APERTURE_TABLE, SCATTER_TABLE);
    mock_write(mock, SOFTGPU_REG_APERTURE_CONTROL, SOFTGPU_APERTURE_ENABLE);
    *state = mock;
    return 0;
}

int scatter_teardown(void **state)
{
    mock_fini(*state);
    free(*state);
    return 0;
}

void scatter_randomise(uint8_t *bytes, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)next_random(&seed);
}

uint64_t scatter_frame(uint32_t i)
{
    return (SCATTER_PAGES >> 12) + (i * 37 + 11) % 1024;
}

uint8_t *scatter_page(struct mock *mock, uint32_t i)
{
    return mock_ram(mock, scatter_frame(i) << 12);
}

void scatter_map(struct mock *mock, uint32_t first, uint32_t frame, uint32_t count)
{
    struct softgpu_command_map_aperture map = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_MAP_APERTURE, sizeof(map) / 4 + count * 2),
        .first_page = first,
        .page_count = count,
    };
    mock_command(mock, &map, sizeof(map));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = scatter_frame(frame + i);
        mock_command(mock, &number, sizeof(number));
    }
    mock_execute(mock, SOFTGPU_ENGINE_COPY, SOFTGPU_PACKET_FLAG_PRIVILEGED);
}

void scatter_read(struct mock *mock, uint32_t frame, uint8_t *bytes, uint32_t pages)
{
    for (uint32_t i = 0; i < pages; i++)
        memcpy(bytes + i * 4096ull, scatter_page(mock, frame + i), 4096);
}

void scatter_write(struct mock *mock, uint32_t frame, const uint8_t *bytes, uint32_t pages)
{
    for (uint32_t i = 0; i < pages; i++)
        memcpy(scatter_page(mock, frame + i), bytes + i * 4096ull, 4096);
}
