#!/usr/bin/env python3
"""Programs of sw/kernels/barriers with as many thread blocks as fit, and with one more.

  barrier_thresholds_test.py FOLDER_OF_PROGRAMS [unittest arguments...]

A barrier in software with one thread block too many never completes: both machines must report a spinning deadlock. The
cooperative launch must be refused; systems without a barrier inside a kernel must pass.
"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
from command_case import CommandCase  # noqa: E402

PROGRAMS = None
TINY_FITS = 4  # thread blocks of 256 threads on machine tiny: 2 SMs of 512 threads
LIU_FITS = 104  # the same on maxwell_liu13: 13 SMs of 2048 threads


class Thresholds(CommandCase):
    @staticmethod
    def settings_of(machine, functional):
        return {"CASTOR_PLATFORM": machine, "CASTOR_SET": f"run.functional={functional};watchdog.cycles=100000"}

    def stencil(self, machine, system, blocks, functional):
        """Runs a stencil of `blocks` thread blocks, all but the last of which have points in all threads."""
        command = [PROGRAMS / "barriers_stencil", system, "--width", 16 * blocks - 3, "--height", 16]
        return self.run_command(
            command + ["--inner", 2, "--rounds", 1],
            self.settings_of(machine, functional),
        )

    def bfs(self, system, blocks, functional):
        command = [PROGRAMS / "barriers_bfs", system, "citation", "--block", 256, "--nodes", 256 * blocks - 7]
        return self.run_command(command, self.settings_of("tiny", functional))

    def assert_passes(self, done):
        self.assertEqual((done.returncode, done.stdout[:5]), (0, "PASS "), done.stderr)

    def assert_deadlock(self, done, kernel, functional):
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("castor: spinning deadlock", done.stderr)
        self.assertRegex(done.stderr, rf"{kernel}<kernels::(Atomic|Flag)Barrier")
        self.assertIn("cudaErrorLaunchTimeout", done.stderr)
        if not functional:
            self.assertIn("1 TBs not placed", done.stderr)

    def assert_refused(self, done, blocks, fits):
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(f"its {blocks} blocks must be resident at once; this machine has room for {fits}", done.stderr)
        self.assertIn("cudaErrorCooperativeLaunchTooLarge", done.stderr)

    def test_stencil(self):
        for functional in (0, 1):
            for system in ("atomic", "flags"):
                with self.subTest(system=system, functional=functional):
                    self.assert_passes(self.stencil("tiny", system, TINY_FITS, functional))
                    self.assert_deadlock(
                        self.stencil("tiny", system, TINY_FITS + 1, functional), "iterations", functional
                    )
            self.assert_passes(self.stencil("tiny", "barrier", TINY_FITS, functional))
            self.assert_refused(self.stencil("tiny", "barrier", TINY_FITS + 1, functional), TINY_FITS + 1, TINY_FITS)
            for system in ("relaunch", "relaunch_sync", "neighbor", "interleave", "dp"):
                with self.subTest(system=system, functional=functional):
                    self.assert_passes(self.stencil("tiny", system, 3 * TINY_FITS + 1, functional))

    def test_machine_of_the_study(self):
        self.assert_passes(self.stencil("maxwell_liu13", "flags", LIU_FITS, 0))
        self.assert_deadlock(self.stencil("maxwell_liu13", "atomic", LIU_FITS + 1, 0), "iterations", 0)
        self.assert_refused(self.stencil("maxwell_liu13", "barrier", LIU_FITS + 1, 0), LIU_FITS + 1, LIU_FITS)

    def test_search(self):
        for functional in (0, 1):
            for system in ("atomic", "flags"):
                with self.subTest(system=system, functional=functional):
                    self.assert_passes(self.bfs(system, TINY_FITS, functional))
                    self.assert_deadlock(self.bfs(system, TINY_FITS + 1, functional), "levels", functional)
            self.assert_passes(self.bfs("barrier", TINY_FITS, functional))
            self.assert_refused(self.bfs("barrier", TINY_FITS + 1, functional), TINY_FITS + 1, TINY_FITS)
            for system in ("relaunch", "dp"):
                self.assert_passes(self.bfs(system, 2 * TINY_FITS + 1, functional))


if __name__ == "__main__":
    PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
