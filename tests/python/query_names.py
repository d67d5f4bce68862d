#!/usr/bin/env python3
"""The names of SQS's Query protocol, as the service model in an old botocore has them.

    query_names.py            prints them
    query_names.py FILE       exits 1 unless FILE lists the same, and says what differs

botocore carried that model until 1.31; a newer one has the JSON protocol's and is refused.
A line is a member: the shape and the member as sqs/src/shapes calls them, then how it travels
(list or map) and its names on the wire. A plain member that keeps its name has the first alone.
"""

import difflib
import sys

import botocore.session

# What sqs/src/shapes has and this model had not.
YOUNGER = ["ReceiveMessageInput.MessageSystemAttributeNames list MessageSystemAttributeName"]


def main():
    model = botocore.session.get_session().get_service_model("sqs")
    if model.metadata["protocol"] != "query":
        sys.exit(f"botocore {botocore.__version__} has the model of another protocol: take 1.29.165")
    lines = set(YOUNGER)
    for operation in map(model.operation_model, model.operation_names):
        add(lines, operation.input_shape, f"{operation.name}Input")
        if operation.output_shape is not None:
            add(lines, operation.output_shape, f"{operation.name}Output")
    lines = sorted(lines)
    if len(sys.argv) == 1:
        print("\n".join(lines))
        return
    with open(sys.argv[1], encoding="utf-8") as file:
        listed = [line for line in file.read().splitlines() if not line.startswith("#")]
    difference = list(difflib.unified_diff(listed, lines, sys.argv[1], "botocore", lineterm=""))
    if difference:
        sys.exit("\n".join(difference))
    print(f"{len(lines)} names are those of botocore {botocore.__version__}")


def add(lines, shape, name):
    """Adds the members of a structure, and of those that it leads to."""
    for member, of in shape.members.items():
        wire = of.serialization.get("name", member)
        if of.type_name == "list":
            assert of.serialization.get("flattened"), (name, member)
            wire = of.member.serialization.get("name", wire)
            line = f"{name}.{member} list {wire}"
            inner = of.member
        elif of.type_name == "map":
            assert of.serialization.get("flattened"), (name, member)
            key = of.key.serialization.get("name", "key")
            value = of.value.serialization.get("name", "value")
            line = f"{name}.{member} map {wire} {key} {value}"
            inner = of.value
        else:
            line = f"{name}.{member}" if wire == member else f"{name}.{member} plain {wire}"
            inner = of
        lines.add(line)
        if inner.type_name == "structure":
            add(lines, inner, inner.name)


if __name__ == "__main__":
    main()
