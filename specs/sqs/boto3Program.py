"""What a program with boto3 does, by client and by resource. Follows the start in README.md, whose client is `sqs`. Fails by an exception."""
import sys

import botocore

url = sys.argv[1]
client = sqs
done = set()
client.meta.events.register("before-call.sqs", lambda model, **_: done.add(model.name))
body = 'Grüße, 世界 🌍 & <b> "x"\r\n'

queue = client.create_queue(QueueName="boto", Attributes={"VisibilityTimeout": "45"}, tags={"team": "shop"})["QueueUrl"]
sent = client.send_message(
    QueueUrl=queue,
    MessageBody=body,
    MessageAttributes={
        "seal": {"DataType": "Binary", "BinaryValue": b"\x00\xff\x07"},
        "size": {"DataType": "Number", "StringValue": "17"},
    },
)
batch = client.send_message_batch(
    QueueUrl=queue,
    Entries=[{"Id": "a", "MessageBody": "one"}, {"Id": "b", "MessageBody": "two", "DelaySeconds": 901}],
)
assert [each["Id"] for each in batch["Successful"]] == ["a"], batch
assert batch["Failed"][0]["Code"] == "InvalidParameterValue", batch

messages = client.receive_message(
    QueueUrl=queue, MaxNumberOfMessages=10, AttributeNames=["All"], MessageAttributeNames=["All"]
)["Messages"]
assert [each["Body"] for each in messages] == [body, "one"], messages
assert messages[0]["MessageId"] == sent["MessageId"]
assert messages[0]["Attributes"]["ApproximateReceiveCount"] == "1"
assert messages[0]["MessageAttributes"]["seal"]["BinaryValue"] == b"\x00\xff\x07"
assert messages[0]["MD5OfMessageAttributes"] == sent["MD5OfMessageAttributes"]
assert "Messages" not in client.receive_message(QueueUrl=queue)

first, second = [each["ReceiptHandle"] for each in messages]
client.change_message_visibility(QueueUrl=queue, ReceiptHandle=first, VisibilityTimeout=0)
(again,) = client.receive_message(QueueUrl=queue, AttributeNames=["ApproximateReceiveCount"])["Messages"]
assert again["Attributes"] == {"ApproximateReceiveCount": "2"}, again
changed = client.change_message_visibility_batch(
    QueueUrl=queue,
    Entries=[{"Id": "1", "ReceiptHandle": second, "VisibilityTimeout": 60}, {"Id": "2", "ReceiptHandle": "junk"}],
)
assert changed["Successful"] == [{"Id": "1"}] and changed["Failed"][0]["Code"] == "ReceiptHandleIsInvalid", changed
deleted = client.delete_message_batch(
    QueueUrl=queue,
    Entries=[{"Id": "1", "ReceiptHandle": again["ReceiptHandle"]}, {"Id": "2", "ReceiptHandle": second}],
)
assert len(deleted["Successful"]) == 2, deleted
attributes = client.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
assert attributes["VisibilityTimeout"] == "45" and attributes["ApproximateNumberOfMessages"] == "0", attributes
assert client.list_queues(QueueNamePrefix="bot")["QueueUrls"] == [queue]

client.tag_queue(QueueUrl=queue, Tags={"stage": "test"})
client.untag_queue(QueueUrl=queue, TagKeys=["team"])
assert client.list_queue_tags(QueueUrl=queue)["Tags"] == {"stage": "test"}
client.add_permission(QueueUrl=queue, Label="partner", AWSAccountIds=["111122223333"], Actions=["SendMessage"])
client.remove_permission(QueueUrl=queue, Label="partner")

dead = client.create_queue(QueueName="boto-dead")["QueueUrl"]
arn = client.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
policy = '{"deadLetterTargetArn": "%s", "maxReceiveCount": "1"}' % arn
client.set_queue_attributes(QueueUrl=queue, Attributes={"RedrivePolicy": policy})
assert client.list_dead_letter_source_queues(QueueUrl=dead)["queueUrls"] == [queue]
client.send_message(QueueUrl=queue, MessageBody="poison")
(poison,) = client.receive_message(QueueUrl=queue)["Messages"]
client.change_message_visibility(QueueUrl=queue, ReceiptHandle=poison["ReceiptHandle"], VisibilityTimeout=0)
assert "Messages" not in client.receive_message(QueueUrl=queue)
if hasattr(client, "start_message_move_task"):
    # At its rate it is not done before it is cancelled.
    for _ in range(10):
        client.send_message_batch(QueueUrl=dead, Entries=[{"Id": str(i), "MessageBody": "more"} for i in range(10)])
    handle = client.start_message_move_task(
        SourceArn=arn, DestinationArn=arn.replace("-dead", ""), MaxNumberOfMessagesPerSecond=1
    )["TaskHandle"]
    assert client.list_message_move_tasks(SourceArn=arn)["Results"][0]["SourceArn"] == arn
    client.cancel_message_move_task(TaskHandle=handle)

try:
    client.get_queue_url(QueueName="missing")
    raise AssertionError("a queue that is not there was found")
except client.exceptions.QueueDoesNotExist as error:
    assert error.response["Error"]["Code"] == "AWS.SimpleQueueService.NonExistentQueue", error.response
try:
    client.receive_message(QueueUrl=queue, MaxNumberOfMessages=11)
    raise AssertionError("11 messages were asked for")
except botocore.exceptions.ClientError as error:
    assert error.response["Error"]["Code"] == "InvalidParameterValue", error.response

by_resource = boto3.resource("sqs", endpoint_url=url).get_queue_by_name(QueueName="boto-dead")
by_resource.purge()
by_resource.send_message(MessageBody="by resource")
(message,) = by_resource.receive_messages(WaitTimeSeconds=5)
assert message.body == "by resource"
message.delete()
client.delete_message(QueueUrl=dead, ReceiptHandle=message.receipt_handle)
client.purge_queue(QueueUrl=queue)
for each in (queue, dead):
    client.delete_queue(QueueUrl=each)
missed = set(client.meta.service_model.operation_names) - done
assert not missed, missed
print(botocore.__version__, client.meta.service_model.metadata["protocol"], len(done))
