"""The Celery application that the tests and their workers share.

Where its queues and its results are comes from the environment, as JSON in ``SETTINGS``, since a
worker is a process of its own.
"""

import json
import os

import celery

SETTINGS = json.loads(os.environ.get("SETTINGS", "{}"))


def make(settings):
    """An application with these settings of Celery."""
    app = celery.Celery("conformance")
    app.conf.update(
        # The control of workers by broadcast needs what SQS does not have.
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        # A broker that cannot be reached is to be seen at once.
        broker_connection_retry_on_startup=False,
        **settings,
    )
    return app


app = make(SETTINGS)


@app.task(name="add")
def add(a, b):
    return a + b


@app.task(name="note")
def note(path, line):
    """Writes a line into a file, so that a test sees in which order tasks ran."""
    with open(path, "a", encoding="utf-8") as file:
        file.write(f"{line}\n")


@app.task(name="stumble", bind=True, max_retries=2)
def stumble(self):
    """Fails once; its second run says how many times it was tried again."""
    if self.request.retries == 0:
        raise self.retry(countdown=0)
    return self.request.retries
