package conformance

import (
	"testing"

	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/service/sqs"
)

func newFifo(t *testing.T) *string {
	t.Helper()
	return newQueue(t, map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "true"})
}

func TestAGroupKeepsItsOrderAndGroupsAreApart(t *testing.T) {
	t.Parallel()
	queue := newFifo(t)
	last := ""
	for _, row := range [][2]string{{"a1", "a"}, {"b1", "b"}, {"a2", "a"}} {
		number := *sendToGroup(t, queue, row[0], row[1]).SequenceNumber
		if !sequence.MatchString(number) || number <= last {
			t.Fatalf("the sequence number %q comes after %q", number, last)
		}
		last = number
	}
	one := sqs.ReceiveMessageInput{MaxNumberOfMessages: aws.Int64(1)}
	first := receive(t, queue, one)
	equal(t, "the first", bodies(first), []string{"a1"})
	others := receive(t, queue, sqs.ReceiveMessageInput{})
	equal(t, "while it is in flight", bodies(others), []string{"b1"})
	remove(t, queue, first[0])
	second := receive(t, queue, sqs.ReceiveMessageInput{})
	equal(t, "after it", bodies(second), []string{"a2"})
	equal(t, "the group", *second[0].Attributes["MessageGroupId"], "a")
	equal(t, "the number", *second[0].Attributes["SequenceNumber"], last)
}

func TestADuplicateIsAcceptedAndNotStored(t *testing.T) {
	t.Parallel()
	queue := newFifo(t)
	first := sendToGroup(t, queue, "same", "g")
	again := sendToGroup(t, queue, "same", "g")
	equal(t, "the id", *again.MessageId, *first.MessageId)
	all := receive(t, queue, sqs.ReceiveMessageInput{})
	equal(t, "what is stored", bodies(all), []string{"same"})
}

func TestAReceiveIsHadAgainByItsAttemptID(t *testing.T) {
	t.Parallel()
	queue := newFifo(t)
	sendToGroup(t, queue, "one", "g")
	attempt := sqs.ReceiveMessageInput{ReceiveRequestAttemptId: aws.String("attempt-1")}
	first := receive(t, queue, attempt)
	again := receive(t, queue, attempt)
	equal(t, "the first attempt", bodies(first), []string{"one"})
	equal(t, "the second", bodies(again), []string{"one"})
	equal(t, "its handle", *again[0].ReceiptHandle, *first[0].ReceiptHandle)
	equal(t, "a receive of its own", bodies(receive(t, queue, sqs.ReceiveMessageInput{})), []string{})
}

func TestAHandleWhoseTimeIsOverDeletesNothing(t *testing.T) {
	t.Parallel()
	queue := newFifo(t)
	sendToGroup(t, queue, "one", "g")
	late := receive(t, queue, sqs.ReceiveMessageInput{VisibilityTimeout: aws.Int64(1)})
	equal(t, "the first receive", bodies(late), []string{"one"})
	again := receive(t, queue, sqs.ReceiveMessageInput{WaitTimeSeconds: aws.Int64(10)})
	equal(t, "the second", bodies(again), []string{"one"})
	_, err := client.DeleteMessage(&sqs.DeleteMessageInput{
		QueueUrl:      queue,
		ReceiptHandle: late[0].ReceiptHandle,
	})
	refused(t, err, "InvalidParameterValue", "Value "+*late[0].ReceiptHandle+" for parameter "+
		"ReceiptHandle is invalid. Reason: The receipt handle has expired.", 400)
}

func TestABatchOfAFifoQueueNeedsGroups(t *testing.T) {
	t.Parallel()
	queue := newFifo(t)
	entry := func(id string, group *string) *sqs.SendMessageBatchRequestEntry {
		return &sqs.SendMessageBatchRequestEntry{Id: &id, MessageBody: &id, MessageGroupId: group}
	}
	batch := func(entries ...*sqs.SendMessageBatchRequestEntry) (*sqs.SendMessageBatchOutput, error) {
		return client.SendMessageBatch(&sqs.SendMessageBatchInput{QueueUrl: queue, Entries: entries})
	}
	group := aws.String("g")
	_, err := batch(entry("a", group), entry("b", nil))
	missing := "The request must contain the parameter MessageGroupId."
	refused(t, err, "InvalidParameterValue", missing, 400)
	sent, err := batch(entry("a", group), entry("b", group), entry("c", group))
	must(t, err)
	equal(t, "how many failed", len(sent.Failed), 0)
	for _, one := range sent.Successful {
		if !sequence.MatchString(*one.SequenceNumber) {
			t.Fatalf("%q is no sequence number", *one.SequenceNumber)
		}
	}
	all := receive(t, queue, sqs.ReceiveMessageInput{})
	equal(t, "the order", bodies(all), []string{"a", "b", "c"})

	_, err = client.SendMessage(&sqs.SendMessageInput{QueueUrl: queue, MessageBody: aws.String("d")})
	refused(t, err, "MissingParameter", missing, 400)
}
