"""One list of declarations out of many: which member stands where at which interface version."""
import difflib


class Token:
    """Something to declare (`what`, compared by `key`) at the versions first..last."""

    def __init__(self, key, what, first, last):
        self.key, self.what, self.first, self.last = key, what, first, last


def merge(sequences):
    """sequences: [(version index, [(key, what)])], ascending. -> [Token], each version a subsequence of it."""
    merged = []
    for version, seq in sequences:
        keys = [k for k, _ in seq]
        match = difflib.SequenceMatcher(None, [t.key for t in merged], keys, autojunk=False)
        out = []
        for op, a0, a1, b0, b1 in match.get_opcodes():
            if op == 'equal':
                for t, j in zip(merged[a0:a1], range(b0, b1)):
                    if t.last == version - 1 or t.last == version:
                        t.last, t.what = version, seq[j][1]
                        out.append(t)
                    else:  # came, went and came back: a token of its own
                        out += [t, Token(seq[j][0], seq[j][1], version, version)]
            else:
                out += merged[a0:a1] + [Token(k, w, version, version) for k, w in seq[b0:b1]]
        merged = out
    return merged


class Gates:
    """Writes #if blocks round declarations that not every version has."""

    def __init__(self, names):
        self.names = names

    def macro(self, index):
        return 'DXGKDDI_INTERFACE_VERSION_' + self.names[index]

    def condition(self, first, last, low, high, after=None):
        """`after`: everything below this version has been dealt with by the branches before."""
        after = low if after is None else after
        parts = []
        if first > after:
            parts.append('(DXGKDDI_INTERFACE_VERSION >= %s)' % self.macro(first))
        if last < high:
            parts.append('(DXGKDDI_INTERFACE_VERSION < %s)' % self.macro(last + 1))
        return ' && \\\n    '.join(parts)

    def write(self, blocks, low, high):
        """blocks: [(first, last, [lines])] inside a scope that spans low..high -> lines"""
        runs = []
        for first, last, lines in blocks:
            first, last = max(first, low), min(last, high)
            if first > last:
                continue
            if runs and runs[-1][0] == first and runs[-1][1] == last:
                runs[-1][2].extend(lines)
            else:
                runs.append([first, last, list(lines)])
        out, i = [], 0
        while i < len(runs):
            first, last, lines = runs[i]
            if (first, last) == (low, high):
                out += lines
                i += 1
                continue
            chain = [runs[i]]
            while i + len(chain) < len(runs):
                nxt = runs[i + len(chain)]
                if (nxt[0], nxt[1]) == (low, high) or any(nxt[0] <= c[1] and c[0] <= nxt[1] for c in chain):
                    break
                chain.append(nxt)
            covered = sum(c[1] - c[0] + 1 for c in chain) == high - low + 1
            after = low
            for k, (a, b, body) in enumerate(chain):
                if k and covered and k == len(chain) - 1:
                    out.append('#else')
                else:
                    out.append('%s %s' % ('#elif' if k else '#if', self.condition(a, b, low, high, after)))
                after = b + 1 if a <= after else after
                out += body
            out.append('#endif')
            i += len(chain)
        return out
