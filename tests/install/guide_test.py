#!/usr/bin/env python3
"""docs/guides/adding-a-block.md, typed as it stands into an empty folder.

  guide_test.py BUILD [unittest arguments...]
"""

import re
from pathlib import Path

from package import PackageCase, main


class Guide(PackageCase):
    def test_every_command_of_the_guide_works(self):
        output = self.type_in(Path(__file__).with_name("documents") / "docs" / "guides" / "adding-a-block.md")
        self.assertRegex(output, r"(?m)^turn: ")
        self.assertRegex(output, r"0 failed or undecided")
        self.assertEqual(output.count("y[999] = 1999"), 6)
        cycles = re.findall(r"^tiny, timing: (\d+) cycles", output, re.MULTILINE)
        self.assertEqual(len(cycles), 2)
        self.assertEqual(cycles[0], cycles[1], "the skeleton changes the machine")


if __name__ == "__main__":
    main()
