/* What helps the author of a driver beside a finding: what it is, how it is mended, and where to
 * read. */
#include "contract/contract.h"

#include <stdio.h>
#include <string.h>

#define SITE "https://learn.microsoft.com/windows-hardware/drivers/"

const struct contract_other_finding *contract_other_finding(const char *name)
{
    static const struct contract_other_finding findings[] = {
#define FINDING(finding_name, run_goes_on) {finding_name, run_goes_on},
#include "contract/findings.def"
#undef FINDING
    };

    for (size_t i = 0; i < sizeof findings / sizeof findings[0]; i++) {
        if (strcmp(findings[i].name, name) == 0) {
            return &findings[i];
        }
    }
    return NULL;
}

const char *contract_mending(const char *finding)
{
    static const struct {
        const char *finding, *sentence;
    } mendings[] = {
#define MENDING(name, text) {name, text},
#include "contract/mending.def"
#undef MENDING
    };

    for (size_t i = 0; i < sizeof mendings / sizeof mendings[0]; i++) {
        if (strcmp(mendings[i].finding, finding) == 0) {
            return mendings[i].sentence;
        }
    }
    return NULL;
}

/* "ns-d3dkmddi-_dxgkarg_render.md" lies under the name of its header; other pages are of the
 * display section, and bug checks of the debugger's. False: what is named is no page. */
static bool page_of(const char *name, size_t length, char *text, size_t size)
{
    static const char *const kinds[] = {"nc-", "ne-", "nf-", "ni-", "ns-"};
    static const char extension[] = ".md", bugcheck[] = "bug-check-";
    size_t stem = length - strlen(extension);

    if (length <= strlen(extension) || memcmp(name + stem, extension, strlen(extension)) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *header = name + strlen(kinds[i]);
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0) {
            return snprintf(text, size, SITE "ddi/%.*s/%.*s", (int)strcspn(header, "-"), header,
                            (int)stem, name) < (int)size;
        }
    }
    return snprintf(text, size, SITE "%s/%.*s",
                    strncmp(name, bugcheck, strlen(bugcheck)) == 0 ? "debugger" : "display",
                    (int)stem, name) < (int)size;
}

/* Their pages lie under dispmprt.h, with the words of the name apart. */
static const char *const of_the_port[] = {
    "AddDevice",
    "StartDevice",
    "StopDevice",
    "RemoveDevice",
    "DispatchIoRequest",
    "InterruptRoutine",
    "DpcRoutine",
    "QueryChildRelations",
    "QueryChildStatus",
    "QueryDeviceDescriptor",
    "SetPowerState",
    "NotifyAcpiEvent",
    "ResetDevice",
    "Unload",
    "QueryInterface",
    "GetChildContainerId",
    "NotifySurpriseRemoval",
};

/* "DxgkDdiQueryChildStatus" is read of at ".../nc-dispmprt-dxgkddi_query_child_status". */
static bool page_of_ddi(const char *ddi, char *text, size_t size)
{
    static const char prefix[] = "DxgkDdi";
    const char *name = ddi + strlen(prefix);
    bool port = false;
    char words[96];
    size_t used = 0;

    if (strncmp(ddi, prefix, strlen(prefix)) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof of_the_port / sizeof of_the_port[0]; i++) {
        port |= strcmp(of_the_port[i], name) == 0;
    }
    for (const char *at = name; *at && used + 2 < sizeof words; at++) {
        bool capital = *at >= 'A' && *at <= 'Z';
        if (port && capital && at > name) {
            words[used++] = '_';
        }
        words[used++] = (char)(capital ? *at + 'a' - 'A' : *at);
    }
    words[used] = '\0';
    const char *header = port ? "dispmprt" : "d3dkmddi";
    return snprintf(text, size, SITE "ddi/%s/nc-%s-dxgkddi_%s", header, header, words) < (int)size;
}

/* Of all DDIs: then the page of the one that broke it is the one to read. */
static bool is_of_all(const struct contract_rule_info *info)
{
    return info->ddi[0] == '(';
}

bool contract_page(const char *finding, const char *ddi, char *text, size_t size)
{
    enum contract_rule rule = contract_rule_by_id(finding);
    const char *source = rule < CONTRACT_RULE_COUNT ? contract_rule_info(rule)->source : "";

    while (*source) {
        source += strspn(source, "; ");
        if (page_of(source, strcspn(source, "; "), text, size)) {
            return true;
        }
        source += strcspn(source, ";");
    }
    return ddi && rule < CONTRACT_RULE_COUNT && is_of_all(contract_rule_info(rule)) &&
           page_of_ddi(ddi, text, size);
}
