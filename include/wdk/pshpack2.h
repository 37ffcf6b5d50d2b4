/* pshpack2.h: packs structures to 2 byte(s) until poppack.h. No include guard: it is included many times. */
#pragma pack(push, 2)
