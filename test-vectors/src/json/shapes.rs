//! The shapes of Smithy's test services, as somebody would write them who uses `aws-json`.

use std::collections::BTreeMap;
use std::time::SystemTime;

use aws_json::client::Operation;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::exchange::{Called, Caller};

/// Operations by name, and for each a type that stands for it: input, output, and what goes before the host.
macro_rules! operations {
    ($($name:ident: $input:ty => $output:ty $(, at $prefix:literal $(with $label:ident)?)? $(where $constant:ident = $value:literal)?;)+) => {
        $(
            struct $name;

            impl Operation for $name {
                const NAME: &'static str = stringify!($name);
                const SAFE_TO_RETRY: bool = false;
                type Input = $input;
                type Output = $output;

                $(const $constant: bool = $value;)?

                $(
                    const HOST_PREFIX: &'static str = $prefix;

                    $(fn host_label<'a>(input: &'a $input, name: &str) -> Option<&'a str> {
                        (name == stringify!($label)).then_some(&input.$label)
                    })?
                )?
            }
        )+

        /// Calls the operation of that name; none if there is none.
        pub(super) fn call(
            caller: &Caller<'_>,
            name: &str,
            input: &Value,
        ) -> Option<Result<Called, String>> {
            match name {
                $(stringify!($name) => Some(caller.call::<$name>(input)),)+
                _ => None,
            }
        }

        /// Reads an input as a server does, and writes it again; none if there is no such operation.
        pub(super) fn reread(name: &str, body: &[u8]) -> Option<Result<Value, String>> {
            match name {
                $(stringify!($name) => Some(reread_as::<$input>(body)),)+
                _ => None,
            }
        }
    };
}

operations! {
    ContentTypeParameters: Parameters => ();
    DatetimeOffsets: () => Datetime;
    EmptyInputAndEmptyOutput: Empty => Empty;
    EmptyOperation: () => ();
    EndpointOperation: () => (), at "foo.";
    EndpointWithHostLabelOperation: Label => (), at "foo.{label}." with label;
    FractionalSeconds: () => Datetime;
    GreetingWithErrors: () => ();
    HostWithPathOperation: () => ();
    JsonEnums: Enums => Enums;
    JsonIntEnums: IntEnums => IntEnums;
    JsonUnions: OfUnion => OfUnion;
    KitchenSinkOperation: KitchenSink => KitchenSink;
    NoInputAndNoOutput: () => ();
    NoInputAndOutput: () => Empty;
    NullOperation: Nullable => Nullable;
    OperationWithOptionalInputOutput: SimpleStruct => SimpleStruct;
    PutAndGetInlineDocuments: Document => Document;
    PutWithContentEncoding: Encoded => () where TAKES_GZIP = true;
    QueryCompatibleOperation: () => ();
    QueryIncompatibleOperation: () => ();
    SimpleScalarProperties: Floats => Floats;
    SparseNullsOperation: Sparse => Sparse;
}

/// A shape from a value in the form of the wire.
pub(super) fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    aws_json::codec::body::decode(value.to_string().as_bytes()).map_err(|error| error.to_string())
}

fn reread_as<T: DeserializeOwned + Serialize>(body: &[u8]) -> Result<Value, String> {
    let shape: T = aws_json::codec::body::decode(body).map_err(|error| error.to_string())?;
    written(&shape)
}

/// A shape as the JSON that the codec writes.
pub(super) fn written(shape: &impl Serialize) -> Result<Value, String> {
    let body = aws_json::codec::body::encode(shape).map_err(|error| error.to_string())?;
    serde_json::from_slice(&body).map_err(|error| error.to_string())
}

