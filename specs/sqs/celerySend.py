"""Sends tasks to the worker: plain ones, one that fails twice, one that is not due yet, one in which its worker dies."""
from celeryTasks import hang, record

for name in "abc":
    record.delay(name)
record.delay("retried", 2)
record.apply_async(("later",), countdown=2)
hang.delay()
