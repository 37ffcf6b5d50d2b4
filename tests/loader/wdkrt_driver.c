/* The driver's side of the runtime test: names wdkrt's functions for the host to call. */
typedef unsigned long long size_t;
typedef unsigned short wchar_t;

#define EXPORT __declspec(dllexport)

void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
int _stricmp(const char *, const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strstr(const char *, const char *);
char *strrchr(const char *, int);
int strcpy_s(char *, size_t, const char *);
size_t wcslen(const wchar_t *);
int _wcsicmp(const wchar_t *, const wchar_t *);
wchar_t *wcschr(const wchar_t *, wchar_t);
size_t RtlCompareMemory(const void *, const void *, size_t);
void InitializeSListHead(void *);
void *ExpInterlockedPushEntrySList(void *, void *);
void *ExpInterlockedPopEntrySList(void *);
void *ExpInterlockedFlushSList(void *);
unsigned short ExQueryDepthSList(void *);

struct named {
    const char *name;
    void *function;
};

EXPORT const struct named functions[] = {
    {"memcpy", (void *)memcpy},
    {"memmove", (void *)memmove},
    {"memset", (void *)memset},
    {"memcmp", (void *)memcmp},
    {"strlen", (void *)strlen},
    {"strcmp", (void *)strcmp},
    {"strncmp", (void *)strncmp},
    {"_stricmp", (void *)_stricmp},
    {"strncpy", (void *)strncpy},
    {"strcat", (void *)strcat},
    {"strstr", (void *)strstr},
    {"strrchr", (void *)strrchr},
    {"strcpy_s", (void *)strcpy_s},
    {"wcslen", (void *)wcslen},
    {"_wcsicmp", (void *)_wcsicmp},
    {"wcschr", (void *)wcschr},
    {"RtlCompareMemory", (void *)RtlCompareMemory},
    {"InitializeSListHead", (void *)InitializeSListHead},
    {"Push", (void *)ExpInterlockedPushEntrySList},
    {"Pop", (void *)ExpInterlockedPopEntrySList},
    {"Flush", (void *)ExpInterlockedFlushSList},
    {"Depth", (void *)ExQueryDepthSList},
    {0, 0},
};

EXPORT int DriverEntry(void *driver, void *registry_path)
{
    return 0;
}
