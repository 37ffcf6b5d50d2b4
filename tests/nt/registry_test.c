/* The registry: its text, hostile texts, and the functions that drivers use. */
#include "nt/support.h"

#define KEY "\\Registry\\Machine\\System\\CurrentControlSet\\Services\\softgpu"

static const char good[] = "Windows Registry Editor Version 5.00\r\n"
                           "; a comment\r\n"
                           "[" KEY "\\Parameters]\r\n"
                           "\"Number\"=dword:00002000\r\n"
                           "\"Long\"=qword:0000000100000000\n"
                           "\"Text\"=\"a \\\"b\\\" c:\\\\d\"\n"
                           "\"Path\"=expand:\"%SystemRoot%\"\n"
                           "\"Many\"=multi:\"one\",\"two\"\n"
                           "\"Bytes\"=hex:01,02,\\\n"
                           "  ff\n"
                           "\"Odd\"=hex(9):61,00\n"
                           "@=\"default\"\n"
                           "[HKEY_LOCAL_MACHINE\\Software\\X]\n"
                           "\"A\"=dword:1\n"
                           "\"A\"=-\n";

static void load(const char *text)
{
    struct nt_registry_error error;

    if (!nt_registry_load_text(text, strlen(text), &error)) {
        fail_msg("line %u: %s", error.line, error.text);
    }
}

static int clear(void **state)
{
    nt_registry_clear();
    return 0;
}

/* When each name was compared with all others this took minutes. */
static void a_great_many_values_are_found(void **state)
{
    enum { COUNT = 200000 };
    char *text = malloc(COUNT * 32 + 256), *end = text, name[16];
    uint32_t number;

    end += sprintf(end, "[" KEY "]\n");
    for (unsigned i = 0; i < COUNT; i++) {
        end += sprintf(end, "\"Value%u\"=dword:%x\n", i, i);
    }
    load(text);
    for (unsigned i = 0; i < COUNT; i += 777) {
        snprintf(name, sizeof name, "vALUE%u", i);
        assert_true(nt_registry_get_dword(KEY, name, &number));
        assert_int_equal(number, i);
    }
    end = text + sprintf(text, "[" KEY "]\n\"Value7\"=-\n\"value8\"=dword:1\n");
    load(text);
    assert_false(nt_registry_get_dword(KEY, "Value7", &number));
    assert_true(nt_registry_get_dword(KEY, "Value8", &number));
    assert_int_equal(number, 1);
    free(text);
}

static void a_text_is_loaded(void **state)
{
    const void *bytes;
    uint32_t number, type;
    size_t size;

    load(good);
    assert_true(nt_registry_get_dword(KEY "\\parameters", "NUMBER", &number));
    assert_int_equal(number, 0x2000);
    assert_true(nt_registry_get(KEY "\\Parameters", "Text", &type, &bytes, &size));
    assert_int_equal(type, REG_SZ);
    assert_int_equal(size, 22);
    assert_memory_equal(bytes, L"a \"b\" c:\\d", 22);
    assert_true(nt_registry_get(KEY "\\Parameters", "Bytes", &type, &bytes, &size));
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "\x01\x02\xff", 3);
    assert_true(nt_registry_get(KEY "\\Parameters", "Many", &type, &bytes, &size));
    assert_int_equal(type, REG_MULTI_SZ);
    assert_memory_equal(bytes, L"one\0two\0", 18);
    assert_true(nt_registry_get(KEY "\\Parameters", "Long", &type, &bytes, &size));
    assert_int_equal(size, 8);
    assert_true(nt_registry_get(KEY "\\Parameters", "Odd", &type, &bytes, &size));
    assert_int_equal(type, 9);
    assert_true(nt_registry_get(KEY "\\Parameters", "", &type, &bytes, &size));
    assert_true(nt_registry_key_exists("\\Registry\\Machine\\software\\x"));
    assert_false(nt_registry_get_dword("HKLM\\Software\\X", "A", &number));
}

