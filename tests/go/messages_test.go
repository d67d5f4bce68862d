package conformance

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/awserr"
	"github.com/aws/aws-sdk-go/aws/request"
	"github.com/aws/aws-sdk-go/service/sqs"
)

func TestAMessageComesBackAndIsDeleted(t *testing.T) {
	t.Parallel()
	queue := newQueue(t, nil)
	sent := send(t, queue, "héllo ☃ 😀")
	equal(t, "the digest", *sent.MD5OfMessageBody, "44314d05b09b74dafda26d5273d91a17")
	messages := receive(t, queue, sqs.ReceiveMessageInput{})
	equal(t, "the bodies", bodies(messages), []string{"héllo ☃ 😀"})
	message := messages[0]
	equal(t, "the id", *message.MessageId, *sent.MessageId)
	equal(t, "the receives", *message.Attributes["ApproximateReceiveCount"], "1")
	equal(t, "the sender", *message.Attributes["SenderId"], account)
	again := receive(t, queue, sqs.ReceiveMessageInput{})
	equal(t, "what is left while it is in flight", bodies(again), []string{})
	_, err := client.ChangeMessageVisibility(&sqs.ChangeMessageVisibilityInput{
		QueueUrl:          queue,
		ReceiptHandle:     message.ReceiptHandle,
		VisibilityTimeout: aws.Int64(0),
	})
	must(t, err)
	messages = receive(t, queue, sqs.ReceiveMessageInput{})
	equal(t, "the bodies", bodies(messages), []string{"héllo ☃ 😀"})
	remove(t, queue, messages[0])
	left := attributeOf(t, queue, "ApproximateNumberOfMessagesNotVisible")
	equal(t, "the messages in flight", left, "0")
}

func TestBodiesComeBackAsTheyWereSent(t *testing.T) {
	t.Parallel()
	queue := newQueue(t, nil)
	for _, body := range []string{
		`<a href="x">&amp; 'quoted' ]]> &#13; </a>`,
		" tab\tline\nreturn\rboth\r\n ",
		"\ud7ff\ue000\ufffd\U00010000\U0010ffff\u0085\u2028",
		"Action=DeleteQueue&a+b=c%20d;é",
		" ",
		strings.Repeat("x", 1048576),
	} {
		send(t, queue, body)
		messages := receive(t, queue, sqs.ReceiveMessageInput{})
		if len(messages) != 1 || *messages[0].Body != body {
			t.Fatalf("%.60q comes back as %.60q", body, bodies(messages))
		}
		remove(t, queue, messages[0])
	}
}

func TestADigestThatIsWrongIsNoticed(t *testing.T) {
	t.Parallel()
	queue := newQueue(t, nil)
	call, _ := client.SendMessageRequest(&sqs.SendMessageInput{
		QueueUrl:    queue,
		MessageBody: aws.String("a"),
	})
	digest := []byte("0cc175b9c0f1b6a831c399e269772661")
	call.Handlers.Send.PushBack(func(call *request.Request) {
		answer, err := io.ReadAll(call.HTTPResponse.Body)
		call.HTTPResponse.Body.Close()
		if err != nil || !bytes.Contains(answer, digest) {
			t.Errorf("the digest is not in %q (%v)", answer, err)
		}
		answer = bytes.Replace(answer, digest, bytes.ToUpper(digest), 1)
		call.HTTPResponse.Body = io.NopCloser(bytes.NewReader(answer))
	})
	err := call.Send()
	failure, ok := err.(awserr.Error)
	if !ok || failure.Code() != "InvalidChecksum" {
		t.Fatalf("a wrong digest should fail the call, which gives %v", err)
	}
}

