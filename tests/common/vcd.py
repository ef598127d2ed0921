"""Reads VCD files, for script tests."""


def variables(text):
    """Returns (scopes from the outermost on, key, name, range of its bits or "") of all variables."""
    scopes, found = [], []
    for line in text.splitlines():
        words = line.split()
        if line.startswith("$scope"):
            scopes.append(words[2])
        elif line.startswith("$upscope"):
            scopes.pop()
        elif line.startswith("$var"):
            found.append((list(scopes), words[3], words[4], "".join(words[5:-1])))
    return found