static void what_is_dumped_can_be_loaded(void **state)
{
    char *first, *second;

    load(good);
    first = nt_registry_dump();
    nt_registry_clear();
    load(first);
    second = nt_registry_dump();
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void errors_name_the_line_and_change_nothing(void **state)
{
    static const struct {
        const char *text;
        unsigned line;
    } rows[] = {
        {"\"A\"=dword:1", 1},
        {"[HKLM\\a]\n\"A\"=dword:123456789", 2},
        {"[HKLM\\a]\n\"A\"=dword:", 2},
        {"[HKLM\\a]\n\"A\"=dword:xyz", 2},
        {"[HKLM\\a]\n\"A=dword:1", 2},
        {"[HKLM\\a]\n\"A\" dword:1", 2},
        {"[HKLM\\a]\n\"A\"=\"open", 2},
        {"[HKLM\\a]\n\"A\"=hex:1,2,", 2},
        {"[HKLM\\a]\n\"A\"=hex:123", 2},
        {"[HKLM\\a]\n\"A\"=hex(7:1", 2},
        {"[HKLM\\a]\n\"A\"=what:1", 2},
        {"[HKLM\\a]\n\"A\"=dword:1 junk", 2},
        {"[HKLM\\a]\n\"A\"=multi:\"a\",b", 2},
        {"[HKLM\\a\n\"A\"=dword:1", 1},
        {"[]\n", 1},
        {"[relative\\a]\n", 1},
        {"[HKLM\\ok]\n\"x\"=dword:1\n\nrubbish\n", 4},
        {"[-HKLM\\a]\n\"A\"=dword:1", 2},
        {"[HKLM\\a]\n\"A\"=hex:1,\\ x\n2", 2},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct nt_registry_error error;
        assert_false(nt_registry_load_text(rows[i].text, strlen(rows[i].text), &error));
        assert_int_equal(error.line, rows[i].line);
        assert_true(error.text[0] != 0);
    }
    assert_false(nt_registry_key_exists("HKLM\\ok"));
}

/* Every prefix and every single changed byte of a good text: refused or loaded, never a crash. */
static void hostile_texts_do_no_harm(void **state)
{
    char text[sizeof(good)];
    struct nt_registry_error error;
    size_t size = sizeof(good) - 1;

    for (size_t i = 0; i <= size; i++) {
        nt_registry_load_text(good, i, &error);
    }
    for (size_t i = 0; i < size; i++) {
        static const char bytes[] = {0, '"', '\\', '[', '\n', (char)0xFF};
        for (size_t k = 0; k < sizeof(bytes); k++) {
            memcpy(text, good, size);
            text[i] = bytes[k];
            nt_registry_load_text(text, size, &error);
        }
    }
    nt_registry_load_text("\xFF\xFE[", 3, &error);
}

static void deep_and_long_paths_are_refused(void **state)
{
    char path[4096] = "[HKLM";
    struct nt_registry_error error;

    for (unsigned i = 0; i < 200; i++) {
        strcat(path, "\\a");
    }
    strcat(path, "]");
    assert_false(nt_registry_load_text(path, strlen(path), &error));
    assert_true(nt_registry_create_key(path + 1) != STATUS_SUCCESS);
    memset(path, 'x', 400);
    memcpy(path, "[HKLM\\", 6);
    strcpy(path + 400, "]");
    assert_false(nt_registry_load_text(path, strlen(path), &error));
}

static HANDLE open_key(const WCHAR *path)
{
    OBJECT_ATTRIBUTES attributes;
    UNICODE_STRING name;
    HANDLE handle;

    RtlInitUnicodeString(&name, path);
    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE, NULL, NULL);
    return ZwOpenKey(&handle, KEY_READ, &attributes) == STATUS_SUCCESS ? handle : NULL;
}

#define WIDE_KEY L"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\softgpu"

