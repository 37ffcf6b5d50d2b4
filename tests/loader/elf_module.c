/* A driver module of the host's own format, for elf_test. */
#define MS __attribute__((ms_abi))

/* Exported by the program that loads this. */
MS int HostAdds(int a, int b);

MS int DriverEntry(void *driver, void *registry_path);
MS int FaultNow(volatile int *at);
MS int Counts(void);

MS int FaultNow(volatile int *at)
{
    return *at + 1;
}

/* One variable that begins with a value, and one that begins with none. */
MS int Counts(void)
{
    static volatile int from_five = 5, from_zero;

    from_five++;
    from_zero++;
    return from_five * 100 + from_zero;
}

MS int DriverEntry(void *driver, void *registry_path)
{
    return HostAdds(3, 4);
}
