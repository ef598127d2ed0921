"""What the tests of an installed Castor share: a prefix that nothing may change, Castor's tree out of reach, and
commands as a user types them."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]


def isolate(build):
    """Runs this script again where `build` is installed under $CASTOR_TEST_HOLDER/castor, read-only, and nothing of the
    tree or the build can be read; returns there. Where mounts are not allowed, only the former."""
    if "CASTOR_TEST_HOLDER" in os.environ:
        return
    with tempfile.TemporaryDirectory(prefix="castor-package-") as holder:
        prefix, scripts = Path(holder) / "castor", Path(holder) / "scripts"
        done = subprocess.run(["cmake", "--install", build, "--prefix", prefix], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        shutil.copytree(SOURCE / "tests" / "install", scripts, ignore=shutil.ignore_patterns("__pycache__"))
        guides = scripts / "documents" / "docs" / "guides"
        shutil.copytree(SOURCE / "docs" / "guides", guides)
        shutil.copy(SOURCE / "README.md", scripts / "documents")
        # Verilator's runtime, which every cache compiles for itself first, is that of the build if it has one.
        for runtime in (Path(build) / "cache" / "rtl").glob("verilated-*"):
            if runtime.is_dir() and runtime.suffix == "":
                shutil.copytree(runtime, Path(holder) / "cache" / "rtl" / runtime.name)
        environment = dict(os.environ, CASTOR_TEST_HOLDER=holder, PYTHONDONTWRITEBYTECODE="1")
        command = ["python3", str(scripts / Path(sys.argv[0]).name), *sys.argv[1:]]
        hidden = [
            folder for folder in (Path(build).resolve(), SOURCE) if folder.is_dir()
        ]  # one inside the other is hidden with it
        steps = [f"mount --bind '{prefix}' '{prefix}'", f"mount -o remount,bind,ro '{prefix}'"]
        steps += [f"mount -t tmpfs none '{folder}'" for folder in hidden]
        mounts = " && ".join(steps)
        alone = ["unshare", "--mount", "--propagation", "private", "sh", "-c"]
        if subprocess.run([*alone, mounts], capture_output=True).returncode == 0:
            command = [*alone, f'{mounts} && cd / && exec "$0" "$@"', *command]
        else:
            print("mounts are not allowed here: the tree stays in reach", file=sys.stderr)
            for path in [prefix, *prefix.rglob("*")]:
                if not path.is_symlink():
                    path.chmod(path.stat().st_mode & ~0o222)
        code = subprocess.run(command, env=environment).returncode
        for path in [prefix, *prefix.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(path.stat().st_mode | 0o700)
    sys.exit(code)


def digest(folder):
    """Of every file: path, size and time."""
    text = "\n".join(f"{path} {path.lstat().st_size} {path.lstat().st_mtime_ns}" for path in sorted(folder.rglob("*")))
    return hashlib.sha256(text.encode()).hexdigest()


def shell_blocks(path):
    """The ```sh blocks of a document, in their order."""
    return re.findall(r"^```sh\n(.*?)^```$", Path(path).read_text(), re.MULTILINE | re.DOTALL)


class PackageCase(unittest.TestCase):
    """Each case has an empty folder `self.folder`, Castor in PATH, and a cache that all share."""

    def setUp(self):
        holder = Path(os.environ["CASTOR_TEST_HOLDER"])
        self.prefix = holder / "castor"
        self.before = digest(self.prefix)
        folder = tempfile.TemporaryDirectory(dir=holder)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("CASTOR_") and name not in ("CMAKE_PREFIX_PATH", "CXXFLAGS")
        }
        self.environment |= {
            "PATH": f"{self.prefix}/bin:{os.environ['PATH']}",
            "CASTOR_CACHE": str(holder / "cache"),
            "CASTOR_PROGRESS": "0",
        }
        if shutil.which("ccache"):
            # Every run has folders of other names; relative to the holder they are the same.
            self.environment |= {
                "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
                "CCACHE_BASEDIR": str(holder),
                "CCACHE_NOHASHDIR": "1",
            }

    def tearDown(self):
        self.assertEqual(digest(self.prefix), self.before, "the installation was written to")

    def run_in(self, folder, *words, expect=0, **more):
        """Runs a command; checks its exit code; returns what it printed, errors too."""
        done = subprocess.run(
            list(map(str, words)),
            cwd=folder,
            env={**self.environment, **more},
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.assertEqual(done.returncode, expect, f"{' '.join(map(str, words))}\n{done.stdout}")
        return done.stdout

    def type_in(self, document):
        """Types the commands of a document's sh blocks into one shell in the empty folder, which ends at the first that
        fails. Returns what they printed."""
        blocks = shell_blocks(document)
        self.assertGreater(len(blocks), 3, "the document has hardly any commands")
        # A command behind "!" has to fail; the shell's -e does not look at it.
        script = "set -e\n" + re.sub(
            r"^! (.*)$", r"if \1; then echo 'did not fail: \1'; exit 1; fi", "\n".join(blocks), flags=re.MULTILINE
        )
        return self.run_in(self.folder, "bash", "-c", script)

    def build(self, folder):
        """Builds the block in `folder`; further commands find it."""
        self.run_in(folder, "cmake", "-B", "build")
        output = self.run_in(folder, "cmake", "--build", "build")
        self.assertNotIn("warning", output)
        self.environment["CASTOR_BLOCKS"] = str(folder / "build" / "blocks")


def main():
    """main() of a test script with the arguments SCRIPT BUILD [unittest arguments...]."""
    isolate(sys.argv[1])
    del sys.argv[1]
    unittest.main(verbosity=2)
