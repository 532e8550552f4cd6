import base64
import json
import re

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.stage.frames.keyframes import Track
from backbeat.stage.web.page import MESSAGE, packed, with_overlay

MESHCAT = (
    "<html><head><title>Drake MeshCat</title></head><body><script>"
    f"fetch('a').then({MESSAGE}); fetch('b').then({MESSAGE});</script></body></html>"
)


def unpacked(motion):
    """Tracks as the page's script reads them."""
    numbers = np.frombuffer(base64.b64decode(motion["blob"]), "<i2")
    widths = {"position": 3, "quaternion": 4, "scale": 3, "visible": 1, "opacity": 1}
    at = 0
    for path, key, count, origin, step in motion["tracks"]:
        frames = numbers[at : at + count].view("<u2")
        at += count
        values = numbers[at : at + count * widths[key]].reshape(count, -1)
        at += count * widths[key]
        yield Track(path, key, frames.astype(int), origin + step * values)
    assert at == len(numbers)


def data(page, identifier):
    pattern = rf'<script type="application/json" id="{identifier}">(.*?)</script>'
    return json.loads(re.search(pattern, page, re.DOTALL).group(1))


def test_packed_tracks_come_back_within_their_rounding():
    rng = np.random.default_rng(3)
    times = np.sort(rng.uniform(-0.5, 60.0, 40_000))
    frames = np.array([0, 7, 39_999])
    tracks = [
        Track("/robot/pelvis", "position", frames, rng.normal(size=(3, 3))),
        Track("/robot/pelvis", "quaternion", frames, rng.normal(size=(3, 4))),
        Track("/forces", "visible", frames, np.array([[0.0], [1.0], [0.0]])),
        Track("/hits/snare", "opacity", frames, np.array([[0.0], [0.9], [0.1]])),
    ]
    motion = json.loads(json.dumps(packed(tracks, times)))
    np.testing.assert_allclose(motion["times"], times, atol=6e-5)
    for there, back in zip(tracks, unpacked(motion), strict=True):
        assert (there.path, there.key) == (back.path, back.key)
        np.testing.assert_array_equal(there.frames, back.frames)
        reach = np.ptp(there.values)
        np.testing.assert_allclose(there.values, back.values, atol=reach / 130_000)
        if there.key == "visible":
            np.testing.assert_array_equal(there.values, back.values)


def test_no_motion_is_an_empty_blob():
    assert packed([], np.array([0.0, 1.0]))["blob"] == ""


def test_more_frames_than_fit_are_refused():
    with pytest.raises(BackbeatError, match="70000 frames"):
        packed([], np.arange(70_000.0))


def test_overlay_comes_last_and_knows_how_many_messages_to_await():
    page = with_overlay(MESHCAT, {"name": "groove"}, {"tracks": []})
    assert data(page, "backbeat-info") == {"name": "groove", "messages": 2}
    assert data(page, "backbeat-motion") == {"tracks": []}
    assert "<title>groove – Backbeat</title>" in page
    assert page.rstrip().endswith("</script>\n</body></html>")


def test_nothing_in_a_name_gets_out_of_its_place():
    name = "</script><script>alert(1)</script>&"
    page = with_overlay(MESHCAT, {"name": name})
    assert "alert(1)</script>" not in page
    assert data(page, "backbeat-info")["name"] == name
    assert "<title>&lt;/script&gt;" in page


def test_a_page_that_is_not_meshcats_is_noticed():
    with pytest.raises(RuntimeError, match="no </body>"):
        with_overlay("<html>", {"name": "x"})
