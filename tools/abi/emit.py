"""Text of the headers: structures, enumerations, function types, in an order that compiles and reads."""
import re
import textwrap

from merge import Gates, merge

WIDTH = 100
KEYWORDS = {'void', 'char', 'int', 'float', 'const', 'unsigned', 'long', 'short', 'struct', 'union', 'enum'}
SCALARS = {8: 'ULONGLONG', 4: 'ULONG', 2: 'USHORT', 1: 'UCHAR'}
IRQL = {
    'PASSIVE_LEVEL': '_IRQL_requires_(PASSIVE_LEVEL)',
    '<= APC_LEVEL': '_IRQL_requires_max_(APC_LEVEL)',
    '<= DISPATCH_LEVEL': '_IRQL_requires_max_(DISPATCH_LEVEL)',
    'DISPATCH_LEVEL': '_IRQL_requires_(DISPATCH_LEVEL)',
}


def comment(text, indent=0, width=WIDTH):
    pad = ' ' * indent
    lines = []
    for para in text.split('\n'):
        lines += textwrap.wrap(para.strip(), width - indent - 3) or ['']
    if len(lines) == 1 and len(lines[0]) + indent + 6 <= width:
        return ['%s/* %s */' % (pad, lines[0])]
    return ['%s/*' % pad] + [(pad + ' * ' + l).rstrip() for l in lines] + ['%s */' % pad]


