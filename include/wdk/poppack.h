/* poppack.h: ends what the last pshpack header began. No include guard: it is included many times. */
#pragma pack(pop)
