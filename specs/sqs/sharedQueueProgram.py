"""Handles the messages of a queue beside other clients, and says each, until it is told to stop. Arguments: the URLs of the door and of the queue."""
import sys

import boto3

client = boto3.client("sqs", endpoint_url=sys.argv[1])
queue = sys.argv[2]
running = True
while running:
    for message in client.receive_message(QueueUrl=queue, WaitTimeSeconds=20).get("Messages", []):
        client.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
        running = message["Body"] != "stop"
        print(message["Body"], flush=True)
