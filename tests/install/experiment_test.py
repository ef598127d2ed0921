#!/usr/bin/env python3
"""castor experiment from an installed package: its programs are compiled from the sources that come with it, and the
Python package and the saved views are there.

  experiment_test.py BUILD [unittest arguments...]
"""

import csv

from package import PackageCase, main

ONE = ("--schedulers", "4", "--policy", "GTO", "--policy", "LRR", "--size", "small", "--seeds", "1", "--quiet")


class Experiment(PackageCase):
    def test_an_experiment_compiles_its_programs(self):
        words = ("castor", "experiment", "saws", "--program", "vector_add", "--program", "reduction", *ONE)
        self.assertIn("compiling (once): vector_add reduction\n", self.run_in(self.folder, *words))
        rows = list(csv.DictReader((self.folder / "castor-saws" / "results.csv").open()))
        self.assertEqual(len(rows), 4)
        self.assertTrue(all(int(row["cycles"]) > 1000 for row in rows))
        self.assertEqual(self.run_in(self.folder, *words, "--fresh"), "")

    def test_every_program_of_an_experiment_has_its_source(self):
        listed = self.run_in(self.folder, "castor", "experiment", "saws", "--program", "none", expect=2)
        names = listed.partition("known are ")[2].rstrip(")\n ").split(", ")
        self.assertGreater(len(names), 20)
        sources = self.prefix / "share" / "castor" / "kernels"
        self.assertEqual([name for name in names if not (sources / f"{name}.cu").exists()], [])
        self.assertTrue((sources / "job_mix" / "job_mix.cu").exists())

    def test_the_python_package_reads_the_results(self):
        self.run_in(self.folder, "castor", "experiment", "saws", "--program", "vector_add", *ONE)
        path = f"{self.prefix}/share/castor/python"
        script = "import castor; print(len(castor.experiment('castor-saws/results.csv')))"
        python = "/usr/bin/python3"
        said = self.run_in(self.folder, python, "-B", "-c", script, PYTHONPATH=path)
        self.assertEqual(said, "2\n")
        look = self.prefix / "share/castor/examples/python/look.py"
        self.run_in(self.folder, python, "-B", look, "--experiment", "castor-saws", PYTHONPATH=path, MPLBACKEND="svg")
        self.assertTrue((self.folder / "pictures/speedups.svg").exists())

    def test_saved_views_are_there(self):
        views = {path.name for path in (self.prefix / "share/castor/waveforms").iterdir()}
        self.assertLessEqual({"gpu.gtkw", "lax.gtkw", "saws.gtkw"}, views)
        self.run_in(self.folder, "castor", "cosim", "saws", "--cycles", 20, "--wave", "w.vcd")
        self.assertEqual(
            (self.folder / "w.gtkw").read_text(), (self.prefix / "share/castor/waveforms/saws.gtkw").read_text()
        )


if __name__ == "__main__":
    main()
