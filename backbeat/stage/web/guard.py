"""What a live page's server refuses: requests that other sites make a browser send.

A browser runs pages of strangers beside ours. One could point a name of its own at
127.0.0.1 (DNS rebinding): such a request carries that name as its host. Or it could
post to us from its own page: such a request carries another origin.
"""

import hmac
from email.message import Message
from http import HTTPStatus
from urllib.parse import urlsplit

HERE = frozenset({"127.0.0.1", "localhost", "::1"})
ANOTHER = "This page is of another show; load it again."
# A command is some tens of letters.
MOST_BYTES = 4096


class RefusedError(Exception):
    """A request that is not answered.

    Attributes:
        status: HTTP status.
        sentence: why.
    """

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        """Refuses with a status and a sentence."""
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


def check_host(headers: Message) -> None:
    """Refuses a request that was sent to another name than this machine's own.

    Raises:
        RefusedError: it was.
    """
    host = headers.get("Host") or ""
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        name = None
    if name not in HERE:
        raise RefusedError(
            HTTPStatus.FORBIDDEN, "This page is served to 127.0.0.1 alone."
        )


def check_viewer(headers: Message, path: str, token: str) -> None:
    """Refuses a WebSocket that our own page did not ask for.

    Browsers let any page open one to anywhere, and say where that page is from.

    Args:
        headers: of the request.
        path: what is asked for, with the token of the page.
        token: what the page was given.

    Raises:
        RefusedError: another origin, or another token.
    """
    if headers.get("Origin") != f"http://{headers.get('Host')}":
        raise RefusedError(
            HTTPStatus.FORBIDDEN, "The stage is drawn for its own page, no other site."
        )
    given = path.partition("?")[2].encode(errors="replace")
    if not hmac.compare_digest(given, token.encode()):
        raise RefusedError(HTTPStatus.FORBIDDEN, ANOTHER)


def check_token(headers: Message, token: str) -> None:
    """Refuses what was sent by another page than ours, of this show.

    Raises:
        RefusedError: it does not say the token of the show.
    """
    given = (headers.get("X-Backbeat-Token") or "").encode(errors="replace")
    if not hmac.compare_digest(given, token.encode()):
        raise RefusedError(HTTPStatus.FORBIDDEN, ANOTHER)


def check_post(headers: Message) -> int:
    """Refuses a command that our own page did not send; gives its length.

    Raises:
        RefusedError: another origin, no JSON, no length, or too long.
    """
    origin = headers.get("Origin")
    if origin is not None and origin != f"http://{headers.get('Host')}":
        raise RefusedError(
            HTTPStatus.FORBIDDEN, "Commands come from the page itself, no other site."
        )
    kind = (headers.get("Content-Type") or "").partition(";")[0].strip()
    if kind != "application/json":
        raise RefusedError(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "A command is sent as application/json."
        )
    length = headers.get("Content-Length") or ""
    if not (length.isascii() and length.isdigit()):
        raise RefusedError(
            HTTPStatus.LENGTH_REQUIRED, "A command has a Content-Length."
        )
    if len(length) > 9 or int(length) > MOST_BYTES:
        raise RefusedError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"A command has at most {MOST_BYTES} bytes.",
        )
    return int(length)
