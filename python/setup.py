"""Remembers the checkout that the package is installed from, so that it is found without FMHA950_HOME."""

import pathlib

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithCheckout(build_py):
    def run(self):
        super().run()
        checkout = pathlib.Path(__file__).resolve().parent.parent
        if (checkout / "fmha950").is_file() and not self.editable_mode:
            (pathlib.Path(self.build_lib) / "fmha950" / "checkout.txt").write_text(f"{checkout}\n", encoding="utf-8")


setup(cmdclass={"build_py": BuildWithCheckout})
