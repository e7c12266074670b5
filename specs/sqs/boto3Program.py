"""What a program with boto3 does, by client and by resource; the door's URL and the secret are its arguments. Fails by an exception."""
import sys

import boto3
import botocore

url = sys.argv[1]
where = dict(
    endpoint_url=url, region_name="us-east-1", aws_access_key_id="any", aws_secret_access_key=sys.argv[2]
)
client = boto3.client("sqs", **where)
body = 'Grüße, 世界 🌍 & <b> "x"\r\n'

queue = client.create_queue(QueueName="boto", Attributes={"VisibilityTimeout": "45"})["QueueUrl"]
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
deleted = client.delete_message_batch(
    QueueUrl=queue,
    Entries=[{"Id": "1", "ReceiptHandle": again["ReceiptHandle"]}, {"Id": "2", "ReceiptHandle": second}],
)
assert len(deleted["Successful"]) == 2, deleted
attributes = client.get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
assert attributes["VisibilityTimeout"] == "45" and attributes["ApproximateNumberOfMessages"] == "0", attributes
assert client.list_queues(QueueNamePrefix="bot")["QueueUrls"] == [queue]

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

resource = boto3.resource("sqs", **where).get_queue_by_name(QueueName="boto")
resource.send_message(MessageBody="by resource")
(message,) = resource.receive_messages(WaitTimeSeconds=5)
assert message.body == "by resource"
message.delete()
client.purge_queue(QueueUrl=queue)
client.delete_queue(QueueUrl=queue)
print(botocore.__version__, client.meta.service_model.metadata["protocol"])
