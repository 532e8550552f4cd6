"""All readers of data from outside."""

from tests.fuzz import (
    behavior_files,
    connections,
    music_files,
    result_files,
    robot_files,
    setting_files,
    skeleton_files,
    take_files,
)

READERS = {
    reader.name: reader
    for group in (
        behavior_files,
        take_files,
        skeleton_files,
        music_files,
        setting_files,
        robot_files,
        result_files,
        connections,
    )
    for reader in group.READERS
}
