/* pshpack1.h: packs structures to 1 byte(s) until poppack.h. No include guard: it is included many times. */
#pragma pack(push, 1)