class Emitter:
    def __init__(self, layouts, irql, sections, notes):
        self.lay, self.abi, self.irql, self.sections, self.notes = layouts, layouts.abi, irql, sections, notes
        self.gates = Gates(layouts.names)
        self.done, self.busy, self.forward = set(), [], set()
        self.complaints = []
        self.out = []
        self.kind_of = {}
        for kind in ('structs', 'enums', 'functions'):
            for n in self.abi[kind]:
                self.kind_of[n] = kind
        self.pointers = {}      # structure/enum name -> [pointer typedef names]
        self.scalar = {}
        self.sort_typedefs()
        self.alias = self.find_aliases()

    # ---- names -------------------------------------------------------------------------------------------------

    def canonical(self, name):
        return self.lay.tags.get(name, name)

    def sort_typedefs(self):
        """What each typedef of the data is: a name of an aggregate, a pointer to one, or another type."""
        self.target = {}
        for name, t in self.abi['typedefs'].items():
            if name in self.kind_of or name in self.sections.NOT_OURS:
                continue
            m = re.fullmatch(r'(const )?(\w+)(\**)', t['type'])
            if not m:
                continue
            const, base, stars = m.groups()
            base = self.canonical(base)
            if base in self.abi['structs'] or base in self.abi['enums']:
                if stars == '*' and not const:
                    self.pointers.setdefault(base, []).append(name)
                    self.target[name] = base
                    continue
            self.scalar[name] = t

    def find_aliases(self):
        """IN_CONST_PDXGKARG_X and the like: spelling -> type, from the parameter lists."""
        found = dict(self.sections.MORE_ALIASES)
        for f in self.abi['functions'].values():
            for spelled, real in zip(f.get('params_spelled', []), f.get('params', [])):
                if re.fullmatch(r'(IN|OUT|INOUT|DEREF)_\w+', spelled) and spelled != real and spelled not in self.kind_of:
                    found.setdefault(spelled, real)
        return found

    def needs(self, text):
        return [self.canonical(w) for w in re.findall(r'[A-Za-z_]\w*', text) if w not in KEYWORDS]

    def gate_of(self, text):
        """The first version at which everything that a type speaks of exists."""
        first = 0
        for n in self.needs(text):
            n = self.target.get(n, n)
            if n in self.kind_of:
                first = max(first, self.lay.first_of(self.kind_of[n], n))
            elif n in self.scalar:
                first = max(first, self.gate_of(self.scalar[n]['type']))
        return first

    # ---- one header --------------------------------------------------------------------------------------------

    def header(self, name):
        self.current, self.out = name, []
        spec = self.sections.HEADERS[name]
        guard = '_' + name.upper().replace('.', '_') + '_'
        text = comment(spec['about'])
        text += ['', '#ifndef %s' % guard, '#define %s' % guard, '']
        text += ['#include <%s>' % i for i in spec['includes']] + ['']
        text += spec.get('before', '').splitlines()
        text += self.extern_c(True)
        body = self.body(name, spec)
        text += self.tidy(body)
        text += [''] + self.extern_c(False) + ['', '#endif /* %s */' % guard]
        return '\n'.join(text) + '\n'

    @staticmethod
    def extern_c(opening):
        return ['#ifdef __cplusplus', 'extern "C" {' if opening else '}', '#endif']

    @staticmethod
    def tidy(lines):
        out = []
        for l in lines:
            if l == '' and (not out or out[-1] == ''):
                continue
            out.append(l)
        return out

    def body(self, header, spec):
        self.blocks = []
        entities = [(k, n) for k in ('enums', 'structs', 'functions') for n in self.abi[k]
                    if self.abi[k][n]['header'] == header]
        entities += [('scalars', n) for n in self.scalar if self.scalar[n]['header'] == header]
        order = {n: i for i, (_, n) in enumerate(entities)}
        functions_after = self.place_functions([n for k, n in entities if k == 'functions'])
        used = set()
        lines = ['']
        lines += spec.get('top', '').splitlines() + ['']
        lines += self.constants(header, spec)
        lines += spec.get('after_constants', '').replace('@OFFICIAL@', self.official()).splitlines() + ['']
        lines += self.guids(header)
        if spec.get('aliases_first'):
            lines += self.plain_aliases()
        for title, about, pattern in spec['sections']:
            rx = re.compile(pattern)
            mine = [(k, n) for k, n in entities if n not in used and rx.search(n)]
            used |= {n for _, n in mine}
            self.blocks = []
            for kind, n in sorted(mine, key=lambda e: (e[0] == 'functions', order[e[1]])):
                self.emit_entity(n)
                for more in self.sections.MORE_ALIASES:
                    if n in self.needs(self.alias[more]):
                        self.emit_entity(more)
                for f in functions_after.get(n, []):
                    self.emit_entity(f)
                    if 'P' + f in self.kind_of:
                        self.emit_entity('P' + f)
            if self.blocks:
                lines += self.section(title, about) + self.join_blocks() + ['']
        lines += self.exports(header)
        lines += spec.get('bottom', '').splitlines()
        return lines

    def plain_aliases(self):
        """Spellings of parameters that need no structure of this header: IN_CONST_HANDLE and the like."""
        self.blocks = []
        used = {p for f in self.abi['functions'].values() if f['header'] == self.current for p in f.get('params_spelled', [])}
        for name in sorted(used & set(self.alias)):
            owners = [self.target.get(n, n) for n in self.needs(self.alias[name])]
            ours = [o for o in owners if o in self.kind_of]
            if all(self.kind_of[o] != 'functions' and self.abi[self.kind_of[o]][o]['header'] != self.current for o in ours) \
                    and not any(o.startswith('DXGK_') and o not in ours for o in owners):
                self.emit_entity(name)
        self.blocks.sort(key=lambda b: b[0])
        body = [l for first, ls in self.blocks for l in ls if first == 0]
        self.blocks = [b for b in self.blocks if b[0] != 0]
        body += [''] + self.join_blocks()
        return self.section('Parameters', 'A parameter\'s type says which way it goes.') + body + ['']

    def place_functions(self, names):
        """A function type follows the last structure it speaks of."""
        after = {}
        for f in names:
            seen = None
            for p in self.abi['functions'][f].get('params', []):
                for n in self.needs(p):
                    n = self.target.get(n, n)
                    if n in self.abi['structs'] and self.abi['structs'][n]['header'] == self.current:
                        seen = n
            if seen:
                after.setdefault(seen, []).append(f)
        return after

    def section(self, title, about):
        rule = '/* ' + '-' * (WIDTH - 6)
        return ['', rule, ' * ' + title] + ([' *'] + [' * ' + l for l in textwrap.wrap(about, WIDTH - 4)] if about else []) + [' */', '']

    def join_blocks(self):
        """Neighbours under the same gate share one #if."""
        runs = []
        for first, lines in self.blocks:
            if runs and runs[-1][0] == first:
                runs[-1][1].extend([''] + lines)
            else:
                runs.append((first, list(lines)))
        out = []
        for first, lines in runs:
            while lines and lines[0] == '':
                lines = lines[1:]
            if first == 0:
                out += lines + ['']
            else:
                cond = self.gates.condition(first, self.lay.last, 0, self.lay.last)
                out += ['#if ' + cond, ''] + lines + ['', '#endif', '']
        return out

    # ---- entities ----------------------------------------------------------------------------------------------

    def emit_entity(self, name):
        if name in self.done or name in self.busy:
            return
        if name in self.kind_of:
            kind = self.kind_of[name]
        elif name in self.alias:
            kind = 'aliases'
        elif name in self.scalar:
            kind = 'scalars'
        else:
            return
        if kind != 'aliases':
            record = self.scalar[name] if kind == 'scalars' else self.abi[kind][name]
            if record['header'] != self.current:
                if name not in self.done:
                    self.complaints.append('%s: uses %s of %s' % (self.current, name, record['header']))
                return
        self.busy.append(name)
        first, lines = getattr(self, 'text_' + kind)(name)
        self.busy.pop()
        self.done.add(name)
        self.blocks.append((first, lines))

    def want(self, name):
        """Make `name` known before what is being written; give the spelling to use."""
        base = self.target.get(name, name)
        if base in self.busy:
            s = self.abi['structs'].get(base)
            if s is None:
                return name
            tag = '%s %s' % (s['kind'], s.get('tag') or '_' + base)
            if base not in self.forward:
                self.forward.add(base)
                self.blocks.append((self.lay.first_of('structs', base), [tag + ';']))
            return tag + (' *' if name in self.target else '')
        self.emit_entity(base)
        return name

    def spell(self, text):
        """A C type of the data as the headers write it; what it needs has been declared."""
        text = re.sub(r'\bMDL\*', 'PMDL', text)
        text = re.sub(r'[A-Za-z_]\w*', lambda m: m.group(0) if m.group(0) in KEYWORDS
                      else self.want(self.canonical(m.group(0))), text)
        text = re.sub(r'\s*(\*+)', r' \1', text)
        return text.strip()

    def text_scalars(self, name):
        t = self.scalar[name]['type']
        first = self.gate_of(t)
        m = re.fullmatch(r'(.*?)((\[\d+\])*)', t)
        return first, ['typedef %s%s%s;' % (self.sep(self.spell(m.group(1))), name, m.group(2))]

    def text_aliases(self, name):
        real = self.alias[name]
        first = self.gate_of(real)
        direction = '_Inout_' if re.match(r'IN_?OUT_', name) else '_In_' if name.startswith('IN_') else \
                    '_Outptr_' if name.startswith('DEREF') else '_Out_'
        return first, ['typedef %s %s%s;' % (direction, self.sep(self.spell(real)), name)]

    @staticmethod
    def sep(text):
        return text if text.endswith('*') else text + ' '

    def text_enums(self, name):
        e = self.abi['enums'][name]
        start = self.lay.first_of('enums', name)
        firsts = self.lay.versions['enumerator_first_version'].get(name, {})
        width = max(len(k) for k in e['values'])
        blocks = []
        for k, v in e['values'].items():
            a = self.lay.index(firsts[k]) if k in firsts else start
            blocks.append((max(a, start), self.lay.last, ['    %-*s = %s,' % (width, k, self.enum_value(v, e))]))
        body = self.gates.write(blocks, start, self.lay.last)
        ptrs = self.pointers.get(name, [])
        names = ', '.join([name] + ['*' + p for p in ptrs])
        note = comment(self.notes[name][0]) if name in self.notes else []
        if name.startswith('__anon'):
            return start, ['enum {'] + body + ['};']
        tag = e.get('tag') or '_' + name
        if e.get('cxx_only'):
            under = e['underlying']
            return start, note + ['#ifdef __cplusplus', 'typedef enum %s : %s {' % (tag, under)] + body + ['} %s;' % names] + \
                ['#else', 'typedef %s %s;' % (under, names), 'enum {'] + body + ['};', '#endif']
        return start, note + ['typedef enum %s {' % tag] + body + ['} %s;' % names]

    @staticmethod
    def enum_value(v, e):
        if v < -0x40000000:
            return '(int)0x%08X' % (v & 0xffffffff)
        values = [x for x in e['values'].values()]
        flags = len(values) > 2 and max(values) >= 16 and all(x & (x - 1) == 0 for x in values if x > 0)
        return '0x%X' % v if v > 0 and (flags or v >= 4096) else str(v)

    def text_structs(self, name):
        s = self.abi['structs'][name]
        root = self.lay.tree(name)
        start = self.lay.first_of('structs', name)
        note = self.notes.get(name, ('', {}))
        tag = s.get('tag') or '_' + name
        body = self.group_body(root, start, self.lay.last, 1, note[1])
        natural = self.lay.natural_align(root)
        lines = comment(note[0]) if note[0] else []
        packed = s['align'] < natural
        names = ', '.join([name] + s.get('aliases', []) + ['*' + p for p in self.pointers.get(name, [])])
        # A pointer that the data gives several times, or that names the structure itself, is not repeated.
        define = ['typedef %s %s {' % (s['kind'], tag)] + body + ['} %s;' % names]
        if name == tag and name.endswith('__'):
            define = ['%s %s {' % (s['kind'], tag)] + body + ['};']
            if self.pointers.get(name):
                define += ['typedef %s %s %s;' % (s['kind'], tag, ', '.join('*' + p for p in self.pointers[name]))]
        if packed:
            define = ['#pragma pack(push, %d)' % s['align']] + define + ['#pragma pack(pop)']
        return start, lines + define

    def group_body(self, node, low, high, depth, notes):
        sequences = []
        for v in range(low, high + 1):
            sequences.append((v, self.sequence(node, v)))
        tokens = merge(sequences)
        rows = []
        for t in tokens:
            rows.append((t.first, t.last) + self.declare(t, depth, notes))
        widths = [len(r[2]) for r in rows if r[3] is not None]
        column = min(max(widths, default=0), 44)
        blocks = []
        for first, last, left, right, before in rows:
            if right is None:
                blocks.append((first, last, before))
            else:
                pad = '    ' * depth
                line = pad + (left if left.endswith('*') else left).ljust(column) + ' ' + right
                blocks.append((first, last, before + [line]))
        return self.gates.write(blocks, low, high)

    def extent(self, node, v):
        """(offset, bit offset) at which a member or group starts at version v; None if it is not there."""
        if node.name is not None:
            for a, b, off, size, bo, bw in node.steps:
                if a <= v <= b:
                    return (off, bo or 0)
            return None
        starts = [x for x in (self.extent(c, v) for c in node.children) if x]
        return min(starts) if starts else None

    def sequence(self, node, v):
        present = [(self.extent(c, v), i, c) for i, c in enumerate(node.children)]
        present = [p for p in present if p[0] is not None]
        if node.kind == 'struct':
            present.sort(key=lambda p: (p[0], p[1]))
        seq, unit = [], None
        for ext, i, c in present:
            shape, step = '', None
            if c.name is not None:
                step = next(s for s in c.steps if s[0] <= v <= s[1])
                off, size, bo, bw = step[2:]
                if bw is not None:
                    here = (off, size)
                    if unit and node.kind == 'struct' and unit[0] == (off - size, size) and unit[1] < size * 8:
                        # The compiler would still find room in the unit before.
                        seq.append((('end', off), ('gap', {4: 'UINT', 8: 'ULONGLONG'}.get(size, c.fact['type']), 0)))
                    if node.kind == 'struct':
                        at = unit[1] if unit and unit[0] == here else 0
                        if bo > at:
                            seq.append((('gap', off, bo, bo - at), ('gap', c.fact['type'], bo - at)))
                        unit = (here, bo + bw)
                    shape = 'b%d' % bw
                elif c.kind == 'member':
                    shape = self.member_type(c, size)
                    unit = None
            else:
                unit = None
            seq.append(((i, shape), ('node', c, step)))
        return seq

    def member_type(self, node, size):
        """The type of a member whose size at this version is `size`."""
        text = node.fact['type']
        if node.fact['size'] == size or self.lay.type_layout(text) is None:
            return text
        m = re.match(r'(.*?)\[(\d+)\]$', text)
        if m:
            each = node.fact['size'] // int(m.group(2))
            return '%s[%d]' % (m.group(1), size // each) if size != each else m.group(1) + '[1]'
        if self.canonical(text) in self.abi['structs']:
            return text
        return SCALARS[size]

    def declare(self, token, depth, notes):
        """(left column, right column, lines before); right None: the lines are the whole declaration."""
        what = token.what
        pad = '    ' * depth
        if what[0] == 'gap':
            return what[1], ': %d;' % what[2], []
        node, step = what[1], what[2]
        if node.kind != 'member':
            inner = self.group_body(node, token.first, token.last, depth + 1, notes)
            before = []
            if node.name is not None and node.path in notes:
                before = comment(notes[node.path], depth * 4)
            head = '%s%s {' % (pad, node.kind)
            tail = '%s}%s;' % (pad, ' ' + node.name if node.name else '')
            return '', None, before + [head] + inner + [tail]
        before = comment(notes[node.path], depth * 4) if node.path in notes else []
        if step[5] is not None:
            return self.spell(node.fact['type']), '%s : %d;' % (node.name, step[5]), before
        text = self.member_type(node, step[3])
        m = re.match(r'(.*) \(\*\)\((.*)\)$', text)
        if m:
            params = ', '.join(self.spell(p.strip()) for p in m.group(2).split(','))
            return self.spell(m.group(1)), '(NTAPI *%s)(%s);' % (node.name, params), before
        m = re.fullmatch(r'(.*?)((\[\d+\])*)', text)
        left = self.spell(m.group(1))
        stars = re.search(r'( \*+)$', left)
        if stars:
            left = left[:-len(stars.group(1))]
            if self.current in self.sections.CLIENT_POINTERS and stars.group(1) == ' *':
                left += ' D3DKMT_CLIENT'
            return left, stars.group(1).strip() + node.name + m.group(2) + ';', before
        return left, node.name + m.group(2) + ';', before

    # ---- functions ---------------------------------------------------------------------------------------------

    def text_functions(self, name):
        f = self.abi['functions'][name]
        start = self.lay.first_of('functions', name)
        for t in f.get('params', []) + [f.get('returns', ''), f.get('pointer_to', '')]:
            start = max(start, self.gate_of(t))
        if 'pointer_to' in f:
            return start, ['typedef %s *%s;' % (self.spell(f['pointer_to']), name)]
        if name.startswith('P') and name[1:] in self.abi['functions'] and self.abi['functions'][name[1:]]['kind'] == 'function':
            self.want(name[1:])
            return start, ['typedef %s *%s;' % (name[1:], name)]
        params = f.get('params_spelled') or f['params']
        names = f.get('param_names') or [''] * len(params)
        convention = 'APIENTRY' if f['header'] == 'd3dkmthk.h' else 'NTAPI'
        what = convention + ' ' + name if f['kind'] == 'function' else '(%s *%s)' % (convention, name)
        irql = self.irql.get(name, '')
        lines = ['/* Runs at the level of the device\'s interrupt. */'] if irql == 'DIRQL' else []
        lead = 'typedef ' + (IRQL[irql] + ' ' if irql in IRQL else '')
        result = self.spell(f['returns'])
        lines += self.prototype(lead + self.sep(result) + what, params, names, f.get('variadic'))
        return start, lines

    def prototype(self, head, params, names, variadic=False):
        args = []
        for p, n in zip(params, names):
            t = self.spell(p)
            args.append((self.sep(t) + n).strip())
        if variadic:
            args.append('...')
        if not args:
            args = ['void']
        line = head + '(' + ', '.join(args) + ');'
        if len(line) <= WIDTH:
            return [line]
        return [head + '('] + ['    %s,' % a for a in args[:-1]] + ['    %s);' % args[-1]]

    def check_notes(self):
        """The structures of the five central DDIs, and what stands in them, are commented member by member."""
        for name in self.sections.COMMENTED:
            text, members = self.notes.get(name, ('', {}))
            facts = self.abi['structs'][name]['members'] + self.lay.versions['dropped_members'].get(name, [])
            names = {m['name'] for m in facts}
            self.complaints += ['no comment: %s' % name] * (not text)
            self.complaints += ['no comment: %s.%s' % (name, m) for m in sorted(names - set(members))]
            self.complaints += ['comment on what is not there: %s.%s' % (name, m) for m in sorted(set(members) - names)]

    def exports(self, header):
        lines, blocks = [], []
        for name, f in self.abi['exports'].items():
            if f['header'] != header or name in self.sections.INLINE:
                continue
            first = max(self.gate_of(p) for p in f['params'] + [f['returns']])
            convention = 'APIENTRY' if name.startswith('D3DKMT') else 'NTAPI'
            lead = '_Check_return_ ' if f['returns'] == 'NTSTATUS' else ''
            self.blocks = []
            text = self.prototype('%s%s%s %s' % (lead, self.sep(self.spell(f['returns'])), convention, name),
                                  f['params'], f.get('param_names') or [''] * len(f['params']), f.get('variadic'))
            if self.blocks:
                self.complaints.append('%s: %s needs declarations at the end' % (header, name))
            blocks.append((first, self.lay.last, text))
        if blocks:
            title, about = self.sections.HEADERS[header]['exports']
            lines = self.section(title, about) + self.gates.write(blocks, 0, self.lay.last)
        return lines

    # ---- constants and identifiers -----------------------------------------------------------------------------

    def constants(self, header, spec):
        names = [n for n, h in self.abi['constant_headers'].items() if h == header and n not in self.sections.NOT_CONSTANTS]
        lines, used = [], set()
        for title, about, pattern in spec['constants']:
            mine = [n for n in names if n not in used and re.search(pattern, n)]
            used |= set(mine)
            if not mine:
                continue
            width = max(len(n) for n in mine)
            lines += self.section(title, about)
            for n in mine:
                value, note = self.constant(n)
                lines.append('#define %-*s %s%s' % (width, n, value, '  /* %s */' % note if note else ''))
            lines.append('')
        return lines

    def constant(self, name):
        v = self.abi['constants'][name]
        if name in self.sections.CONSTANT_TEXT:
            return self.sections.CONSTANT_TEXT[name], ''
        if name.startswith('ACPI_METHOD_'):
            return '0x%08X' % v, "'%s'" % v.to_bytes(4, 'little').decode('ascii')
        if v < 0:
            return '0x%XULL' % (v & 0xffffffffffffffff), ''
        if v > 0x7fffffff:
            return '0x%08XU' % v, ''
        hexed = v >= 16 and (v & (v - 1) == 0 or v >= 65536 or 'VERSION' in name or 'MASK' in name)
        return '0x%X' % v if hexed and not re.search(r'SIZE|MAX|COUNT|LENGTH', name) else str(v), ''

    def official(self):
        names = self.lay.names
        lines = ['#define IS_OFFICIAL_DDI_INTERFACE_VERSION(version)']
        lines += ['    %s((version) == DXGKDDI_INTERFACE_VERSION_%s)%s' % ('(' if i == 0 else ' ', n, ' ||' if i + 1 < len(names) else ')')
                  for i, n in enumerate(names)]
        return '\n'.join(l.ljust(WIDTH) + ' \\' for l in lines[:-1]) + '\n' + lines[-1]

    def guids(self, header):
        mine = [(n, g) for n, g in self.abi['guids'].items() if self.sections.guid_header(n) == header]
        lines = self.section('Identifiers', '') if mine else []
        for n, g in mine:
            a, b, c, d, e = g.split('-')
            tail = ', '.join('0x' + (d + e)[i:i + 2] for i in range(0, 16, 2))
            lines += ['DEFINE_GUID(%s,' % n, '            0x%s, 0x%s, 0x%s, %s);' % (a, b, c, tail)]
        return lines + ['']
