/* d3d12umddi.h: of the user-mode driver interface only what kernel-mode sources borrow from it. */

#ifndef _D3D12UMDDI_H
#define _D3D12UMDDI_H

#include <d3d10umddi.h>

typedef enum D3D12DDI_TEXTURE_LAYOUT {
    D3D12DDI_TL_UNDEFINED = 0,
    D3D12DDI_TL_ROW_MAJOR = 1,
    D3D12DDI_TL_64KB_TILE_UNDEFINED_SWIZZLE = 2,
    D3D12DDI_TL_64KB_TILE_STANDARD_SWIZZLE = 3
} D3D12DDI_TEXTURE_LAYOUT;

#endif /* _D3D12UMDDI_H */
