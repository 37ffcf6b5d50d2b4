#!/usr/bin/env python3
"""Makes the table of what coverage counts of a call's arguments.

usage: members.py ABI.json VERSIONS.json OUT.c

One row for each member and flag of the structures below, with the value that tells something: a flag that is set, an offset,
pattern or count that is not 0, a handle that is there. Where a page gives 0 or NULL a meaning of its own, that is a row, too
("SUBMITCOMMAND.hContext=NULL"). Offsets and first versions are facts of abi/; what is said by hand stands in the tables below.
"""
import json
import pathlib
import sys

SEEDS = [("SubmitCommand", "DXGKARG_SUBMITCOMMAND"), ("CancelCommand", "DXGKARG_CANCELCOMMAND"),
         ("Present", "DXGKARG_PRESENT"), ("ValidateSubmitCommand", "DXGKARG_VALIDATESUBMITCOMMAND"),
         ("CreateOverlay", "DXGKARG_CREATEOVERLAY"), ("UpdateOverlay", "DXGKARG_UPDATEOVERLAY"),
         ("FlipOverlay", "DXGKARG_FLIPOVERLAY"), ("BuildPagingBuffer", "DXGKARG_BUILDPAGINGBUFFER")]
# The member of the union that an operation uses, in the order of the enumeration.
OPERATIONS = ["Transfer", "Fill", "DiscardContent", "ReadPhysical", "WritePhysical", "MapApertureSegment", "UnmapApertureSegment",
              "SpecialLockTransfer", "TransferVirtual", "FillVirtual", "InitContextResource", "UpdatePageTable", "FlushTlb",
              "UpdateContextAllocation", "CopyPageTableEntries", "NotifyResidency", "SignalMonitoredFence", "MapApertureSegment2",
              "NotifyFenceResidency", "MmapMmu", "UnmapMmu", "NotifyResidency2", "NotifyAllocation"]
# Whose 0 is a case of its own: no context, a DMA buffer, system memory, a flip without commands.
ZERO_TELLS = {"SUBMITCOMMAND.hContext": "NULL", "SUBMITCOMMAND.DmaBufferSegmentId": "0",
              "SUBMITCOMMAND.pDmaBufferPrivateData": "NULL", "CANCELCOMMAND.pDmaBufferPrivateData": "NULL",
              "PRESENT.pDmaBuffer": "NULL", "PRESENT.pDmaBufferPrivateData": "NULL", "PRESENT.DmaBufferSegmentId": "0",
              "BUILDPAGINGBUFFER.pDmaBufferPrivateData": "NULL", "BUILDPAGINGBUFFER.hSystemContext": "NULL",
              "BUILDPAGINGBUFFER.Transfer.Source.SegmentId": "0", "BUILDPAGINGBUFFER.Transfer.Destination.SegmentId": "0",
              "BUILDPAGINGBUFFER.MapApertureSegment.hAllocation": "NULL",
              "BUILDPAGINGBUFFER.UnmapApertureSegment.hAllocation": "NULL", "BUILDPAGINGBUFFER.Fill.FillPattern": "0"}
# Other names of the same bytes, and what is nobody's to read: reserved, 0 by their pages (SUBMIT-046 to -048), or the begin of
# private data, which is 0 of all but paging buffers, and these are not cancelled (SUBMIT-027); or the driver's to fill in; or a
# bit of which no page says what it is, which nobody is handed therefore (PRES-046). The operation is counted by its number.
LEFT_OUT = {"SUBMITCOMMAND.hDevice", "SUBMITCOMMAND.EngineOrdinal", "SUBMITCOMMAND.DmaBufferVirtualAddress",
            "CANCELCOMMAND.DmaBufferPrivateDataSubmissionStartOffset", "PRESENT.pAllocationInfo", "PRESENT.Reserved", "BUILDPAGINGBUFFER.Reserved",
            "BUILDPAGINGBUFFER.Operation", "PRESENT.Flags.RedirectedFlip", "CREATEOVERLAY.hOverlay"}
# A place is a segment and an address in it, or, with SegmentId 0 eight bytes before, pages: which of them is meant.
PLACES, PAGES_WITH_ZERO = {"Source", "Destination"}, {"SegmentAddress": False, "pMdl": True}
# What counts where a flag is set alone: else it is nobody's to read. The flag's word has no other flag.
ONLY_WITH = {"VALIDATESUBMITCOMMAND.HwQueueProgressFenceId": "Flags"}
# The layout of what is no structure of the kernel's headers.
PLAIN = {"RECT": [("left", 0, 4), ("top", 4, 4), ("right", 8, 4), ("bottom", 12, 4)]}
FIRST = "VISTA"
WORD = 8  # what a row loads


