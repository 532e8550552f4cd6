"""The command within this process."""

from tests.backbeat.conftest import backbeat

__all__ = ["backbeat"]
