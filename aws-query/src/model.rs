//! The table of names that tells a service's Query protocol from its JSON.

/// What a service's shapes are called in its Query protocol.
///
/// Names are looked up by the struct's and the member's serde name. A service's old model, as SDKs
/// carried it (`locationName`, `flattened`), is where the rows come from.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    namespace: &'static str,
    shapes: &'static [Shape],
}

/// A struct, and those of its members that travel under another name or as a list or a map.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    name: &'static str,
    members: &'static [Member],
}

/// A member, and what becomes of it in a form and in XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    name: &'static str,
    wire: &'static str,
    form: Form,
}

/// How a member's value is spread over names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One value: a text, a number, or a structure whose members follow after a dot.
    Plain,
    /// A flattened list: `Name.1`, `Name.2`; in XML one element `Name` after the other.
    List,
    /// A flattened map: `Name.1.Key` and `Name.1.Value`; in XML `<Name><Key/><Value/></Name>` for
    /// each entry.
    Map {
        /// What the key is called: in SQS `Name`, or `Key` for tags.
        key: &'static str,
        /// What the value is called.
        value: &'static str,
    },
}

impl Model {
    /// The model of a service whose XML has this namespace.
    ///
    /// The shapes need no order. Two rows for one shape are one too many: the first is taken.
    #[must_use]
    pub const fn new(namespace: &'static str, shapes: &'static [Shape]) -> Model {
        Model { namespace, shapes }
    }

    /// The namespace of the answers.
    #[must_use]
    pub const fn namespace(&self) -> &'static str {
        self.namespace
    }

    /// The shapes that have a row.
    #[must_use]
    pub const fn shapes(&self) -> &'static [Shape] {
        self.shapes
    }

    /// The members of a struct that have a row; none for a struct without one.
    pub(crate) fn members(&self, shape: &str) -> &'static [Member] {
        let found = self.shapes.iter().find(|row| row.name == shape);
        found.map_or(&[], |row| row.members)
    }
}

impl Shape {
    /// A row for the struct of this serde name.
    #[must_use]
    pub const fn new(name: &'static str, members: &'static [Member]) -> Shape {
        Shape { name, members }
    }

    /// The struct's serde name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The members that have a row.
    #[must_use]
    pub const fn members(&self) -> &'static [Member] {
        self.members
    }
}

impl Member {
    /// A flattened list, `wire.1`, `wire.2`, …
    #[must_use]
    pub const fn list(name: &'static str, wire: &'static str) -> Member {
        Member {
            name,
            wire,
            form: Form::List,
        }
    }

    /// A flattened map, `wire.1.key` and `wire.1.value`, …
    #[must_use]
    pub const fn map(
        name: &'static str,
        wire: &'static str,
        key: &'static str,
        value: &'static str,
    ) -> Member {
        Member {
            name,
            wire,
            form: Form::Map { key, value },
        }
    }

    /// A plain value with another name than serde gives it.
    #[must_use]
    pub const fn renamed(name: &'static str, wire: &'static str) -> Member {
        Member {
            name,
            wire,
            form: Form::Plain,
        }
    }

    /// The member's serde name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Its name on the wire.
    #[must_use]
    pub const fn wire(&self) -> &'static str {
        self.wire
    }

    /// How its value is spread.
    #[must_use]
    pub const fn form(&self) -> Form {
        self.form
    }
}

/// The row of a member, or the one that it has by rule: a plain value called as serde calls it.
pub(crate) fn member(rows: &'static [Member], name: &'static str) -> Member {
    let found = rows.iter().find(|row| row.name == name).copied();
    found.unwrap_or(Member::renamed(name, name))
}
