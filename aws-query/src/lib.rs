//! AWS's Query protocol as serde knows it: a request's form parameters become any shape that derives
//! `Deserialize`, and a shape that derives `Serialize` becomes the XML of the answer.
//!
//! It is the protocol that AWS's services spoke before the JSON ones, and that Amazon SQS still
//! speaks beside JSON. A request is an HTML form, in the body of a `POST` or in the query string of
//! a `GET`; `Action` names the operation, and a dotted name leads into lists, maps and structures:
//! `MessageAttribute.1.Value.DataType=String`. The answer is XML.
//!
//! A service's shapes have other names in a form than in JSON (`Attributes` is `Attribute.1.Name`),
//! and that is all that differs. So the shapes stay as they are, and a [`Model`] says what the names
//! are: a table by struct and member. What is not in the table is called what serde calls it.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use aws_query::{Member, Model, Parameters, Shape, Source};
//! use serde::{Deserialize, Serialize};
//!
//! const MODEL: Model = Model::new(
//!     "http://example.com/doc/2012-11-05/",
//!     &[Shape::new("Create", &[Member::map("Attributes", "Attribute", "Name", "Value")])],
//! );
//!
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Create {
//!     #[serde(rename = "QueueName")]
//!     queue_name: String,
//!     #[serde(rename = "Attributes")]
//!     attributes: Option<BTreeMap<String, String>>,
//! }
//!
//! let form = b"Action=Create&QueueName=a+b&Attribute.1.Name=DelaySeconds&Attribute.1.Value=5";
//! let parameters = Parameters::parse([Source::Form(form)])?;
//! let create: Create = MODEL.read(&parameters)?;
//! assert_eq!(create.queue_name, "a b");
//! assert_eq!(create.attributes, Some([("DelaySeconds".into(), "5".into())].into()));
//!
//! assert_eq!(
//!     MODEL.write("Create", Some(&create), "id")?,
//!     "<?xml version=\"1.0\"?>\
//!      <CreateResponse xmlns=\"http://example.com/doc/2012-11-05/\"><CreateResult>\
//!      <QueueName>a b</QueueName>\
//!      <Attribute><Name>DelaySeconds</Name><Value>5</Value></Attribute>\
//!      </CreateResult><ResponseMetadata><RequestId>id</RequestId></ResponseMetadata>\
//!      </CreateResponse>",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | what | where |
//! |---|---|
//! | what a form may hold, and what is refused | [`Parameters`] |
//! | how names lead to members | [`Model::read`] |
//! | what an answer looks like, and which characters it can carry | [`Model::write`] |
//! | what is said of a request that cannot be read | [`ReadError`] |
//!
//! There is no IO here and no HTTP: bytes come in and text goes out. Everything that comes in is
//! bounded: the caller bounds the bytes, and this crate the [number of parameters](MAX_PARAMETERS),
//! the [depth of a name](MAX_DEPTH) and an [index](MAX_INDEX).

mod error;
mod escape;
mod model;
mod node;
mod parameters;
mod read;
mod write;

pub use crate::error::{ReadError, WriteError};
pub use crate::model::{Form, Member, Model, Shape};
pub use crate::parameters::{MAX_PARAMETERS, Parameters, Source};
pub use crate::read::{MAX_DEPTH, MAX_INDEX};
