"""The MD5 digests of SQS, written from Amazon's description of the algorithm.

boto3 checks none of them, so the tests do:
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html#sqs-attributes-md5-message-digest-calculation
"""

import hashlib
import struct


def of_body(body):
    return hashlib.md5(body.encode()).hexdigest()


def of_attributes(attributes):
    digest = hashlib.md5()
    for name in sorted(attributes, key=str.encode):
        attribute = attributes[name]
        data_type = attribute["DataType"]
        binary = data_type.split(".")[0] == "Binary"
        value = attribute["BinaryValue"] if binary else attribute["StringValue"].encode()
        digest.update(_with_length(name.encode()))
        digest.update(_with_length(data_type.encode()))
        digest.update(b"\x02" if binary else b"\x01")
        digest.update(_with_length(value))
    return digest.hexdigest()


def _with_length(data):
    return struct.pack(">I", len(data)) + data
