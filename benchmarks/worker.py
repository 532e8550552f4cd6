"""Another tool in a process of its own, asked in lines of JSON."""

import json
import os
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from backbeat.models.common.closing import Closing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import find_description, load_description
from backbeat.models.robot.model import RobotModel


class Worker(Closing):
    """A running tool; it inherits the cores that this process may use, on one thread.

    Attributes:
        name: of the tool.
    """

    def __init__(self, name: str, python: Path, script: Path) -> None:
        """Starts the tool's script, which answers each line with a line."""
        self.name = name
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [python, "-I", script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | threads,
            text=True,
        )

    def close(self) -> None:
        """Lets the tool end."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request.

        Raises:
            BackbeatError: the tool ended.
        """
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise BackbeatError(f"{self.name} ended without an answer; see above")
        found: dict[str, Any] = json.loads(answer)
        return found


def bare_urdf(robot: RobotModel) -> str:
    """The URDF without shapes, and with the products of inertia that it leaves out.

    Pinocchio's reader would drop the inertia of a link that leaves them out.
    """
    description = find_description(robot.name)
    tree = ET.parse(description.parent / load_description(description).urdf)
    for link in tree.iter("link"):
        for shape in (*link.findall("visual"), *link.findall("collision")):
            link.remove(shape)
    for inertia in tree.iter("inertia"):
        for product in ("ixy", "ixz", "iyz"):
            inertia.attrib.setdefault(product, "0")
    return ET.tostring(tree.getroot(), encoding="unicode")
