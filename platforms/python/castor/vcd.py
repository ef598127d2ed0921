"""Reader of value change dumps of `castor run --wave` and `castor cosim --wave` (docs/guides/looking.md, "Waves")."""

from .errors import BadFile, need


def _declarations(file, path):
    """Returns (signal, width, kind, identifier) of every variable. Reads `file` up to the end of the declarations."""
    scopes, out = [], []
    for line in file:
        words = line.split()
        if not words:
            continue
        if words[0] == "$scope":
            scopes.append(words[2])
        elif words[0] == "$upscope":
            scopes.pop()
        elif words[0] == "$var":
            out.append((".".join([*scopes, words[4]]), int(words[2]), words[1], words[3]))
        elif words[0] == "$enddefinitions":
            return out
    raise BadFile(f"{path}: this is no value change dump; castor run --wave FILE writes one")


def signals(path):
    """Returns the signals of a dump as a frame with the columns signal ("gpu.sm0.resident"), width in bits, and kind
    ("wire", or "string" for a name)."""
    pandas = need("pandas")
    with open(path, encoding="latin-1") as file:
        rows = [(signal, width, kind) for signal, width, kind, _ in _declarations(file, path)]
    return pandas.DataFrame(rows, columns=["signal", "width", "kind"])


def _value(word, kind):
    if kind == "string":
        return word
    return int(word, 2) if set(word) <= set("01") else None


def waves(path, names):
    """Returns the values of the signals `names`: a frame with a column for each signal, and a row for each time in ps
    at which one of them changes.

    A value is valid until the next row; an unknown value is None. Raises KeyError for a signal that the dump lacks.
    """
    pandas = need("pandas")
    names = list(names)
    with open(path, encoding="latin-1") as file:
        declared = {signal: (kind, identifier) for signal, _, kind, identifier in _declarations(file, path)}
        for name in names:
            if name not in declared:
                raise KeyError(f"{path} has no signal {name}; castor.signals(path) lists those that it has")
        wanted = {}
        for name in names:
            kind, identifier = declared[name]
            wanted.setdefault(identifier, (kind, []))[1].append(name)
        now, rows, time, changed = dict.fromkeys(names), {}, 0, False
        for line in file:
            text = line.strip()
            if text.startswith("#"):
                if changed:
                    rows[time] = dict(now)
                time, changed = int(text[1:]), False
                continue
            if text[:1] in ("b", "s"):
                word, _, identifier = text[1:].rpartition(" ")
            else:
                word, identifier = text[:1], text[1:]
            if identifier in wanted:
                kind, columns = wanted[identifier]
                for name in columns:
                    now[name] = _value(word, kind)
                changed = True
        if changed:
            rows[time] = dict(now)
    frame = pandas.DataFrame.from_dict(rows, orient="index", columns=names, dtype=object)
    frame.index.name = "ps"
    return frame
