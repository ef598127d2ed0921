"""The two ways in which a flow ends badly."""

import signal


class WrongRequest(Exception):
    """The request cannot be served: an unknown name, a missing file or tool, RTL that does not elaborate.

    `what` says what was wrong and where, `hint` what to do. Exit code 2.
    """

    def __init__(self, what, hint=""):
        super().__init__(f"{what} ({hint})" if hint else what)


class Interrupted(Exception):
    """A signal ended the flow, as Ctrl-C does; every process that was started has been ended. Exit code: 128 and the
    signal's number."""

    def __init__(self, number=signal.SIGINT):
        super().__init__()
        self.code = 128 + number
