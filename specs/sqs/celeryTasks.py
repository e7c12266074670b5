"""Tasks of a celery worker, which begins as README.md says; each call of a task is a line of the file OUTPUT."""
import os
import time

app.conf.broker_transport_options.update(wait_time_seconds=2, visibility_timeout=4)
app.conf.worker_prefetch_multiplier = 1
app.conf.task_default_queue = os.environ["QUEUE"]


def say(line):
    with open(os.environ["OUTPUT"], "a") as output:
        output.write(f"{line}\n")


@app.task(bind=True, max_retries=3, name="record")
def record(self, name, failures=0):
    say(f"{name} {self.request.retries}")
    if self.request.retries < failures:
        raise self.retry(countdown=1)


@app.task(name="hang")
def hang():
    """The first worker that has it never ends it."""
    if os.path.exists(os.environ["OUTPUT"] + ".hung"):
        say("done after all")
        return
    open(os.environ["OUTPUT"] + ".hung", "w").close()
    time.sleep(3600)
