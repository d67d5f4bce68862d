//! The parameters of one member.
//!
//! The parameters are sorted by name, so what belongs to a member is a run of them: the one that is
//! called as the member is, and those that go on with a dot. Nothing is copied and no tree is built,
//! and nothing is allocated for an index that is not there.

use std::cmp::Ordering;

use crate::error::{ReadError, quoted};
use crate::parameters::{Parameter, Parameters};
use crate::read::MAX_INDEX;

/// The parameters of one member.
#[derive(Clone, Copy)]
pub(crate) struct Node<'p> {
    /// What the structure, list or map is called that this belongs to, from the root.
    parent: &'p str,
    /// What the member is called there, or its number.
    segment: &'p str,
    /// The value of the parameter that is called exactly so.
    pub(crate) exact: Option<&'p str>,
    /// The parameters whose names go on with a dot.
    pub(crate) below: &'p [Parameter<'p>],
    /// Where in their names it goes on.
    at: usize,
}

impl<'p> Node<'p> {
    /// All parameters of the operation.
    pub(crate) fn root(parameters: &'p Parameters<'p>) -> Node<'p> {
        Node {
            parent: "",
            segment: "",
            exact: None,
            below: parameters.operation(),
            at: 0,
        }
    }

    /// The parameters below this name and `segment`.
    pub(crate) fn child(&self, segment: &'p str) -> Node<'p> {
        let wanted = segment.as_bytes();
        let exact = self.run(|rest| rest.cmp(wanted));
        let below = self.run(|rest| match rest.split_at_checked(wanted.len()) {
            Some((same, more)) => same.cmp(wanted).then(more.first().cmp(&Some(&b'.'))),
            None => rest.cmp(wanted),
        });
        let parent = match self.below {
            [first, ..] => &first.name[..self.at.saturating_sub(1)],
            [] => "",
        };
        Node {
            parent,
            segment,
            exact: exact.first().map(|parameter| &*parameter.value),
            below,
            at: self.at + segment.len() + 1,
        }
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.exact.is_none() && self.below.is_empty()
    }

    /// The name, as an error repeats it.
    pub(crate) fn name(&self) -> String {
        quoted(&join(self.parent, self.segment))
    }

    /// A name below this one, as an error repeats it.
    pub(crate) fn name_of(&self, segment: &str) -> String {
        quoted(&join(&join(self.parent, self.segment), segment))
    }

    /// Those parameters below for which `order` of the name's rest is equal.
    fn run(&self, order: impl Fn(&[u8]) -> Ordering) -> &'p [Parameter<'p>] {
        let order = |parameter: &Parameter<'_>| order(&parameter.name.as_bytes()[self.at..]);
        let from = self.below.partition_point(|it| order(it).is_lt());
        let length = self.below[from..].partition_point(|it| order(it).is_eq());
        &self.below[from..from + length]
    }

    /// The first segments of the names below, each once.
    pub(crate) fn segments(&self) -> impl Iterator<Item = &'p str> {
        self.groups().map(|(segment, _)| segment)
    }

    /// The parameters below by the first segment of their names.
    fn groups(&self) -> impl Iterator<Item = (&'p str, &'p [Parameter<'p>])> {
        let at = self.at;
        self.below
            .chunk_by(move |one, next| segment_at(one, at) == segment_at(next, at))
            .map(move |run| (segment_at(&run[0], at), run))
    }

    /// The numbered nodes below, in the order of their numbers.
    pub(crate) fn numbered(&self) -> Result<Vec<Node<'p>>, ReadError> {
        let mut entries = Vec::new();
        for (segment, run) in self.groups() {
            let Some(index) = index(segment) else {
                return Err(ReadError::Index {
                    parameter: self.name_of(segment),
                });
            };
            let end = self.at + segment.len();
            let (exact, below) = match run {
                [first, rest @ ..] if first.name.len() == end => (Some(&*first.value), rest),
                all => (None, all),
            };
            let node = Node {
                parent: &run[0].name[..self.at.saturating_sub(1)],
                segment,
                exact,
                below,
                at: end + 1,
            };
            entries.push((index, node));
        }
        // A number is there once: what could stand between its parameters is no number.
        entries.sort_by_key(|(index, _)| *index);
        Ok(entries.into_iter().map(|(_, node)| node).collect())
    }

    pub(crate) fn conflict(&self) -> ReadError {
        ReadError::Conflict {
            parameter: self.name(),
        }
    }

    pub(crate) fn wrong(&self, reason: String) -> ReadError {
        ReadError::Value {
            parameter: self.name(),
            reason,
        }
    }
}

/// The segment of a name that begins here.
fn segment_at<'a>(parameter: &'a Parameter<'_>, at: usize) -> &'a str {
    let rest = &parameter.name[at..];
    rest.split_once('.').map_or(rest, |(segment, _)| segment)
}

/// A number from 1 to [`MAX_INDEX`] without leading zeros.
fn index(segment: &str) -> Option<usize> {
    let is_number = segment.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || segment.starts_with('0') {
        return None;
    }
    segment.parse().ok().filter(|&index| index <= MAX_INDEX)
}

fn join(parent: &str, segment: &str) -> String {
    match parent {
        "" => segment.to_owned(),
        parent => format!("{parent}.{segment}"),
    }
}
