// Package conformance is version 1 of Amazon's SDK for Go against fake-sqs.
package conformance