KERNEL_TEST(values_are_queried_and_set_by_handle)
{
    struct {
        KEY_VALUE_PARTIAL_INFORMATION head;
        UCHAR room[64];
    } answer;
    UNICODE_STRING name;
    HANDLE handle;
    ULONG size, value = 77;

    load(good);
    assert_null(open_key(WIDE_KEY L"\\Nothing"));
    handle = open_key(WIDE_KEY L"\\Parameters");
    assert_non_null(handle);
    RtlInitUnicodeString(&name, L"Number");
    assert_int_equal(
        ZwQueryValueKey(handle, &name, KeyValuePartialInformation, &answer, sizeof(answer), &size),
        STATUS_SUCCESS);
    assert_int_equal(answer.head.Type, REG_DWORD);
    assert_int_equal(answer.head.DataLength, 4);
    assert_int_equal(*(ULONG *)(void *)answer.head.Data, 0x2000);
    assert_int_equal(size, 16);
    assert_int_equal(ZwQueryValueKey(handle, &name, KeyValuePartialInformation, &answer, 14, &size),
                     STATUS_BUFFER_OVERFLOW);
    assert_int_equal(ZwQueryValueKey(handle, &name, KeyValuePartialInformation, NULL, 0, &size),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(size, 16);
    RtlInitUnicodeString(&name, L"New");
    assert_int_equal(
        ZwQueryValueKey(handle, &name, KeyValueFullInformation, &answer, sizeof(answer), &size),
        STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(ZwSetValueKey(handle, &name, 0, REG_DWORD, &value, sizeof(value)),
                     STATUS_SUCCESS);
    assert_true(nt_registry_get_dword(KEY "\\Parameters", "new", &value));
    assert_int_equal(ZwDeleteValueKey(handle, &name), STATUS_SUCCESS);
    assert_int_equal(ZwDeleteValueKey(handle, &name), STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(nt_leak_report(NULL, NULL), 1);
    assert_int_equal(ZwClose(handle), STATUS_SUCCESS);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

KERNEL_TEST(keys_are_made_listed_and_deleted)
{
    OBJECT_ATTRIBUTES attributes;
    UNICODE_STRING name;
    HANDLE base, child;
    ULONG disposition, size;
    KEY_FULL_INFORMATION full;
    struct {
        KEY_BASIC_INFORMATION head;
        WCHAR room[32];
    } basic;

    load(good);
    base = open_key(WIDE_KEY);
    RtlInitUnicodeString(&name, L"Sub\\Deeper");
    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE, base, NULL);
    /* A key is made below one that exists. */
    assert_int_equal(ZwCreateKey(&child, KEY_ALL_ACCESS, &attributes, 0, NULL, 0, &disposition),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_false(nt_registry_key_exists(KEY "\\Sub"));
    assert_int_equal(nt_registry_create_key(KEY "\\Sub"), STATUS_SUCCESS);
    assert_int_equal(ZwCreateKey(&child, KEY_ALL_ACCESS, &attributes, 0, NULL, 0, &disposition),
                     STATUS_SUCCESS);
    assert_int_equal(disposition, REG_CREATED_NEW_KEY);
    assert_int_equal(ZwQueryKey(base, KeyFullInformation, &full, sizeof(full), &size),
                     STATUS_SUCCESS);
    assert_int_equal(full.SubKeys, 2);
    assert_int_equal(ZwEnumerateKey(base, 1, KeyBasicInformation, &basic, sizeof(basic), &size),
                     STATUS_SUCCESS);
    assert_int_equal(basic.head.NameLength, 6);
    assert_memory_equal(basic.head.Name, L"Sub", 6);
    assert_int_equal(ZwEnumerateKey(base, 2, KeyBasicInformation, &basic, sizeof(basic), &size),
                     STATUS_NO_MORE_ENTRIES);
    assert_int_equal(ZwDeleteKey(child), STATUS_SUCCESS);
    assert_int_equal(ZwFlushKey(child), STATUS_KEY_DELETED);
    assert_false(nt_registry_key_exists(KEY "\\Sub\\Deeper"));
    ZwClose(child);
    ZwClose(base);
    assert_int_equal(ZwFlushKey(base), STATUS_INVALID_HANDLE);
    assert_int_equal(seen.misuses[NT_MISUSE_HANDLE], 1);
}

KERNEL_TEST(query_tables_fill_variables)
{
    ULONG number = 0, missing = 0, fallback = 9;
    UNICODE_STRING text = {0};
    RTL_QUERY_REGISTRY_TABLE table[] = {
        {.Flags = RTL_QUERY_REGISTRY_SUBKEY, .Name = (PWSTR)L"Parameters"},
        {.Flags = RTL_QUERY_REGISTRY_DIRECT, .Name = (PWSTR)L"Number", .EntryContext = &number},
        {.Flags = RTL_QUERY_REGISTRY_DIRECT,
         .Name = (PWSTR)L"Missing",
         .EntryContext = &missing,
         .DefaultType = REG_DWORD,
         .DefaultData = &fallback,
         .DefaultLength = sizeof(fallback)},
        {.Flags = RTL_QUERY_REGISTRY_DIRECT, .Name = (PWSTR)L"Text", .EntryContext = &text},
        {0},
    };
    RTL_QUERY_REGISTRY_TABLE required[] = {
        {.Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_REQUIRED,
         .Name = (PWSTR)L"Missing",
         .EntryContext = &missing},
        {0},
    };

    load(good);
    assert_int_equal(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, L"softgpu", table, NULL, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(number, 0x2000);
    assert_int_equal(missing, 9);
    assert_int_equal(text.Length, 20);
    RtlFreeUnicodeString(&text);
    assert_int_equal(
        RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, L"softgpu", required, NULL, NULL),
        STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(
        RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, L"softgpu", L"W", REG_DWORD, &fallback, 4),
        STATUS_SUCCESS);
    assert_true(nt_registry_get_dword(KEY, "W", &missing));
}

static NTSTATUS make(ULONG relative_to, const WCHAR *path)
{
    return RtlCreateRegistryKey(relative_to, (PWSTR)(uintptr_t)path);
}

KERNEL_TEST(a_driver_makes_keys_below_those_that_exist)
{
    OBJECT_ATTRIBUTES attributes;
    UNICODE_STRING name;
    HANDLE key, child;

    assert_int_equal(make(RTL_REGISTRY_SERVICES, L"mine"), STATUS_SUCCESS);
    assert_int_equal(make(RTL_REGISTRY_SERVICES, L"mine\\a"), STATUS_SUCCESS);
    assert_int_equal(make(RTL_REGISTRY_SERVICES, L"mine\\b\\c"), STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(make(RTL_REGISTRY_DEVICEMAP, L"VIDEO"), STATUS_SUCCESS);
    assert_int_equal(make(RTL_REGISTRY_ABSOLUTE, L"\\Registry\\Foo\\Bar"),
                     STATUS_OBJECT_NAME_NOT_FOUND);
    assert_false(NT_SUCCESS(make(RTL_REGISTRY_ABSOLUTE, L"\\Foo")));
    RtlInitUnicodeString(&name,
                         L"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\mine\\gone");
    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE, NULL, NULL);
    assert_int_equal(
        ZwCreateKey(&key, KEY_ALL_ACCESS, &attributes, 0, NULL, REG_OPTION_VOLATILE, NULL),
        STATUS_SUCCESS);
    RtlInitUnicodeString(&name, L"child");
    InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE, key, NULL);
    assert_int_equal(ZwCreateKey(&child, KEY_ALL_ACCESS, &attributes, 0, NULL, 0, NULL),
                     STATUS_CHILD_MUST_BE_VOLATILE);
    ZwClose(key);
    assert_int_equal(misuse_count(), 0);
}

static unsigned routine_calls;

static NTSTATUS NTAPI no_room(PWSTR name, ULONG type, PVOID data, ULONG size, PVOID context,
                              PVOID entry_context)
{
    routine_calls++;
    return STATUS_BUFFER_TOO_SMALL;
}

KERNEL_TEST(query_tables_take_lists_and_go_on_without_room)
{
    static const WCHAR list[] = L"one\0two\0";
    UNICODE_STRING whole = {0};
    ULONG number = 0;
    RTL_QUERY_REGISTRY_TABLE table[] = {
        {.QueryRoutine = no_room, .Name = (PWSTR)(uintptr_t)L"List"},
        {.Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_NOEXPAND,
         .Name = (PWSTR)(uintptr_t)L"List",
         .EntryContext = &whole},
        {.Flags = RTL_QUERY_REGISTRY_DIRECT,
         .Name = (PWSTR)(uintptr_t)L"Number",
         .EntryContext = &number},
        {0},
    };

    routine_calls = 0;
    assert_int_equal(make(RTL_REGISTRY_SERVICES, L"mine"), STATUS_SUCCESS);
    assert_int_equal(RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, L"mine", L"List", REG_MULTI_SZ,
                                           (PVOID)(uintptr_t)list, sizeof(list)),
                     STATUS_SUCCESS);
    assert_int_equal(
        RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, L"mine", L"Number", REG_DWORD, &(ULONG){7}, 4),
        STATUS_SUCCESS);
    assert_int_equal(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, L"mine", table, NULL, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(routine_calls, 2);
    assert_int_equal(number, 7);
    assert_int_equal(whole.Length, sizeof(list) - sizeof(WCHAR));
    assert_int_equal(whole.MaximumLength, sizeof(list));
    assert_memory_equal(whole.Buffer, list, sizeof(list));
    RtlFreeUnicodeString(&whole);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(an_answer_without_room_for_its_head_writes_nothing)
{
    uint8_t room[4] = {0xEE, 0xEE, 0xEE, 0xEE};
    UNICODE_STRING name;
    HANDLE key;
    ULONG size;

    load(good);
    key = open_key(WIDE_KEY);
    assert_int_equal(nt_registry_set_dword(KEY, "Some", 1), STATUS_SUCCESS);
    RtlInitUnicodeString(&name, L"Some");
    assert_int_equal(ZwQueryValueKey(key, &name, KeyValuePartialInformation, room, 4, &size),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(size, offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data) + 4);
    assert_int_equal(room[0], 0xEE);
    ZwClose(key);
}

KERNEL_TEST(variables_are_expanded_unless_the_caller_says_no)
{
    static const WCHAR text[] = L"%Root%\\x%y%%Root";
    static const WCHAR environment[] = L"A=1\0rOOT=C:\\W\0";
    WCHAR room[32];
    UNICODE_STRING out = {.Buffer = room, .MaximumLength = sizeof(room)};
    RTL_QUERY_REGISTRY_TABLE table[] = {
        {.Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_NOEXPAND,
         .Name = (PWSTR)(uintptr_t)L"Text",
         .EntryContext = &out},
        {0},
    };

    assert_int_equal(make(RTL_REGISTRY_SERVICES, L"mine"), STATUS_SUCCESS);
    assert_int_equal(RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, L"mine", L"Text", REG_EXPAND_SZ,
                                           (PVOID)(uintptr_t)text, sizeof(text)),
                     STATUS_SUCCESS);
    assert_int_equal(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, L"mine", table, NULL,
                                            (PVOID)(uintptr_t)environment),
                     STATUS_SUCCESS);
    assert_int_equal(out.Length, sizeof(text) - sizeof(WCHAR));
    assert_memory_equal(room, text, sizeof(text));
    assert_int_equal(seen.advices, 0);
    table[0].Flags = RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK;
    for (ULONG type = REG_SZ; type <= REG_EXPAND_SZ; type++) {
        table[0].DefaultType = type << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
        assert_int_equal(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, L"mine", table, NULL,
                                                (PVOID)(uintptr_t)environment),
                         STATUS_SUCCESS);
        assert_memory_equal(room, L"C:\\W\\x%y%%Root", 15 * sizeof(WCHAR));
    }
    assert_in_range(seen.advices, 1, 2); /* once for each place: compilers unroll the loop */
    table[0].DefaultType = REG_MULTI_SZ << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
    assert_int_equal(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, L"mine", table, NULL, NULL),
                     STATUS_OBJECT_TYPE_MISMATCH);
}

