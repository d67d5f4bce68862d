package conformance

// A fake-sqs process for the tests, clients for it, and what tests do with them.

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go/aws"
	"github.com/aws/aws-sdk-go/aws/awserr"
	"github.com/aws/aws-sdk-go/aws/credentials"
	"github.com/aws/aws-sdk-go/aws/session"
	"github.com/aws/aws-sdk-go/service/sqs"
)

const (
	account = "000000000000"
	region  = "us-east-1"
	// How long anything may take that takes no time: it ends a test that would go on for ever, and says nothing of speed.
	bound = 5 * time.Minute
)

var (
	startLine = regexp.MustCompile(`^fake-sqs listening on (http://127\.0\.0\.1:\d+)$`)
	requestID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	sequence  = regexp.MustCompile(`^\d{20}$`)

	endpoint string
	client   *sqs.SQS
	queues   int64
)

func TestMain(m *testing.M) {
	// The kernel ends the server with the thread that started it, which is to be the last one.
	runtime.LockOSThread()
	server, err := start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	client = newClient("test", "test")
	status := m.Run()
	if err := stop(server); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// Starts the server on a free port and waits for its first line, which says where it listens.
func start() (*exec.Cmd, error) {
	binary := os.Getenv("FAKE_SQS_BIN")
	if binary == "" {
		return nil, fmt.Errorf("FAKE_SQS_BIN must name the fake-sqs binary; tests/go/run sets it")
	}
	server := exec.Command(binary, "--listen", "127.0.0.1:0", "--log", "error")
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "FAKE_SQS_") {
			server.Env = append(server.Env, setting)
		}
	}
	server.Stderr = os.Stderr
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	lines := make(chan string, 1)
	go func() {
		reader := bufio.NewReader(output)
		line, _ := reader.ReadString('\n')
		lines <- strings.TrimSpace(line)
	}()
	select {
	case line := <-lines:
		found := startLine.FindStringSubmatch(line)
		if found != nil {
			endpoint = found[1]
			return server, nil
		}
		err = fmt.Errorf("the start-up line is %q", line)
	case <-time.After(bound):
		err = fmt.Errorf("no start-up line within %v", bound)
	}
	server.Process.Kill()
	server.Wait()
	return nil, err
}

// Ends the server as its user would, and sees that it ends well.
func stop(server *exec.Cmd) error {
	server.Process.Signal(syscall.SIGTERM)
	killer := time.AfterFunc(bound, func() { server.Process.Kill() })
	defer killer.Stop()
	if err := server.Wait(); err != nil {
		return fmt.Errorf("SIGTERM ends the server with status 0, not with %v", err)
	}
	return nil
}

// A client that checks the digests of bodies, which is this SDK's default. A refusal is to be seen,
// not tried again.
func newClient(key, secret string) *sqs.SQS {
	config := aws.NewConfig().
		WithEndpoint(endpoint).
		WithRegion(region).
		WithCredentials(credentials.NewStaticCredentials(key, secret, "")).
		WithMaxRetries(0)
	return sqs.New(session.Must(session.NewSession(config)))
}

// Ends the test when a call did not succeed.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, what string, is, should interface{}) {
	t.Helper()
	if fmt.Sprintf("%#v", is) != fmt.Sprintf("%#v", should) {
		t.Fatalf("%s: it is %#v and should be %#v", what, is, should)
	}
}

// The URL of a new queue whose name no other test uses; FIFO when the attributes say so.
func newQueue(t *testing.T, attributes map[string]string) *string {
	t.Helper()
	name := fmt.Sprintf("queue-%d", atomic.AddInt64(&queues, 1))
	if attributes["FifoQueue"] == "true" {
		name += ".fifo"
	}
	created, err := client.CreateQueue(&sqs.CreateQueueInput{
		QueueName:  &name,
		Attributes: aws.StringMap(attributes),
	})
	must(t, err)
	equal(t, "the queue's URL", *created.QueueUrl, endpoint+"/"+account+"/"+name)
	return created.QueueUrl
}

func attributeOf(t *testing.T, queue *string, name string) string {
	t.Helper()
	answer, err := client.GetQueueAttributes(&sqs.GetQueueAttributesInput{
		QueueUrl:       queue,
		AttributeNames: []*string{&name},
	})
	must(t, err)
	return aws.StringValue(answer.Attributes[name])
}

// Has the control interface do this with the queues' time.
func setClock(t *testing.T, what string) {
	t.Helper()
	answer, err := http.Post(endpoint+"/_fake/clock/"+what, "application/json", nil)
	must(t, err)
	answer.Body.Close()
	equal(t, "the status", answer.StatusCode, 200)
}

func send(t *testing.T, queue *string, body string) *sqs.SendMessageOutput {
	t.Helper()
	sent, err := client.SendMessage(&sqs.SendMessageInput{QueueUrl: queue, MessageBody: &body})
	must(t, err)
	return sent
}

func sendToGroup(t *testing.T, queue *string, body, group string) *sqs.SendMessageOutput {
	t.Helper()
	sent, err := client.SendMessage(&sqs.SendMessageInput{
		QueueUrl:       queue,
		MessageBody:    &body,
		MessageGroupId: &group,
	})
	must(t, err)
	return sent
}

// What one receive of up to ten messages gives, with everything that there is to know of them.
func receive(t *testing.T, queue *string, more sqs.ReceiveMessageInput) []*sqs.Message {
	t.Helper()
	more.QueueUrl = queue
	if more.MaxNumberOfMessages == nil {
		more.MaxNumberOfMessages = aws.Int64(10)
	}
	more.AttributeNames = aws.StringSlice([]string{"All"})
	more.MessageAttributeNames = aws.StringSlice([]string{"All"})
	answer, err := client.ReceiveMessage(&more)
	must(t, err)
	return answer.Messages
}

func bodies(messages []*sqs.Message) []string {
	all := []string{}
	for _, message := range messages {
		all = append(all, *message.Body)
	}
	return all
}

func remove(t *testing.T, queue *string, message *sqs.Message) {
	t.Helper()
	_, err := client.DeleteMessage(&sqs.DeleteMessageInput{
		QueueUrl:      queue,
		ReceiptHandle: message.ReceiptHandle,
	})
	must(t, err)
}

// Sees that a call was refused with this code, text and status, and that its request has an id.
func refused(t *testing.T, err error, code, message string, status int) {
	t.Helper()
	failure, ok := err.(awserr.RequestFailure)
	if !ok {
		t.Fatalf("it should be refused with %s, and is answered with %v", code, err)
	}
	equal(t, "the code", failure.Code(), code)
	equal(t, "the text", failure.Message(), message)
	equal(t, "the status", failure.StatusCode(), status)
	if !requestID.MatchString(failure.RequestID()) {
		t.Fatalf("%q is no request id", failure.RequestID())
	}
}
