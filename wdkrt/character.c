/* Character classes and numbers, of ASCII only: the kernel has no locale. */
#include "wdkrt.h"

int isdigit(int c);
int isxdigit(int c);
int isalpha(int c);
int isalnum(int c);
int isspace(int c);
int isupper(int c);
int islower(int c);
int isprint(int c);
int tolower(int c);
int toupper(int c);
wchar_t towlower(wchar_t c);
wchar_t towupper(wchar_t c);
int atoi(const char *text);

int isdigit(int c)
{
    return c >= '0' && c <= '9';
}

int isupper(int c)
{
    return c >= 'A' && c <= 'Z';
}

int islower(int c)
{
    return c >= 'a' && c <= 'z';
}

int isalpha(int c)
{
    return isupper(c) || islower(c);
}

int isalnum(int c)
{
    return isalpha(c) || isdigit(c);
}

int isxdigit(int c)
{
    return isdigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

int isspace(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

int isprint(int c)
{
    return c >= ' ' && c <= '~';
}

int tolower(int c)
{
    return isupper(c) ? c + ('a' - 'A') : c;
}

int toupper(int c)
{
    return islower(c) ? c - ('a' - 'A') : c;
}

wchar_t towlower(wchar_t c)
{
    return (wchar_t)tolower(c);
}

wchar_t towupper(wchar_t c)
{
    return (wchar_t)toupper(c);
}

int atoi(const char *text)
{
    u32 value = 0;
    int negative;

    while (isspace((u8)*text)) {
        text++;
    }
    negative = *text == '-';
    text += *text == '-' || *text == '+';
    for (; isdigit((u8)*text); text++) {
        value = value * 10 + (u32)(*text - '0');
    }
    return (int)(negative ? 0 - value : value);
}
