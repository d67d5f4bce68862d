#!/usr/bin/env python3
"""Answers the runner's cases with botocore's signatures.

    cargo run -p test-vectors -- --signer 'python3 test-vectors/signers/botocore_signer.py'

A case a line on standard input, an answer a line on standard output; the README of test-vectors
describes both, and lists the cases in which botocore differs.

Tested with botocore 1.43.
"""

import datetime
import hashlib
import json
import sys
from unittest import mock

import botocore.auth
import botocore.awsrequest
import botocore.credentials


class Recording:
    """Keeps the two texts that botocore otherwise writes to its debug log."""

    def string_to_sign(self, request, canonical_request):
        text = super().string_to_sign(request, canonical_request)
        self.stages = {"canonical_request": canonical_request, "string_to_sign": text}
        return text


class BodyStays:
    """botocore moves the body of a presigned request into the query, as the Query protocol has it."""

    def _modify_request_before_signing(self, request):
        body, request.data = request.data, b""
        super()._modify_request_before_signing(request)
        request.data = body


class HeaderAuth(Recording, botocore.auth.SigV4Auth):
    pass


class S3HeaderAuth(Recording, botocore.auth.S3SigV4Auth):
    pass


class QueryAuth(Recording, BodyStays, botocore.auth.SigV4QueryAuth):
    pass


class S3QueryAuth(Recording, botocore.auth.S3SigV4QueryAuth):
    pass


def raw(value):
    """Text, or bytes that are none."""
    return value.encode() if isinstance(value, str) else bytes.fromhex(value["hex"])


def sign(case):
    settings, given = case["settings"], case["credentials"]
    if settings["algorithm"] != "sigv4":
        raise ValueError("botocore signs by SigV4a only with awscrt")
    credentials = botocore.credentials.Credentials(
        given["access_key_id"], given["secret_access_key"], given.get("session_token")
    )
    arguments = [credentials, case["service"], case["region"]]
    is_s3 = settings["path_encoding"] == "single"
    if settings["form"] == "header":
        auth = (S3HeaderAuth if is_s3 else HeaderAuth)(*arguments)
    else:
        arguments.append(settings["expires_in_seconds"])
        auth = (S3QueryAuth if is_s3 else QueryAuth)(*arguments)

    headers = [(name, raw(value).decode()) for name, value in case["headers"]]
    host = next(value for name, value in headers if name.lower() == "host")
    request = botocore.awsrequest.AWSRequest(
        method=case["method"],
        url=f"https://{host}{raw(case['target']).decode()}",
        data=raw(case["body"]),
    )
    for name, value in headers:
        request.headers.add_header(name, value)
    if settings["form"] == "header" and settings["content_sha256"] == "add" and not is_s3:
        # botocore adds this header for S3 only, and signs it for whoever set it.
        request.headers["X-Amz-Content-SHA256"] = hashlib.sha256(raw(case["body"])).hexdigest()
    now = datetime.datetime.strptime(case["timestamp"], "%Y-%m-%dT%H:%M:%SZ")
    with mock.patch("botocore.auth.get_current_datetime", lambda *_: now):
        auth.add_auth(request)

    if settings["form"] == "header":
        return {"authorization": request.headers["Authorization"], **auth.stages}
    return {"query": request.url.partition("?")[2], **auth.stages}


def main():
    for line in sys.stdin:
        try:
            answer = sign(json.loads(line))
        except Exception as error:  # Whatever it is, it is the answer to this case.
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
