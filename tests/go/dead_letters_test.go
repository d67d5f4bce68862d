package conformance

import (
	"encoding/json"
	"testing"

	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/service/sqs"
)

func redrivePolicy(t *testing.T, target string, receives int) string {
	t.Helper()
	policy, err := json.Marshal(map[string]interface{}{
		"deadLetterTargetArn": target,
		"maxReceiveCount":     receives,
	})
	must(t, err)
	return string(policy)
}

func TestAMessageReceivedTooOftenGoesToTheDeadLetterQueue(t *testing.T) {
	t.Parallel()
	dead := newQueue(t, nil)
	deadArn := attributeOf(t, dead, "QueueArn")
	policy := redrivePolicy(t, deadArn, 2)
	source := newQueue(t, map[string]string{"RedrivePolicy": policy})
	equal(t, "the policy", attributeOf(t, source, "RedrivePolicy"), policy)

	sent := send(t, source, "one")
	seen := sqs.ReceiveMessageInput{VisibilityTimeout: aws.Int64(0)}
	for receives := 0; receives < 2; receives++ {
		equal(t, "a receive", bodies(receive(t, source, seen)), []string{"one"})
	}
	equal(t, "one more", bodies(receive(t, source, seen)), []string{})
	letters := receive(t, dead, sqs.ReceiveMessageInput{})
	equal(t, "the dead letters", bodies(letters), []string{"one"})
	equal(t, "the id", *letters[0].MessageId, *sent.MessageId)
	equal(t, "the receives", *letters[0].Attributes["ApproximateReceiveCount"], "3")
	sourceArn := attributeOf(t, source, "QueueArn")
	equal(t, "the source", *letters[0].Attributes["DeadLetterQueueSourceArn"], sourceArn)

	listed, err := client.ListDeadLetterSourceQueues(
		&sqs.ListDeadLetterSourceQueuesInput{QueueUrl: dead},
	)
	must(t, err)
	equal(t, "the sources", aws.StringValueSlice(listed.QueueUrls), []string{*source})
}

func TestTheGroupGoesOnWithoutADeadLetter(t *testing.T) {
	t.Parallel()
	fifo := map[string]string{"FifoQueue": "true", "ContentBasedDeduplication": "true"}
	dead := newQueue(t, fifo)
	fifo["RedrivePolicy"] = redrivePolicy(t, attributeOf(t, dead, "QueueArn"), 1)
	source := newQueue(t, fifo)
	sendToGroup(t, source, "one", "g")
	sendToGroup(t, source, "two", "g")
	seen := sqs.ReceiveMessageInput{
		VisibilityTimeout:   aws.Int64(0),
		MaxNumberOfMessages: aws.Int64(1),
	}
	equal(t, "the first", bodies(receive(t, source, seen)), []string{"one"})
	equal(t, "the second", bodies(receive(t, source, seen)), []string{"two"})
	letters := receive(t, dead, sqs.ReceiveMessageInput{})
	equal(t, "the dead letters", bodies(letters), []string{"one"})
}

func TestADeadLetterQueueMustExist(t *testing.T) {
	t.Parallel()
	queue := newQueue(t, nil)
	policy := redrivePolicy(t, attributeOf(t, queue, "QueueArn")+"-other", 1)
	_, err := client.SetQueueAttributes(&sqs.SetQueueAttributesInput{
		QueueUrl:   queue,
		Attributes: map[string]*string{"RedrivePolicy": &policy},
	})
	refused(t, err, "InvalidParameterValue", "Value "+policy+" for parameter RedrivePolicy is "+
		"invalid. Reason: Dead letter target does not exist.", 400)
}
