"""The files under examples/ that no test can run: no container engine is needed here, so they are
read and held to what they promise, and not built."""

import os
import pathlib
import re
import shlex
import subprocess

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
INSTRUCTIONS = {"FROM", "RUN", "WORKDIR", "COPY", "USER", "ENV", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT"}


def instructions():
    """The instructions of the Dockerfile, each with what follows it."""
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    lines = [line for line in lines if line and not line.startswith("#")]
    pairs = [line.split(" ", 1) for line in lines]
    assert {name for name, _ in pairs} <= INSTRUCTIONS
    return pairs


def test_the_image_is_two_stages_of_which_the_last_holds_the_binary_alone():
    found = instructions()
    stages = [rest for name, rest in found if name == "FROM"]
    assert len(stages) == 2
    assert re.fullmatch(r"rust:[\d.]+-alpine AS build", stages[0])
    assert stages[1] == "scratch"
    rust = re.search(r'^rust-version = "([\d.]+)"', (ROOT / "Cargo.toml").read_text(), re.M)[1]
    assert stages[0].startswith(f"rust:{rust}-")
    last = found[[name for name, _ in found].index("FROM", 1) :]
    # There is no shell, so nothing may be run, and commands must be lists.
    assert not [rest for name, rest in last if name == "RUN"]
    commands = dict(last)
    assert commands["ENTRYPOINT"] == '["/fake-sqs"]'
    assert commands["HEALTHCHECK"].endswith('CMD ["/fake-sqs", "health"]')
    assert shlex.split(commands["ENV"]) == ["FAKE_SQS_LISTEN=0.0.0.0:9324"]
    assert [rest.split()[-2:] for name, rest in last if name == "COPY"] == [
        ["/src/target/release/fake-sqs", "/fake-sqs"],
        ["/data", "/data"],
    ]


def test_the_compose_file_names_what_there_is():
    folder = ROOT / "examples/docker"
    services = yaml.safe_load((folder / "compose.yaml").read_text())["services"]
    sqs, app = services["sqs"], services["app"]
    assert (folder / sqs["build"]["context"] / "Dockerfile").is_file()
    source, target, mode = sqs["volumes"][0].split(":")
    assert (folder / source).is_file() and mode == "ro"
    assert sqs["environment"]["FAKE_SQS_CONFIG"] == target
    state, data = sqs["volumes"][1].split(":")
    assert state in yaml.safe_load((folder / "compose.yaml").read_text())["volumes"]
    assert sqs["environment"]["FAKE_SQS_DATA_DIR"] == data == "/data"
    assert app["depends_on"] == {"sqs": {"condition": "service_healthy"}}
    help_text = subprocess.run(
        [os.environ["FAKE_SQS_BIN"], "--help"], capture_output=True, text=True, check=True
    ).stdout
    for variable in sqs["environment"]:
        assert variable in help_text


def test_the_configuration_file_is_right():
    file = ROOT / "examples/docker/fake-sqs.toml"
    checked = subprocess.run(
        [os.environ["FAKE_SQS_BIN"], "check", str(file)], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr


def test_the_workflow_is_one():
    workflow = yaml.safe_load((ROOT / "examples/github-actions/test.yaml").read_text())
    job = workflow["jobs"]["test"]
    assert job["services"]["sqs"]["ports"] == ["9324:9324"]
    assert job["env"]["AWS_ENDPOINT_URL_SQS"] == "http://localhost:9324"
    # The image has no shell, which a health command here would need.
    assert "--health-cmd" not in job["services"]["sqs"]["options"]