KERNEL_TEST(a_key_used_without_its_right_is_advised_against)
{
    UNICODE_STRING path, name;
    OBJECT_ATTRIBUTES attributes;
    ULONG size, value = 3;
    HANDLE handle;

    load(good);
    RtlInitUnicodeString(&path, WIDE_KEY L"\\Parameters");
    RtlInitUnicodeString(&name, L"Number");
    InitializeObjectAttributes(&attributes, &path, OBJ_KERNEL_HANDLE, NULL, NULL);
    assert_int_equal(ZwOpenKey(&handle, GENERIC_READ, &attributes), STATUS_SUCCESS);
    assert_int_equal(ZwQueryValueKey(handle, &name, KeyValuePartialInformation, NULL, 0, &size),
                     STATUS_BUFFER_TOO_SMALL);
    assert_int_equal(seen.advices, 0);
    assert_int_equal(ZwSetValueKey(handle, &name, 0, REG_DWORD, &value, sizeof(value)),
                     STATUS_SUCCESS); /* the kernel does not refuse its own */
    assert_int_equal(seen.advices, 1);
    ZwClose(handle);
    assert_int_equal(ZwOpenKey(&handle, KEY_ALL_ACCESS, &attributes), STATUS_SUCCESS);
    assert_int_equal(ZwSetValueKey(handle, &name, 0, REG_DWORD, &value, sizeof(value)),
                     STATUS_SUCCESS);
    assert_int_equal(seen.advices, 1);
    ZwClose(handle);
    assert_int_equal(misuse_count(), 0);
}

