"""Makes a view of the system's include folders without CUDA's libraries, whatever packages are installed."""

import fnmatch
import os
import pathlib

#: Entries of an include folder that come with CUDA's libraries and toolkits. Debian's libthrust-dev, libcub-dev and
#: nvidia-cuda-dev put some of them where every compiler looks.
LIBRARIES = (
    "thrust",
    "cub",
    "cuda",
    "cute",
    "cutlass",
    "nv",
    "crt",
    "mma.h",
    "npp*",
    "nccl*",
    "cooperative_groups*",
    "cublas*",
    "cuda*",
    "cudnn*",
    "cufft*",
    "cupti*",
    "curand*",
    "cusolver*",
    "cusparse*",
    "cutensor*",
    "nvblas*",
    "nvgraph*",
    "nvidia*",
    "nvjpeg*",
    "nvml*",
    "nvrtc*",
    "nvvm*",
)

#: Variables that give compilers further folders and options.
VARIABLES = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS")


def make(folder):
    """Makes a root of links to the system in the empty `folder`. Its /usr/include lacks LIBRARIES, and it has no
    /usr/local. Returns the environment in which clang takes its headers and libraries from there."""
    root = pathlib.Path(folder).resolve()
    if " " in str(root):  # clang splits the variable at blanks
        raise ValueError(f"'{root}' has a blank")
    for name in ("lib", "lib32", "lib64", "libx32"):
        if pathlib.Path("/", name).exists():
            (root / name).symlink_to(pathlib.Path("/", name))
    (root / "usr").mkdir()
    for entry in pathlib.Path("/usr").iterdir():
        if entry.name not in ("include", "local"):
            (root / "usr" / entry.name).symlink_to(entry)
    link_headers(pathlib.Path("/usr/include"), root / "usr" / "include")
    # clang finds the C++ headers through lib/gcc/.../../../../../include, sometimes without following the link lib.
    (root / "include").symlink_to(root / "usr" / "include")
    environment = {name: value for name, value in os.environ.items() if name not in VARIABLES}
    return environment | {"CCC_OVERRIDE_OPTIONS": f"# ^--sysroot={root}"}


def link_headers(source, target):
    target.mkdir()
    for entry in source.iterdir():
        if any(fnmatch.fnmatch(entry.name, pattern) for pattern in LIBRARIES):
            continue
        if entry.is_dir() and entry.name.endswith("-linux-gnu"):
            link_headers(entry, target / entry.name)
        else:
            (target / entry.name).symlink_to(entry)