/// The members of an error of `GreetingWithErrors` or `QueryCompatibleOperation`, all of them together.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ErrorMembers {
    #[serde(rename = "message", skip_serializing_if = "Option::is_none")]
    lower_message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_level: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nested: Option<NestedError>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct NestedError {
    #[serde(skip_serializing_if = "Option::is_none")]
    foo: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Empty {}

#[derive(Serialize, Deserialize)]
struct Parameters {
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
}

#[derive(Serialize, Deserialize)]
struct Label {
    label: String,
}

#[derive(Serialize, Deserialize)]
struct Datetime {
    #[serde(
        with = "aws_json::value::iso8601",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    datetime: Option<SystemTime>,
}

#[derive(Serialize, Deserialize)]
enum FooEnum {
    Foo,
    Baz,
    Bar,
    #[serde(rename = "0")]
    Zero,
    #[serde(rename = "1")]
    One,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Enums {
    #[serde(skip_serializing_if = "Option::is_none")]
    foo_enum1: Option<FooEnum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    foo_enum2: Option<FooEnum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    foo_enum3: Option<FooEnum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    foo_enum_list: Option<Vec<FooEnum>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    foo_enum_set: Option<Vec<FooEnum>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    foo_enum_map: Option<BTreeMap<String, FooEnum>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct IntEnums {
    #[serde(skip_serializing_if = "Option::is_none")]
    int_enum1: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    int_enum2: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    int_enum3: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    int_enum_list: Option<Vec<i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    int_enum_set: Option<Vec<i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    int_enum_map: Option<BTreeMap<String, i32>>,
}

#[derive(Serialize, Deserialize)]
struct OfUnion {
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<MyUnion>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::enum_variant_names, reason = "they are the members' names")]
enum MyUnion {
    StringValue(String),
    BooleanValue(bool),
    NumberValue(i32),
    #[serde(with = "aws_json::value::blob")]
    BlobValue(Vec<u8>),
    #[serde(with = "aws_json::value::epoch_seconds")]
    TimestampValue(SystemTime),
    EnumValue(FooEnum),
    IntEnumValue(i32),
    ListValue(Vec<String>),
    MapValue(BTreeMap<String, String>),
    StructureValue(Greeting),
}

#[derive(Serialize, Deserialize)]
struct Greeting {
    #[serde(skip_serializing_if = "Option::is_none")]
    hi: Option<String>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct KitchenSink {
    #[serde(
        with = "aws_json::value::blob",
        skip_serializing_if = "Option::is_none"
    )]
    blob: Option<Vec<u8>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    boolean: Option<bool>,
    #[serde(
        with = "aws_json::value::float",
        skip_serializing_if = "Option::is_none"
    )]
    double: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    empty_struct: Option<Empty>,
    #[serde(
        with = "aws_json::value::float",
        skip_serializing_if = "Option::is_none"
    )]
    float: Option<f32>,
    #[serde(
        with = "aws_json::value::http_date",
        skip_serializing_if = "Option::is_none"
    )]
    httpdate_timestamp: Option<SystemTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    integer: Option<i32>,
    #[serde(
        with = "aws_json::value::iso8601",
        skip_serializing_if = "Option::is_none"
    )]
    iso8601_timestamp: Option<SystemTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    json_value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list_of_lists: Option<Vec<Vec<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list_of_maps_of_strings: Option<Vec<BTreeMap<String, String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list_of_strings: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list_of_structs: Option<Vec<SimpleStruct>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    long: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    map_of_lists_of_strings: Option<BTreeMap<String, Vec<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    map_of_maps: Option<BTreeMap<String, BTreeMap<String, String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    map_of_strings: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    map_of_structs: Option<BTreeMap<String, SimpleStruct>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recursive_list: Option<Vec<KitchenSink>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recursive_map: Option<BTreeMap<String, KitchenSink>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recursive_struct: Option<Box<KitchenSink>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simple_struct: Option<SimpleStruct>,
    #[serde(skip_serializing_if = "Option::is_none")]
    string: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    struct_with_json_name: Option<SimpleStruct>,
    #[serde(
        with = "aws_json::value::epoch_seconds",
        skip_serializing_if = "Option::is_none"
    )]
    timestamp: Option<SystemTime>,
    #[serde(
        with = "aws_json::value::epoch_seconds",
        skip_serializing_if = "Option::is_none"
    )]
    unix_timestamp: Option<SystemTime>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SimpleStruct {
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Nullable {
    #[serde(skip_serializing_if = "Option::is_none")]
    string: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sparse {
    #[serde(skip_serializing_if = "Option::is_none")]
    sparse_string_list: Option<Vec<Option<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sparse_string_map: Option<BTreeMap<String, Option<String>>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    #[serde(skip_serializing_if = "Option::is_none")]
    inline_document: Option<Value>,
}

#[derive(Serialize, Deserialize)]
struct Encoded {
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Floats {
    #[serde(
        with = "aws_json::value::float",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    float_value: Option<f32>,
    #[serde(
        with = "aws_json::value::float",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    double_value: Option<f64>,
}
