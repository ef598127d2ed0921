"""The two ways in which a flow ends badly."""


class WrongRequest(Exception):
    """The request cannot be served: an unknown name, a missing file or tool, RTL that does not elaborate.

    `what` says what was wrong and where, `hint` what to do. Exit code 2.
    """

    def __init__(self, what, hint=""):
        super().__init__(f"{what} ({hint})" if hint else what)


class Interrupted(Exception):
    """The user pressed Ctrl-C; every process that was started has been ended. Exit code 130."""
