/* A driver module of the host's own format, for elf_test. */
#define MS __attribute__((ms_abi))

/* Exported by the program that loads this. */
MS int HostAdds(int a, int b);

MS int DriverEntry(void *driver, void *registry_path);
MS int FaultNow(volatile int *at);

MS int FaultNow(volatile int *at)
{
    return *at + 1;
}

MS int DriverEntry(void *driver, void *registry_path)
{
    return HostAdds(3, 4);
}
