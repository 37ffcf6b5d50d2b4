/* sdkddkver.h: the numbers of Windows' versions, for sources that ask which they are built for. */

#ifndef _INC_SDKDDKVER
#define _INC_SDKDDKVER

#define _WIN32_WINNT_NT4          0x0400
#define _WIN32_WINNT_WIN2K        0x0500
#define _WIN32_WINNT_WINXP        0x0501
#define _WIN32_WINNT_WS03         0x0502
#define _WIN32_WINNT_WIN6         0x0600
#define _WIN32_WINNT_VISTA        0x0600
#define _WIN32_WINNT_WS08         0x0600
#define _WIN32_WINNT_LONGHORN     0x0600
#define _WIN32_WINNT_WIN7         0x0601
#define _WIN32_WINNT_WIN8         0x0602
#define _WIN32_WINNT_WINBLUE      0x0603
#define _WIN32_WINNT_WINTHRESHOLD 0x0A00
#define _WIN32_WINNT_WIN10        0x0A00

#define NTDDI_WIN2K        0x05000000
#define NTDDI_WINXP        0x05010000
#define NTDDI_WS03         0x05020000
#define NTDDI_WIN6         0x06000000
#define NTDDI_VISTA        NTDDI_WIN6
#define NTDDI_LONGHORN     NTDDI_WIN6
#define NTDDI_VISTASP1     0x06000100
#define NTDDI_WS08         NTDDI_VISTASP1
#define NTDDI_WIN7         0x06010000
#define NTDDI_WIN8         0x06020000
#define NTDDI_WINBLUE      0x06030000
#define NTDDI_WINTHRESHOLD 0x0A000000
#define NTDDI_WIN10        0x0A000000
#define NTDDI_WIN10_TH2    0x0A000001
#define NTDDI_WIN10_RS1    0x0A000002
#define NTDDI_WIN10_RS2    0x0A000003
#define NTDDI_WIN10_RS3    0x0A000004
#define NTDDI_WIN10_RS4    0x0A000005
#define NTDDI_WIN10_RS5    0x0A000006
#define NTDDI_WIN10_19H1   0x0A000007
#define NTDDI_WIN10_VB     0x0A000008
#define NTDDI_WIN10_MN     0x0A000009
#define NTDDI_WIN10_FE     0x0A00000A
#define NTDDI_WIN10_CO     0x0A00000B
#define NTDDI_WIN10_NI     0x0A00000C
#define NTDDI_WIN10_CU     0x0A00000D
#define NTDDI_WIN11_ZN     0x0A00000E
#define NTDDI_WIN11_GA     0x0A00000F
#define NTDDI_WIN11_GE     0x0A000010

#define OSVERSION_MASK  0xFFFF0000
#define SPVERSION_MASK  0x0000FF00
#define SUBVERSION_MASK 0x000000FF

#define OSVER(version)  ((version) & OSVERSION_MASK)
#define SPVER(version)  (((version) & SPVERSION_MASK) >> 8)
#define SUBVER(version) ((version) & SUBVERSION_MASK)

#ifndef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#endif
#ifndef NTDDI_VERSION
#define NTDDI_VERSION NTDDI_WIN11_GE
#endif
#ifndef WINVER
#define WINVER _WIN32_WINNT
#endif

#endif /* _INC_SDKDDKVER */
