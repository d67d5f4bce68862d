"""Sets the clock that botocore signs with, which old and new releases read in different ways."""

import datetime
import types

import botocore.auth


def set_to(moment, patch=setattr):
    """From now on everything is signed at ``moment``, in UTC and without a time zone.

    ``patch`` sets an attribute, as pytest's ``monkeypatch.setattr`` does, which takes it back.
    """
    if hasattr(botocore.auth, "get_current_datetime"):
        patch(botocore.auth, "get_current_datetime", lambda *_: moment)
        return

    class Stopped(datetime.datetime):
        @classmethod
        def utcnow(cls):
            return moment

    # A copy of the module for botocore alone.
    module = types.SimpleNamespace(**{**vars(datetime), "datetime": Stopped})
    patch(botocore.auth, "datetime", module)
