package conformance

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/service/sqs"
)

func sendEntries(queue *string, ids ...string) error {
	batch := &sqs.SendMessageBatchInput{
		QueueUrl: queue,
		Entries:  []*sqs.SendMessageBatchRequestEntry{},
	}
	for n := range ids {
		batch.Entries = append(batch.Entries, &sqs.SendMessageBatchRequestEntry{
			Id:          &ids[n],
			MessageBody: aws.String("a"),
		})
	}
	_, err := client.SendMessageBatch(batch)
	return err
}

func set(queue *string, name, value string) error {
	_, err := client.SetQueueAttributes(&sqs.SetQueueAttributesInput{
		QueueUrl:   queue,
		Attributes: map[string]*string{name: &value},
	})
	return err
}

func sendBody(queue *string, body string) error {
	_, err := client.SendMessage(&sqs.SendMessageInput{QueueUrl: queue, MessageBody: &body})
	return err
}

func TestErrorsHaveTheirCodeTextStatusAndRequest(t *testing.T) {
	t.Parallel()
	for title, row := range map[string]struct {
		call    func(*string) error
		code    string
		message string
		status  int
	}{
		"a queue that is not there": {
			func(queue *string) error { return sendBody(aws.String(*queue+"-other"), "a") },
			sqs.ErrCodeQueueDoesNotExist,
			"The specified queue does not exist for this wsdl version.",
			400,
		},
		"the same name with other attributes": {
			func(queue *string) error {
				_, err := client.CreateQueue(&sqs.CreateQueueInput{
					QueueName:  aws.String((*queue)[strings.LastIndex(*queue, "/")+1:]),
					Attributes: map[string]*string{"VisibilityTimeout": aws.String("31")},
				})
				return err
			},
			sqs.ErrCodeQueueNameExists,
			"A queue already exists with the same name and a different value for attribute " +
				"VisibilityTimeout",
			400,
		},
		"an unknown attribute": {
			func(queue *string) error { return set(queue, "Colour", "blue") },
			sqs.ErrCodeInvalidAttributeName,
			"Unknown Attribute Colour.",
			400,
		},
		"an attribute's value out of range": {
			func(queue *string) error { return set(queue, "VisibilityTimeout", "43201") },
			"InvalidAttributeValue",
			"Invalid value for the parameter VisibilityTimeout.",
			400,
		},
		"a forbidden character": {
			func(queue *string) error { return sendBody(queue, "bell \a") },
			sqs.ErrCodeInvalidMessageContents,
			"Invalid binary character '#x7' was found in the message body, the set of allowed " +
				"characters is #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | " +
				"[#x10000-#x10FFFF].",
			400,
		},
		"a receipt handle that is none": {
			func(queue *string) error {
				_, err := client.DeleteMessage(&sqs.DeleteMessageInput{
					QueueUrl:      queue,
					ReceiptHandle: aws.String("<no> & handle"),
				})
				return err
			},
			sqs.ErrCodeReceiptHandleIsInvalid,
			`The input receipt handle "<no> & handle" is not a valid receipt handle.`,
			404,
		},
		"eleven entries": {
			func(queue *string) error {
				return sendEntries(queue, strings.Split("abcdefghijk", "")...)
			},
			sqs.ErrCodeTooManyEntriesInBatchRequest,
			"Maximum number of entries per request are 10. You have sent 11.",
			400,
		},
		"no entry": {
			func(queue *string) error { return sendEntries(queue) },
			sqs.ErrCodeEmptyBatchRequest,
			"There should be at least one SendMessageBatchRequestEntry in the request.",
			400,
		},
		"an id twice": {
			func(queue *string) error { return sendEntries(queue, "1", "2", "2", "1") },
			sqs.ErrCodeBatchEntryIdsNotDistinct,
			"Id 2 repeated.",
			400,
		},
		"an empty body": {
			func(queue *string) error { return sendBody(queue, "") },
			"MissingParameter",
			"The request must contain the parameter MessageBody.",
			400,
		},
	} {
		row := row
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			refused(t, row.call(newQueue(t, nil)), row.code, row.message, row.status)
		})
	}
}

func TestAWrongSecretAndAnUnknownKey(t *testing.T) {
	t.Parallel()
	queue := newQueue(t, nil)
	input := &sqs.SendMessageInput{QueueUrl: queue, MessageBody: aws.String("a")}
	_, err := newClient("test", "wrong").SendMessage(input)
	refused(t, err, "SignatureDoesNotMatch", "The request signature we calculated does not match "+
		"the signature you provided. Check your AWS Secret Access Key and signing method. Consult "+
		"the service documentation for details.", 403)
	_, err = newClient("AKIDEXAMPLE", "test").SendMessage(input)
	invalid := "The security token included in the request is invalid."
	refused(t, err, "InvalidClientTokenId", invalid, 403)
	left := receive(t, queue, sqs.ReceiveMessageInput{})
	equal(t, "what arrived", bodies(left), []string{})
}
