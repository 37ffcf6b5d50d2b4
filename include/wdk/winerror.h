/* winerror.h: the results that kernel sources borrow from the other world. */

#ifndef _WINERROR_
#define _WINERROR_

#include <ntdef.h>

#ifndef S_OK
#define S_OK ((HRESULT)0L)
#endif
#define S_FALSE           ((HRESULT)1L)
#define E_UNEXPECTED      ((HRESULT)0x8000FFFFL)
#define E_NOTIMPL         ((HRESULT)0x80004001L)
#define E_OUTOFMEMORY     ((HRESULT)0x8007000EL)
#define E_INVALIDARG      ((HRESULT)0x80070057L)
#define E_FAIL            ((HRESULT)0x80004005L)
#define E_POINTER         ((HRESULT)0x80004003L)
#define E_ACCESSDENIED    ((HRESULT)0x80070005L)
#define SUCCEEDED(result) (((HRESULT)(result)) >= 0)
#define FAILED(result)    (((HRESULT)(result)) < 0)

#endif /* _WINERROR_ */