static unsigned answers;

static bool answer_three(const char *key, const char *name, uint32_t *value)
{
    assert_string_equal(key, KEY "\\Parameters");
    assert_string_equal(name, "Depth");
    answers++;
    *value = 3;
    return true;
}

static NTSTATUS ask(HANDLE key, const WCHAR *value_name, ULONG room)
{
    UCHAR answer[256];
    UNICODE_STRING name;
    ULONG size;

    RtlInitUnicodeString(&name, value_name);
    return ZwQueryValueKey(key, &name, KeyValuePartialInformation, answer, room, &size);
}

KERNEL_TEST(what_was_asked_for_and_not_there_is_listed)
{
    const ULONG number_room = offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data) + sizeof(ULONG);
    uint32_t number;

    load(good);
    HANDLE key = open_key(WIDE_KEY L"\\Parameters");
    assert_null(nt_registry_asked_at(0));
    assert_int_equal(ask(key, L"Number", number_room), STATUS_SUCCESS);
    assert_null(nt_registry_asked_at(0)); /* it is there */
    assert_int_equal(ask(key, L"Name", 256), STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(ask(key, L"Depth", number_room), STATUS_OBJECT_NAME_NOT_FOUND);
    assert_int_equal(ask(key, L"NAME", 256), STATUS_OBJECT_NAME_NOT_FOUND);
    assert_string_equal(nt_registry_asked_at(0)->name, "Name");
    assert_string_equal(nt_registry_asked_at(0)->key, KEY "\\Parameters");
    assert_false(nt_registry_asked_at(0)->as_number);
    assert_string_equal(nt_registry_asked_at(1)->name, "Depth");
    assert_true(nt_registry_asked_at(1)->as_number);
    assert_null(nt_registry_asked_at(2));

    nt_registry_answer(answer_three);
    assert_int_equal(ask(key, L"Name", 256), STATUS_OBJECT_NAME_NOT_FOUND); /* no number */
    assert_int_equal(ask(key, L"Depth", number_room), STATUS_SUCCESS);
    assert_int_equal(ask(key, L"Depth", number_room), STATUS_SUCCESS);
    assert_int_equal(answers, 1);
    assert_true(nt_registry_get_dword(KEY "\\Parameters", "Depth", &number));
    assert_int_equal(number, 3);
    ZwClose(key);
}