class Table:
    def __init__(self, abi, versions):
        self.structs, self.since = abi["structs"], versions["member_first_version"]
        self.order = list(versions["interface_versions"])
        self.names, self.rows, self.lists = [], [], {}

    def later(self, a, b):
        return max(a, b, key=self.order.index)

    def row(self, at, size, bits, total, flags):
        """A load of a whole word inside the structure, and the bits of it that count."""
        load = min(at, total - WORD)
        shift, width = bits if bits else (0, 8 * size)
        mask = ((1 << width) - 1) << (shift + 8 * (at - load))
        assert mask < 1 << 64
        self.rows.append("{.mask = 0x%XU, .offset = %d, %s}" % (mask, load, flags))

    def member(self, name, point, operation, since):
        self.names.append((name, point, operation, since))
        return len(self.names) - 1

    def count(self, where, name, at, size, bits, since):
        index = self.member(name, where["point"], where["operation"], since)
        self.row(at, size, bits, where["total"], ".member = %d" % index)
        if name in ZERO_TELLS:
            index = self.member("%s=%s" % (name, ZERO_TELLS[name]), where["point"], where["operation"], since)
            self.row(at, size, bits, where["total"], ".member = %d, .of_zero = true" % index)

    def flags(self, where, name, structure, at, since):
        bits = [m for m in self.structs[structure]["members"] if "bit_offset" in m and not m["name"].startswith("Reserved")
                and "%s.%s" % (name, m["name"]) not in LEFT_OUT]
        first = self.since.get(structure, {})
        size = self.structs[structure]["size"]
        self.row(at, size, None, where["total"], ".skip = %d" % len(bits))
        for m in bits:
            self.count(where, "%s.%s" % (name, m["name"]), at, size, (m["bit_offset"], m["bit_width"]),
                       self.later(since, first.get(m["name"], FIRST)))

    def is_flags(self, kind):
        return kind in self.structs and self.structs[kind]["size"] <= WORD and any("bit_offset" in m for m in self.structs[kind]["members"])

    def value(self, where, name, m, base, since):
        kind = m["type"].replace("const ", "")
        at = base + m["offset"]
        if self.is_flags(kind):
            self.flags(where, name, kind, at, since)
        elif kind in PLAIN:
            for leaf, offset, size in PLAIN[kind]:
                self.count(where, "%s.%s" % (name, leaf), at + offset, size, None, since)
        elif kind.endswith("]"):
            element = m["size"] // int(kind[kind.index("[") + 1:-1])
            self.count(where, name + "[0]", at, element, None, since)
        elif m["size"] <= WORD:
            leaf = name.rsplit(".", 1)
            if leaf[-1] in PAGES_WITH_ZERO and leaf[0].rsplit(".", 1)[-1] in PLACES:
                zero = "true" if PAGES_WITH_ZERO[leaf[-1]] else "false"
                self.row(at - 8, 4, None, where["total"], ".skip = 1, .of_zero = %s" % zero)
            if name in ONLY_WITH:
                self.skip_without(where, ONLY_WITH[name])
            self.count(where, name, at, m["size"], None, since)
        else:
            self.inside(where, name, kind, at, since)

    def skip_without(self, where, flags):
        members = {m["name"]: m for m in self.structs[where["structure"]]["members"]}
        self.row(members[flags]["offset"], members[flags]["size"], None, where["total"], ".skip = 1")

    def inside(self, where, name, structure, base, since):
        for m in self.structs[structure]["members"]:
            if not m["name"].startswith(("Reserved", "Padding")):
                self.value(where, "%s.%s" % (name, m["name"]), m, base, since)

    def members_of(self, where, structure, prefix, wanted):
        first = self.since.get(structure, {})
        start = len(self.rows)
        for m in self.structs[structure]["members"]:
            name = "%s.%s" % (prefix, m["name"])
            if wanted(m["name"]) and name not in LEFT_OUT and not m.get("inline"):
                self.value(where, name, m, 0, first.get(m["name"], FIRST))
        return start, len(self.rows) - start

    def seed(self, point, structure):
        prefix = structure.replace("DXGKARG_", "")
        where = {"point": point, "operation": -1, "structure": structure, "total": self.structs[structure]["size"]}
        is_paging = point == "BuildPagingBuffer"
        self.lists[point] = self.members_of(
            where, structure, prefix, lambda n: not is_paging or n.split(".")[0] not in OPERATIONS + ["Reserved"])
        self.operations = []
        for number, union in enumerate(OPERATIONS if is_paging else []):
            where = {"point": point, "operation": number, "total": self.structs[structure]["size"]}
            self.operations.append(self.members_of(where, structure, prefix, lambda n: n.split(".")[0] == union))

    def write(self, out):
        lines = ["/* Made by tools/contract/members.py from abi/. */", '#include "contract/cover.h"', "",
                 "const struct contract_member contract_members[] = {"]
        lines += ['    {"%s", POINT_%s, %d, ABI_%s},' % row for row in self.names]
        lines += ["};", "const unsigned contract_member_count = %d;" % len(self.names), "",
                  "const struct contract_member_row contract_member_rows[] = {"]
        lines += ["    %s," % row for row in self.rows]
        lines += ["};", "", "const struct contract_member_list contract_member_lists[POINT_COUNT] = {"]
        lines += ["    [POINT_%s] = {%d, %d}," % (point, *where) for point, where in self.lists.items()]
        lines += ["};", "", "const struct contract_member_list contract_operation_lists[CONTRACT_OPERATION_COUNT] = {"]
        lines += ["    {%d, %d}, /* %s */" % (*where, union) for where, union in zip(self.operations, OPERATIONS)]
        lines += ["};", ""]
        pathlib.Path(out).write_text("\n".join(lines))


def main():
    abi, versions = (json.loads(pathlib.Path(path).read_text()) for path in sys.argv[1:3])
    table = Table(abi, versions)
    for point, structure in SEEDS:
        table.seed(point, structure)
    table.lists["PresentToHwQueue"] = table.lists["Present"]
    unknown = set(ZERO_TELLS) - {name for name, *_ in table.names}
    if unknown:
        sys.exit("members.py: there is no member %s" % sorted(unknown)[0])
    table.write(sys.argv[3])


main()
