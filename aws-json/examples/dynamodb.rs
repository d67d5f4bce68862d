//! DynamoDB's GetItem, with protocol version 1.0, against a stub:
//! `cargo run -p aws-json --example dynamodb --features client`.

mod stub;

use std::collections::BTreeMap;
use std::error::Error;

use aws_json::client::{Client, Service};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A value with its type, as `{"S": "blue"}`. There are more types than these two.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum AttributeValue {
    #[serde(rename = "S")]
    Text(String),
    /// A number, as text.
    #[serde(rename = "N")]
    Number(String),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct GetItemInput {
    table_name: String,
    key: BTreeMap<String, AttributeValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consistent_read: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct GetItemOutput {
    item: Option<BTreeMap<String, AttributeValue>>,
}

aws_json::operations! {
    /// Reads one item.
    GetItem(GetItemInput) -> GetItemOutput, safe to retry;
}

fn dynamodb() -> Service {
    Service::new("dynamodb", "DynamoDB_20120810")
        .plain_fips_in_govcloud()
        .local_endpoint("http://localhost:8000")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let answer = json!({"Item": {"color": {"S": "blue"}, "count": {"N": "3"}}});
    let server = stub::Stub::start("200 OK", answer)?;

    // Of DynamoDB itself it would be `Client::from_env(dynamodb())?`.
    let client = Client::local(dynamodb(), &server.url())?;
    let key = AttributeValue::Text("order-1".into());
    let input = GetItemInput {
        table_name: "orders".into(),
        key: [("id".to_owned(), key)].into(),
        consistent_read: None,
    };
    let item = client
        .call::<GetItem>(&input)
        .await?
        .item
        .unwrap_or_default();
    println!("{item:?}");

    let request = server.request()?;
    assert_eq!(request.target, "DynamoDB_20120810.GetItem");
    assert_eq!(request.content_type, "application/x-amz-json-1.0");
    assert!(
        request
            .authorization
            .contains("/us-east-1/dynamodb/aws4_request")
    );
    let sent = json!({"TableName": "orders", "Key": {"id": {"S": "order-1"}}});
    assert_eq!(request.body, sent);
    assert_eq!(item["count"], AttributeValue::Number("3".into()));
    assert_eq!(item["color"], AttributeValue::Text("blue".into()));
    Ok(())
}

#[test]
fn it_runs() {
    main().expect("every step succeeds");
}
