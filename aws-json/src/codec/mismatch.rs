//! A value of another type than its member: what it is, what was expected, and AWS's words for it.

use std::fmt;

/// What a JSON value is, by its first token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// `false`
    False,
    /// An array.
    List,
    /// An object: a map or a structure.
    Map,
    /// `null`
    Null,
    /// A number.
    Number,
    /// A string.
    String,
    /// `true`
    True,
}

/// What a shape expects of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Expected {
    /// `true` or `false`.
    Boolean,
    /// Any number.
    Double,
    /// A whole number in the range of the member's Rust type.
    Integer,
    /// An array.
    List,
    /// An object with any keys.
    Map,
    /// A string.
    String,
    /// An object with the shape's members.
    Structure,
}

impl Expected {
    pub(super) fn takes(self, token: Token) -> bool {
        match self {
            Self::Boolean => matches!(token, Token::True | Token::False),
            Self::Double | Self::Integer => token == Token::Number,
            // A `null` is an absent list or map, also where the shape has no `Option` around it.
            Self::List => matches!(token, Token::List | Token::Null),
            Self::Map => matches!(token, Token::Map | Token::Null),
            Self::String => token == Token::String,
            Self::Structure => token == Token::Map,
        }
    }
}

/// A value that is not what its shape expects. `Display` is AWS's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) found: Token,
    pub(super) expected: Expected,
}

impl fmt::Display for Mismatch {
    /// Seen from AWS: a string for an Integer, a number for a String, `true` for an Integer, and
    /// both texts about a start (of which one ends in a full stop). The other combinations, and
    /// that a number with a fraction or out of range is said this way, follow their pattern and
    /// are not established.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = match self.found {
            Token::Map => {
                return f.write_str("Start of structure or map found where not expected.");
            }
            Token::List => return f.write_str("Start of list found where not expected"),
            Token::False => "FALSE_VALUE",
            Token::Null => "NULL_VALUE",
            Token::Number => "NUMBER_VALUE",
            Token::String => "STRING_VALUE",
            Token::True => "TRUE_VALUE",
        };
        let expected = match self.expected {
            Expected::Boolean => "a Boolean",
            Expected::Double => "a Double",
            Expected::Integer => "an Integer",
            Expected::List => "a List",
            Expected::Map => "a Map",
            Expected::String => "a String",
            Expected::Structure => "a Structure",
        };
        write!(f, "{found} can not be converted to {expected}")
    }
}
