"""What README shows in Python runs as it stands there."""

import pathlib
import re

README = pathlib.Path(__file__).parents[2] / "README.md"


def test_the_python_examples_run(server, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    assert blocks, "README.md has an example in Python"
    for block in blocks:
        assert "http://127.0.0.1:9324" in block
        exec(block.replace("http://127.0.0.1:9324", server.endpoint_url), {})
    assert "hello" in capsys.readouterr().out
