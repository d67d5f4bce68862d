//! Amazon SQS: shapes, error table and a typed client.
