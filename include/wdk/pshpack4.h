/* pshpack4.h: packs structures to 4 byte(s) until poppack.h. No include guard: it is included many times. */
#pragma pack(push, 4)
