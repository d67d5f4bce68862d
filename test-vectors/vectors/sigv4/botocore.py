#!/usr/bin/env python3
"""Signs the vectors of this folder with botocore.

    python3 botocore.py           writes what botocore computes into the files
    python3 botocore.py --check   writes nothing; exits 1 where a file says something else

The inputs of a case (context, settings, request) are written by hand, the `header` and `query`
members are botocore's. In `aws-examples.json` they are AWS's own published figures, so that file
is only ever compared, never written. README.md describes the format.

Tested with botocore 1.43.
"""

import argparse
import copy
import datetime
import json
import pathlib
import sys
from unittest import mock

# The folder of a script comes first on the module path, and this script is called what it imports.
FOLDER = pathlib.Path(__file__).resolve().parent
sys.path[:] = [entry for entry in sys.path if pathlib.Path(entry or ".").resolve() != FOLDER]

import botocore.auth  # noqa: E402
import botocore.awsrequest  # noqa: E402
import botocore.credentials  # noqa: E402

PUBLISHED = "aws-examples.json"


class Recording:
    """Keeps the two texts that botocore otherwise writes to its debug log."""

    def string_to_sign(self, request, canonical_request):
        text = super().string_to_sign(request, canonical_request)
        self.stages = {
            "canonical_request": canonical_request.split("\n"),
            "string_to_sign": text.split("\n"),
        }
        return text

    def signature(self, string_to_sign, request):
        signature = super().signature(string_to_sign, request)
        self.stages["signature"] = signature
        return signature


class BodyStays:
    """botocore moves the body of a presigned request into the query, which suits the Query protocol
    only: a presigned POST of JSON keeps its body, and its hash is signed."""

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


def aws_request(case):
    """The request of a case, as botocore takes it: the Host header becomes part of the URL too."""
    request = case["request"]
    given = [header.split(":", 1) for header in request["headers"]]
    host = next(value for name, value in given if name.lower() == "host")
    result = botocore.awsrequest.AWSRequest(
        method=request["method"],
        url=f"https://{host}{request['target']}",
        data=request.get("body", "").encode(),
    )
    for name, value in given:
        result.headers.add_header(name, value)
    return result


def signed(case, form):
    """Every stage of one form of a case."""
    context = case["context"]
    credentials = botocore.credentials.Credentials(
        context["access_key_id"], context["secret_access_key"], context.get("session_token")
    )
    arguments = [credentials, context["service"], context["region"]]
    is_s3 = case.get("settings", {}).get("path_encoding") == "single"
    if form == "header":
        auth = (S3HeaderAuth if is_s3 else HeaderAuth)(*arguments)
    else:
        arguments.append(context["expires_in_seconds"])
        auth = (S3QueryAuth if is_s3 else QueryAuth)(*arguments)

    request = aws_request(case)
    given = set(request.headers.keys())
    now = datetime.datetime.strptime(context["timestamp"], "%Y-%m-%dT%H:%M:%SZ")
    with mock.patch("botocore.auth.get_current_datetime", lambda *_: now):
        auth.add_auth(request)

    result = dict(auth.stages)
    if form == "header":
        result["added_headers"] = [
            f"{name}:{value}" for name, value in request.headers.items() if name not in given
        ]
    else:
        result["signed_target"] = "/" + request.url.split("/", 3)[3]
    return result


def differences(case, form, computed):
    """What the file says of one form that botocore does not."""
    for member, said in case[form].items():
        if member == "signed_target":
            same = parameters(said) == parameters(computed[member])
        elif member == "added_headers":
            same = headers(said) == headers(computed[member])
        else:
            same = said == computed[member]
        if not same:
            yield f"{case['name']}: {form}.{member}\n  file     {said}\n  botocore {computed[member]}"


def parameters(target):
    """The order of query parameters is not part of a signature."""
    path, _, query = target.partition("?")
    return path, sorted(query.split("&"))


def headers(lines):
    """Neither is the order of headers, or the case of their names."""
    split = [line.split(":", 1) for line in lines]
    return sorted((name.lower(), value) for name, value in split)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--check", action="store_true", help="compare, write nothing")
    check = arguments.parse_args().check

    count, agreed = 0, 0
    for path in sorted(FOLDER.glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        for case in document["cases"]:
            if "not_botocore" in case:
                print(f"skipped: {case['name']} because {case['not_botocore']}")
                continue
            for form in ("header", "query"):
                if form not in case:
                    continue
                count += 1
                computed = signed(copy.deepcopy(case), form)
                if not check and path.name != PUBLISHED:
                    case[form] = computed
                wrong = list(differences(case, form, computed))
                agreed += not wrong
                for difference in wrong:
                    print(difference)
        if not check and path.name != PUBLISHED:
            text = json.dumps(document, indent=2, ensure_ascii=False)
            path.write_text(text + "\n", encoding="utf-8")

    print(f"botocore {botocore.__version__}: {agreed} of {count} signatures agree")
    sys.exit(0 if agreed == count > 0 else 1)


if __name__ == "__main__":
    main()
