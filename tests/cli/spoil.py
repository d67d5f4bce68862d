"""A plugin of the AWS CLI that spoils requests as an attacker or a wrong clock would.

``SPOIL=body`` changes the body of a signed request, ``SPOIL=past`` and ``SPOIL=future`` sign
with a clock that is 16 minutes off.
"""

import datetime
import os

import signing_clock


def awscli_initialize(cli):
    """What the CLI calls when it loads the plugin."""
    spoil = os.environ["SPOIL"]
    if spoil == "body":
        cli.register("before-send.sqs", change_body)
    else:
        minutes = {"past": -16, "future": 16}[spoil]
        now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(minutes=minutes)
        signing_clock.set_to(now.replace(tzinfo=None))


def change_body(request, **_):
    """Replaces as many bytes as there were, so that only the signature can tell."""
    # A form is text here, and JSON is bytes.
    body = request.body if isinstance(request.body, bytes) else request.body.encode()
    assert b"alice" in body
    request.body = body.replace(b"alice", b"mallo")
