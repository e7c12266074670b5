"""Sends tasks to the worker: three plain ones, one that fails twice, one that is not due yet."""
from celeryTasks import record

for name in "abc":
    record.delay(name)
record.delay("retried", 2)
record.apply_async(("later",), countdown=2)
