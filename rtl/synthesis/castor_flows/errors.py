"""Exceptions that end a flow: a request that cannot be served, and an interruption."""

import signal


class WrongRequest(Exception):
    """A request that cannot be served: an unknown name, a missing file or tool, RTL that does not elaborate.

    `what` says what is wrong and where, `hint` what the user can do. The exit code is 2.
    """

    def __init__(self, what, hint=""):
        super().__init__(f"{what} ({hint})" if hint else what)


class Interrupted(Exception):
    """The flow was interrupted by a signal, for example by Ctrl-C. All processes that it started are ended. The exit
    code is 128 plus the number of the signal."""

    def __init__(self, number=signal.SIGINT):
        super().__init__()
        self.code = 128 + number
