"""The facts as trees: what a structure holds at each interface version, in declaration order."""
import re

POINTER = 8
BASE = {'void': (0, 1), 'float': (4, 4), 'char': (1, 1), 'int': (4, 4)}


class Node:
    """A member, or a nameless group of members ('union'/'struct' with name None)."""

    def __init__(self, name, kind, fact=None):
        self.name = name          # None: nameless
        self.kind = kind          # 'member', 'struct', 'union'
        self.fact = fact          # the record of the data, for members and named aggregates
        self.children = []
        self.path = ''            # dotted, as in the data
        self.steps = []           # members: [(first, last, offset, size, bit_offset, bit_width)] by version index


class Layouts:
    def __init__(self, abi, versions):
        self.abi, self.versions = abi, versions
        self.names = list(versions['interface_versions'])
        self.numbers = {n: int(v, 0) for n, v in versions['interface_versions'].items()}
        self.last = len(self.names) - 1
        self.tags = {}
        for kind in ('structs', 'enums'):
            for name, s in abi[kind].items():
                if s.get('tag'):
                    self.tags[s['tag']] = name
                for other in s.get('aliases', []):
                    self.tags[other] = name

    def index(self, version):
        return self.names.index(version)

    def first_of(self, kind, name):
        table = {'structs': 'struct_first_version', 'enums': 'enum_first_version', 'functions': 'function_first_version'}[kind]
        return self.index(self.versions[table].get(name, self.names[0]))

    def type_layout(self, text):
        """(size, align) of a C type as the data spells it; None if unknown."""
        text = re.sub(r'\bconst\b', '', text).strip()
        dims = [int(d) for d in re.findall(r'\[(\d+)\]', text)]
        text = re.sub(r'\[\d*\]', '', text).strip()
        if text.endswith('*') or '(*)' in text:
            size = align = POINTER
        else:
            name = self.tags.get(text, text)
            for kind in ('structs', 'enums', 'external_types'):
                if name in self.abi[kind]:
                    r = self.abi[kind][name]
                    size, align = r['size'], r.get('align', r['size'])
                    break
            else:
                if name in self.abi['typedefs']:
                    return self.type_layout(self.abi['typedefs'][name]['type'])
                if name in self.abi['functions']:
                    return (POINTER, POINTER)
                if name not in BASE:
                    return None
                size, align = BASE[name]
        for d in dims:
            size *= d
        return (size, align)

    def natural_align(self, node):
        best = 1
        for c in node.children:
            if c.kind == 'member':
                if 'bit_width' in c.fact:
                    best = max(best, c.fact['size'])
                else:
                    lay = self.type_layout(c.fact['type'])
                    best = max(best, lay[1] if lay else 1)
            else:
                best = max(best, self.natural_align(c))
        return best

    def tree(self, name):
        """The newest layout of a structure, with the versions at which each member exists."""
        fact = self.abi['structs'][name]
        root = Node(name, fact['kind'], fact)
        firsts = self.versions['member_first_version'].get(name, {})
        changes = self.versions['member_layout_changes'].get(name, {})
        named = {'': root}
        start = self.first_of('structs', name)
        records = [dict(m) for m in fact['members']]
        for old in self.versions['dropped_members'].get(name, []):
            records.append(dict(old))
        for m in records:
            parent_path, _, leaf = m['name'].rpartition('.')
            node = Node(leaf, 'member' if not m.get('inline') else m['type'].split()[0], m)
            node.path = m['name']
            place = named[parent_path]
            for step in filter(None, (m.get('group') or '').split('/')):
                place = self.group(place, step)
            place.children.append(node)
            if m.get('inline'):
                named[m['name']] = node
            self.set_steps(node, m, firsts, changes, start)
        return root

    @staticmethod
    def group(place, step):
        for c in place.children:
            if c.name is None and getattr(c, 'step', None) == step:
                return c
        node = Node(None, 'union' if step[0] == 'u' else 'struct')
        node.step = step
        place.children.append(node)
        return node

    def set_steps(self, node, m, firsts, changes, start):
        path = m['name']
        begin = m.get('first') or firsts.get(path)
        first = max(start, self.index(begin)) if begin else start
        end = m.get('last')
        last = self.index(end) if end else self.last
        now = (m['offset'], m['size'], m.get('bit_offset'), m.get('bit_width'))
        table = changes.get(path)
        if not table:
            node.steps = [(first, last) + now]
            return
        rows = []
        for i, row in enumerate(table):
            a = max(start, self.index(row[0]))
            b = self.index(table[i + 1][0]) - 1 if i + 1 < len(table) else last
            shape = tuple(row[1:5]) if len(row) >= 5 else tuple(row[1:3]) + (None, None)
            rows.append((a, b) + shape)
        node.steps = [r for r in rows if r[0] <= r[1]]