static unsigned texts_seen;

/* Deletes what it is being shown. */
static NTSTATUS NTAPI delete_it(PWSTR name, ULONG type, PVOID data, ULONG size, PVOID context,
                                PVOID entry_context)
{
    assert_int_equal(*(const WCHAR *)data, L'a' + texts_seen);
    if (texts_seen++ == 0) {
        assert_int_equal(RtlDeleteRegistryValue(RTL_REGISTRY_SERVICES, L"mine", L"List"),
                         STATUS_SUCCESS);
        assert_int_equal(nt_registry_key_exists(NT_REGISTRY_SERVICES "\\mine"), true);
    }
    return STATUS_SUCCESS;
}

KERNEL_TEST(a_routine_may_delete_what_it_is_shown)
{
    static const WCHAR list[] = L"a\0b\0c\0";
    RTL_QUERY_REGISTRY_TABLE table[] = {
        {.QueryRoutine = delete_it, .Name = (PWSTR)(uintptr_t)L"List"},
        {0},
    };

    texts_seen = 0;
    assert_int_equal(make(RTL_REGISTRY_SERVICES, L"mine"), STATUS_SUCCESS);
    assert_int_equal(RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, L"mine", L"List", REG_MULTI_SZ,
                                           (PVOID)(uintptr_t)list, sizeof(list)),
                     STATUS_SUCCESS);
    assert_int_equal(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, L"mine", table, NULL, NULL),
                     STATUS_SUCCESS);
    assert_int_equal(texts_seen, 3);
}