func TestAttributesComeBackWithTheirDigest(t *testing.T) {
	t.Parallel()
	queue := newQueue(t, nil)
	attributes := map[string]*sqs.MessageAttributeValue{
		"color": {DataType: aws.String("String"), StringValue: aws.String("blue")},
		"count": {DataType: aws.String("Number"), StringValue: aws.String("3")},
		"blob":  {DataType: aws.String("Binary"), BinaryValue: []byte{1, 2, 3}},
	}
	trace := "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
	sent, err := client.SendMessage(&sqs.SendMessageInput{
		QueueUrl:          queue,
		MessageBody:       aws.String("with attributes"),
		MessageAttributes: attributes,
		MessageSystemAttributes: map[string]*sqs.MessageSystemAttributeValue{
			"AWSTraceHeader": {DataType: aws.String("String"), StringValue: &trace},
		},
	})
	must(t, err)
	digest := "d838729972a4b70e2d2acd9d59ac847c"
	equal(t, "the digest", *sent.MD5OfMessageAttributes, digest)
	traced := "5ae4d5d7636402d80f4eb6d213245a88"
	equal(t, "the other digest", *sent.MD5OfMessageSystemAttributes, traced)
	messages := receive(t, queue, sqs.ReceiveMessageInput{})
	equal(t, "how many come back", len(messages), 1)
	equal(t, "the digest", *messages[0].MD5OfMessageAttributes, digest)
	equal(t, "the trace", *messages[0].Attributes["AWSTraceHeader"], trace)
	equal(t, "how many attributes", len(messages[0].MessageAttributes), len(attributes))
	for name, value := range attributes {
		equal(t, name, messages[0].MessageAttributes[name].GoString(), value.GoString())
	}
}

func TestABatchAnswersEntryByEntry(t *testing.T) {
	t.Parallel()
	queue := newQueue(t, nil)
	batch, err := client.SendMessageBatch(&sqs.SendMessageBatchInput{
		QueueUrl: queue,
		Entries: []*sqs.SendMessageBatchRequestEntry{
			{Id: aws.String("good"), MessageBody: aws.String("one")},
			{Id: aws.String("late"), MessageBody: aws.String("two"), DelaySeconds: aws.Int64(901)},
			{Id: aws.String("fine"), MessageBody: aws.String("three")},
		},
	})
	must(t, err)
	equal(t, "how many are sent", len(batch.Successful), 2)
	equal(t, "the first", *batch.Successful[0].Id, "good")
	equal(t, "the second", *batch.Successful[1].Id, "fine")
	equal(t, "what failed", fmt.Sprint(batch.Failed), fmt.Sprint([]*sqs.BatchResultErrorEntry{{
		Id:   aws.String("late"),
		Code: aws.String("InvalidParameterValue"),
		Message: aws.String("Value 901 for parameter DelaySeconds is invalid. " +
			"Reason: DelaySeconds must be >= 0 and <= 900."),
		SenderFault: aws.Bool(true),
	}}))

	messages := receive(t, queue, sqs.ReceiveMessageInput{})
	equal(t, "the bodies", bodies(messages), []string{"one", "three"})
	change := &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: queue}
	entries := []*sqs.DeleteMessageBatchRequestEntry{
		{Id: aws.String("none"), ReceiptHandle: aws.String("none")},
	}
	for n, message := range messages {
		id := fmt.Sprint(n)
		change.Entries = append(change.Entries, &sqs.ChangeMessageVisibilityBatchRequestEntry{
			Id:                &id,
			ReceiptHandle:     message.ReceiptHandle,
			VisibilityTimeout: aws.Int64(60),
		})
		entries = append(entries, &sqs.DeleteMessageBatchRequestEntry{
			Id:            &id,
			ReceiptHandle: message.ReceiptHandle,
		})
	}
	hidden, err := client.ChangeMessageVisibilityBatch(change)
	must(t, err)
	equal(t, "how many are hidden", len(hidden.Successful), 2)
	equal(t, "how many are not", len(hidden.Failed), 0)
	deleted, err := client.DeleteMessageBatch(&sqs.DeleteMessageBatchInput{
		QueueUrl: queue,
		Entries:  entries,
	})
	must(t, err)
	equal(t, "how many are deleted", len(deleted.Successful), 2)
	equal(t, "how many are not", len(deleted.Failed), 1)
	equal(t, "the reason", *deleted.Failed[0].Code, "ReceiptHandleIsInvalid")
}

