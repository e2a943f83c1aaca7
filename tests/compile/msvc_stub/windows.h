// windows.h: stub for msvc_gate.sh: what a thread pool and a loader of libraries call.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
#define WINAPI __stdcall
#define INFINITE 0xFFFFFFFFu
#define TRUE 1
#define FALSE 0
typedef void *HANDLE, *LPVOID;
typedef unsigned long DWORD;
typedef unsigned short WORD;
typedef int BOOL;
typedef unsigned UINT;
typedef unsigned long long DWORD_PTR;
typedef DWORD(WINAPI *LPTHREAD_START_ROUTINE)(LPVOID);
typedef struct HINSTANCE__ *HMODULE;
typedef long long(WINAPI *FARPROC)(void);
typedef struct SRWLOCK {
    void *Ptr;
} SRWLOCK;
typedef struct CONDITION_VARIABLE {
    void *Ptr;
} CONDITION_VARIABLE;
typedef struct CRITICAL_SECTION {
    void *DebugInfo;
    long LockCount, RecursionCount;
    HANDLE OwningThread, LockSemaphore;
    DWORD_PTR SpinCount;
} CRITICAL_SECTION;
typedef struct SYSTEM_INFO {
    DWORD dwOemId, dwPageSize;
    LPVOID lpMinimumApplicationAddress, lpMaximumApplicationAddress;
    DWORD_PTR dwActiveProcessorMask;
    DWORD dwNumberOfProcessors, dwProcessorType, dwAllocationGranularity;
    WORD wProcessorLevel, wProcessorRevision;
} SYSTEM_INFO;
#define SRWLOCK_INIT {0}
#define CONDITION_VARIABLE_INIT {0}
HANDLE WINAPI CreateThread(void *, unsigned long long, LPTHREAD_START_ROUTINE, LPVOID, DWORD,
                           DWORD *);
DWORD WINAPI WaitForSingleObject(HANDLE, DWORD);
BOOL WINAPI CloseHandle(HANDLE);
void WINAPI InitializeSRWLock(SRWLOCK *);
void WINAPI AcquireSRWLockExclusive(SRWLOCK *);
void WINAPI ReleaseSRWLockExclusive(SRWLOCK *);
void WINAPI InitializeConditionVariable(CONDITION_VARIABLE *);
BOOL WINAPI SleepConditionVariableSRW(CONDITION_VARIABLE *, SRWLOCK *, DWORD, unsigned long);
BOOL WINAPI SleepConditionVariableCS(CONDITION_VARIABLE *, CRITICAL_SECTION *, DWORD);
void WINAPI WakeConditionVariable(CONDITION_VARIABLE *);
void WINAPI WakeAllConditionVariable(CONDITION_VARIABLE *);
void WINAPI InitializeCriticalSection(CRITICAL_SECTION *);
void WINAPI DeleteCriticalSection(CRITICAL_SECTION *);
void WINAPI EnterCriticalSection(CRITICAL_SECTION *);
void WINAPI LeaveCriticalSection(CRITICAL_SECTION *);
void WINAPI GetSystemInfo(SYSTEM_INFO *);
DWORD WINAPI GetLastError(void);
HMODULE WINAPI LoadLibraryA(const char *);
HMODULE WINAPI LoadLibraryExA(const char *, HANDLE, DWORD);
FARPROC WINAPI GetProcAddress(HMODULE, const char *);
UINT WINAPI GetSystemDirectoryA(char *, UINT);
DWORD WINAPI GetEnvironmentVariableA(const char *, char *, DWORD);
void WINAPI Sleep(DWORD);
typedef struct HINSTANCE__ *HMODULE;
typedef long long(WINAPI *FARPROC)(void);
HMODULE WINAPI LoadLibraryExA(const char *, HANDLE, DWORD);
FARPROC WINAPI GetProcAddress(HMODULE, const char *);
DWORD WINAPI GetEnvironmentVariableA(const char *, char *, DWORD);
#ifdef __cplusplus
}
#endif
