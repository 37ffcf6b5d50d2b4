/* pshpack8.h: packs structures to 8 byte(s) until poppack.h. No include guard: it is included many times. */
#pragma pack(push, 8)