// Not parallel, since it stops the time of all queues: it is the message that ends the poll.
func TestALongPollIsWokenByASend(t *testing.T) {
	queue := newQueue(t, nil)
	setClock(t, "freeze")
	defer setClock(t, "resume")
	received := make(chan []string, 1)
	leaves := make(chan struct{})
	call, answer := client.ReceiveMessageRequest(&sqs.ReceiveMessageInput{
		QueueUrl:        queue,
		WaitTimeSeconds: aws.Int64(20),
	})
	call.Handlers.Send.PushFront(func(*request.Request) { close(leaves) })
	go func() {
		if err := call.Send(); err != nil {
			t.Error(err)
		}
		received <- bodies(answer.Messages)
	}()
	<-leaves
	send(t, queue, "here")
	select {
	case all := <-received:
		equal(t, "what the poll gives", all, []string{"here"})
	case <-time.After(bound):
		t.Fatal("the poll has not ended")
	}
}

func TestAQueueIsMadeFoundTaggedPurgedAndDeleted(t *testing.T) {
	t.Parallel()
	queue := newQueue(t, map[string]string{"VisibilityTimeout": "7"})
	name := (*queue)[strings.LastIndex(*queue, "/")+1:]
	found, err := client.GetQueueUrl(&sqs.GetQueueUrlInput{QueueName: &name})
	must(t, err)
	equal(t, "the URL", *found.QueueUrl, *queue)
	_, err = client.SetQueueAttributes(&sqs.SetQueueAttributesInput{
		QueueUrl:   queue,
		Attributes: aws.StringMap(map[string]string{"DelaySeconds": "900"}),
	})
	must(t, err)
	equal(t, "one attribute", attributeOf(t, queue, "VisibilityTimeout"), "7")
	equal(t, "another", attributeOf(t, queue, "DelaySeconds"), "900")
	_, err = client.TagQueue(&sqs.TagQueueInput{
		QueueUrl: queue,
		Tags:     aws.StringMap(map[string]string{"team": "é + ü", "env": "", "old": "x"}),
	})
	must(t, err)
	_, err = client.UntagQueue(&sqs.UntagQueueInput{
		QueueUrl: queue,
		TagKeys:  aws.StringSlice([]string{"old"}),
	})
	must(t, err)
	listed, err := client.ListQueueTags(&sqs.ListQueueTagsInput{QueueUrl: queue})
	must(t, err)
	tags := map[string]string{"team": "é + ü", "env": ""}
	equal(t, "the tags", aws.StringValueMap(listed.Tags), tags)
	_, err = client.PurgeQueue(&sqs.PurgeQueueInput{QueueUrl: queue})
	must(t, err)
	_, err = client.DeleteQueue(&sqs.DeleteQueueInput{QueueUrl: queue})
	must(t, err)
	left, err := client.ListQueues(&sqs.ListQueuesInput{QueueNamePrefix: &name})
	must(t, err)
	for _, url := range left.QueueUrls {
		if *url == *queue {
			t.Fatal("it is deleted, and yet listed")
		}
	}
}

func TestQueuesAreListedInPages(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"page-1", "page-2", "page-3"} {
		_, err := client.CreateQueue(&sqs.CreateQueueInput{QueueName: aws.String(name)})
		must(t, err)
	}
	sizes := []int{}
	err := client.ListQueuesPages(
		&sqs.ListQueuesInput{QueueNamePrefix: aws.String("page-"), MaxResults: aws.Int64(2)},
		func(page *sqs.ListQueuesOutput, _ bool) bool {
			sizes = append(sizes, len(page.QueueUrls))
			return len(sizes) < 4
		},
	)
	must(t, err)
	equal(t, "the pages", sizes, []int{2, 1})
}

func TestAPresignedRequestIsAWholeOne(t *testing.T) {
	t.Parallel()
	queue := newQueue(t, nil)
	body := "from a browser, ä & ö + <ü>"
	call, _ := client.SendMessageRequest(&sqs.SendMessageInput{QueueUrl: queue, MessageBody: &body})
	url, err := call.Presign(time.Minute)
	must(t, err)
	for _, row := range []struct {
		url    string
		status int
	}{{url, 200}, {strings.Replace(url, "browser", "forger", 1), 403}} {
		answer, err := http.Get(row.url)
		must(t, err)
		answer.Body.Close()
		equal(t, "the status", answer.StatusCode, row.status)
	}
	messages := receive(t, queue, sqs.ReceiveMessageInput{})
	equal(t, "what arrived", bodies(messages), []string{body})
}
