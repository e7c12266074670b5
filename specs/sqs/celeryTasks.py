"""Tasks of a celery worker; BROKER is the door, and each call of a task is a line of the file OUTPUT."""
import os

from celery import Celery

app = Celery("tasks", broker=os.environ["BROKER"])
app.conf.update(
    broker_transport_options={"region": "us-east-1", "is_secure": False, "wait_time_seconds": 2},
    task_acks_late=True,
    worker_prefetch_multiplier=1,
)


@app.task(bind=True, max_retries=3)
def record(self, name, failures=0):
    with open(os.environ["OUTPUT"], "a") as output:
        output.write(f"{name} {self.request.retries}\n")
    if self.request.retries < failures:
        raise self.retry(countdown=1)
