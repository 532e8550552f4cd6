import json
from http.client import HTTPConnection

import pytest

from backbeat.stage.live.server import MOST_WAITING
from backbeat.stage.live.show import LiveShow
from backbeat.stage.sources.kinds import PlannedSource
from backbeat.stage.web.commands import PLAYING, Command
from backbeat.stage.web.guard import MOST_BYTES
from tests.backbeat.performances import drumming, swaying

JSON = {"Content-Type": "application/json"}
PLAY = '{"do": "play", "value": true}'


@pytest.fixture(scope="module")
def show():
    show = LiveShow(PlannedSource(swaying(1.0)), None, PLAYING, is_both=True)
    yield show
    show.close()


def call(show, method="POST", path="/command", body=PLAY, **headers):
    """Status and text of an answer."""
    connection = HTTPConnection("127.0.0.1", show.port, timeout=10)
    try:
        names = {key.replace("_", "-"): value for key, value in headers.items()}
        connection.request(method, path, body, {**JSON, **names})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_a_command_of_the_page_is_heard_once(show):
    assert call(show, Origin=f"http://127.0.0.1:{show.port}") == (200, "{}")
    assert call(show, body='{"do": "seek", "value": 2}')[0] == 200
    assert show.commands() == [Command("play", True), Command("seek", 2.0)]
    assert show.commands() == []


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example:7000"}, 403),
        ({"Host": "[::1"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Length": str(MOST_BYTES + 1)}, 413),
        ({"Content_Length": "9" * 400}, 413),
        ({"Content_Length": "-1"}, 411),
        ({"Content_Length": "²"}, 411),
    ],
)
def test_what_other_sites_could_send_is_refused(show, headers, status):
    if any(not value.isascii() for value in headers.values()):
        headers = {key: v.encode().decode("latin-1") for key, v in headers.items()}
    found, text = call(show, **headers)
    assert found == status
    assert text.endswith(".")
    assert show.commands() == []


def test_other_names_of_this_machine_are_not_shown_the_page(show):
    assert call(show, "GET", "/state", None, Host="evil.example")[0] == 403
    assert call(show, "GET", "/state", None, Host="localhost:1234")[0] == 200


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("", "a command is"),
        ("[]", "a command is"),
        ('{"do": "play", "value": true, "more": 1}', "a command is"),
        ("[" * 4000, "a command is"),
        ('{"do": "pley"}', "did you mean play"),
        ('{"do": 3}', "unknown command '3'"),
        ('{"do": "play", "value": 1}', "play takes true or false, not 1"),
        ('{"do": "seek", "value": true}', "seek takes a number"),
        ('{"do": "seek", "value": NaN}', "seek takes a number"),
        ('{"do": "seek", "value": 1e999}', "seek takes a number"),
        ('{"do": "speed", "value": 0}', "from 0.05 to 4"),
        ('{"do": "mode", "value": "both"}', "one of planned, simulated"),
        ('{"do": "choose", "value": ""}', "a name"),
    ],
)
def test_a_wrong_command_is_answered_by_one_sentence(show, body, sentence):
    status, text = call(show, body=body)
    assert status == 400
    assert sentence in text
    assert text.count("\n") == 0
    assert show.commands() == []


def test_a_flood_of_commands_is_dammed(show):
    body = '{"do": "step", "value": 1}'
    answers = [call(show, body=body)[0] for _ in range(MOST_WAITING + 1)]
    assert answers == [200] * MOST_WAITING + [429]
    assert len(show.commands()) == MOST_WAITING


def test_a_page_that_asks_before_anything_is_drawn_need_not_load_itself_anew(show):
    state, info = (
        json.loads(call(show, "GET", where, None)[1]) for where in ("/state", "/info")
    )
    assert (state["world"], state["edition"]) == (info["world"], info["edition"])


def test_another_robot_gets_a_stage_of_its_own_on_the_same_page(show):
    def told(path):
        return json.loads(call(show, "GET", path, None)[1])

    url, world = show.url, told("/info")["world"]
    take = PlannedSource(drumming(True, 1.0))
    show.put(take)
    show.draw(take.frame_at(0.0), 0.0)
    assert show.url == url
    assert told("/info")["name"] == "drums"
    assert told("/state")["world"] == told("/info")["world"] == world + 1
    assert "<title>drums – Backbeat</title>" in call(show, "GET", "/", None)[1]