KERNEL_TEST(the_registry_is_full_some_day)
{
    static UCHAR data[1 << 20];
    NTSTATUS status = STATUS_SUCCESS;
    WCHAR name[] = L"V00";
    unsigned written = 0;

    assert_int_equal(make(RTL_REGISTRY_SERVICES, L"mine"), STATUS_SUCCESS);
    for (; NT_SUCCESS(status) && written < 200; written++) {
        name[1] = (WCHAR)(L'0' + written / 16);
        name[2] = (WCHAR)(L'0' + written % 16);
        status = RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, L"mine", name, REG_BINARY, data,
                                       sizeof(data));
    }
    assert_int_equal(status, STATUS_REGISTRY_QUOTA_LIMIT);
    assert_in_range(written, 60, 65);
    assert_int_equal(RtlDeleteRegistryValue(RTL_REGISTRY_SERVICES, L"mine", L"V00"),
                     STATUS_SUCCESS);
    assert_int_equal(RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, L"mine", name, REG_BINARY, data,
                                           sizeof(data)),
                     STATUS_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_text_is_loaded, clear),
        cmocka_unit_test_teardown(what_is_dumped_can_be_loaded, clear),
        cmocka_unit_test_teardown(errors_name_the_line_and_change_nothing, clear),
        cmocka_unit_test_teardown(hostile_texts_do_no_harm, clear),
        cmocka_unit_test_teardown(a_great_many_values_are_found, clear),
        cmocka_unit_test_teardown(deep_and_long_paths_are_refused, clear),
        KERNEL_UNIT_TEST(values_are_queried_and_set_by_handle),
        KERNEL_UNIT_TEST(keys_are_made_listed_and_deleted),
        KERNEL_UNIT_TEST(query_tables_fill_variables),
        KERNEL_UNIT_TEST(a_routine_may_delete_what_it_is_shown),
        KERNEL_UNIT_TEST(the_registry_is_full_some_day),
        KERNEL_UNIT_TEST(a_driver_makes_keys_below_those_that_exist),
        KERNEL_UNIT_TEST(query_tables_take_lists_and_go_on_without_room),
        KERNEL_UNIT_TEST(an_answer_without_room_for_its_head_writes_nothing),
        KERNEL_UNIT_TEST(variables_are_expanded_unless_the_caller_says_no),
        KERNEL_UNIT_TEST(a_key_used_without_its_right_is_advised_against),
        KERNEL_UNIT_TEST(what_was_asked_for_and_not_there_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
