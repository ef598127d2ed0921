#!/usr/bin/env python3
"""README and guides, typed as they stand where nothing but an installed package is: what they name of the tree is what
the package has of it.

  documents_test.py BUILD [unittest arguments...]
"""

from pathlib import Path

from package import PackageCase, main
from typed import TypedDocuments

# What documents name, and where a package has it.
PARTS = {
    "build/release": "",
    "sw/kernels": "share/castor/kernels",
    "platforms/python": "share/castor/python",
    "platforms/examples": "share/castor/examples",
    "waveforms": "share/castor/waveforms",
}


class Documents(TypedDocuments, PackageCase):
    documents = Path(__file__).parent / "documents"

    def lay_out(self, folder):
        for name, place in PARTS.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).symlink_to(self.prefix / place)

    def where(self, name):
        return self.folder, name, {**self.environment, "PYTHONDONTWRITEBYTECODE": "1"}

    def test_readme(self):
        self.check_readme(*self.where("README.md"))

    def test_guide_to_running(self):
        self.check_running(*self.where("docs/guides/running.md"))

    def test_guide_to_looking(self):
        self.check_looking(*self.where("docs/guides/looking.md"))

    def test_guide_to_python(self):
        self.check_python(*self.where("docs/guides/python.md"))


if __name__ == "__main__":
    main()
