//! The order in which a FIFO queue offers its messages.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use crate::id::MessageKey;
use crate::queue::message::MessageState;
use crate::snapshot::Contradiction;

/// The message groups of a FIFO queue, and whose turn it is.
///
/// Within a group messages are given oldest first, up to the first that is in flight or delayed.
/// So a group has something to give exactly if its oldest message is visible, and only such groups
/// have a turn: a receive never looks at the others. AWS promises no order between groups, but was
/// seen to drain one before the next, and to put one that has something to give again behind those
/// that had it all along.
#[derive(Debug, Default)]
pub(super) struct Groups {
    by_name: BTreeMap<Arc<str>, Group>,
    /// The groups that have something to give, by their turns.
    turns: BTreeMap<u64, Arc<str>>,
    next_turn: u64,
}

#[derive(Debug, Default)]
struct Group {
    /// Every message of the group, in whatever state, oldest first.
    ///
    /// Messages come at the end and go from near the front: in flight are at most those of one
    /// receive, and the first to end its retention is the oldest. So each change costs a search and
    /// little more.
    messages: VecDeque<Entry>,
    /// Its key in the turns, if it is there.
    turn: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: MessageKey,
    /// Neither in flight nor delayed.
    visible: bool,
}

impl Groups {
    /// A message was stored, whose key is greater than all before; it is not visible yet. Gives the
    /// name of its group as all messages of the group share it.
    pub(super) fn sent(&mut self, key: MessageKey, name: &str) -> Arc<str> {
        let shared = match self.by_name.get_key_value(name) {
            Some((shared, _)) => Arc::clone(shared),
            None => Arc::from(name),
        };
        let group = self.by_name.entry(Arc::clone(&shared)).or_default();
        group.messages.push_back(Entry {
            key,
            visible: false,
        });
        shared
    }

    /// A message is stored no more. It need not be hidden first.
    pub(super) fn gone(&mut self, key: MessageKey, name: &str) {
        self.update(name, |group| {
            if let Ok(index) = group.find(key) {
                group.messages.remove(index);
            }
        });
        let is_empty = |group: &Group| group.messages.is_empty();
        if self.by_name.get(name).is_some_and(is_empty) {
            self.by_name.remove(name);
        }
    }

    /// A message is visible from now on.
    pub(super) fn show(&mut self, key: MessageKey, name: &str) {
        self.update(name, |group| group.set_visible(key, true));
    }

    /// A message is visible no more.
    pub(super) fn hide(&mut self, key: MessageKey, name: &str) {
        self.update(name, |group| group.set_visible(key, false));
    }

    /// The oldest message of a group, in whatever state.
    pub(super) fn oldest_of(&self, name: &str) -> Option<MessageKey> {
        let oldest = self.by_name.get(name)?.messages.front();
        oldest.map(|entry| entry.key)
    }

    /// The messages that a receive of at most `max` gets, in order.
    pub(super) fn choose(&self, max: usize) -> impl Iterator<Item = MessageKey> {
        self.turns
            .values()
            .filter_map(|name| self.by_name.get(name))
            .flat_map(|group| group.messages.iter().take_while(|entry| entry.visible))
            .map(|entry| entry.key)
            .take(max)
    }

    /// The groups after one, by name: how many messages each has, and the oldest of them.
    pub(super) fn after(
        &self,
        name: Option<&str>,
    ) -> impl Iterator<Item = (&str, usize, MessageKey)> {
        let from = name.map_or(Bound::Unbounded, Bound::Excluded);
        let groups = self.by_name.range::<str, _>((from, Bound::Unbounded));
        groups.filter_map(|(name, group)| {
            let oldest = group.messages.front()?.key;
            Some((name.as_ref(), group.messages.len(), oldest))
        })
    }

    /// The names of the groups that have a turn, in their order: for a snapshot.
    pub(super) fn image(&self) -> Vec<Arc<str>> {
        self.turns.values().cloned().collect()
    }

    /// Takes in a message from a snapshot. Gives the name of its group as all share it.
    pub(super) fn put_back(
        &mut self,
        key: MessageKey,
        name: &str,
        state: MessageState,
    ) -> Arc<str> {
        let shared = self.sent(key, name);
        if let Some(group) = self.by_name.get_mut(name) {
            group.set_visible(key, state == MessageState::Visible);
        }
        shared
    }

    /// The name of a group as all its messages share it, if it has any.
    pub(super) fn shared(&self, name: &str) -> Option<Arc<str>> {
        let (shared, _) = self.by_name.get_key_value(name)?;
        Some(Arc::clone(shared))
    }

    /// Gives the groups their turns when all messages are put back.
    pub(super) fn restored(&mut self, turns: Vec<Arc<str>>) -> Result<(), Contradiction> {
        for name in turns {
            let group = self.by_name.get_mut(&name);
            let due = |group: &&mut Group| group.can_give() && group.turn.is_none();
            let group = group
                .filter(due)
                .ok_or("a group has a turn that it cannot have")?;
            group.turn = Some(self.next_turn);
            self.turns.insert(self.next_turn, name);
            self.next_turn += 1;
        }
        let forgotten = |group: &Group| group.can_give() && group.turn.is_none();
        if self.by_name.values().any(forgotten) {
            return Err("a group has something to give and no turn");
        }
        Ok(())
    }

    /// Changes a group and sees to it that it has a turn if its oldest message is visible, and none
    /// otherwise. A turn that it gets is the last; one that it has it keeps.
    fn update(&mut self, name: &str, change: impl FnOnce(&mut Group)) {
        let Some(group) = self.by_name.get_mut(name) else {
            return;
        };
        change(group);
        match group.turn {
            Some(turn) if !group.can_give() => {
                self.turns.remove(&turn);
                group.turn = None;
            }
            None if group.can_give() => {
                let turn = self.next_turn;
                self.next_turn += 1;
                group.turn = Some(turn);
                if let Some((shared, _)) = self.by_name.get_key_value(name) {
                    self.turns.insert(turn, Arc::clone(shared));
                }
            }
            Some(_) | None => {}
        }
    }
}

impl Group {
    fn can_give(&self) -> bool {
        self.messages.front().is_some_and(|entry| entry.visible)
    }

    fn find(&self, key: MessageKey) -> Result<usize, usize> {
        self.messages.binary_search_by_key(&key, |entry| entry.key)
    }

    fn set_visible(&mut self, key: MessageKey, visible: bool) {
        if let Ok(index) = self.find(key) {
            self.messages[index].visible = visible;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    fn key(arrival: u64) -> MessageKey {
        MessageKey {
            enqueued_at: Timestamp::from_millis(0),
            arrival,
        }
    }

    fn groups(sent: &[&str]) -> Groups {
        let mut groups = Groups::default();
        for (arrival, name) in (0..).zip(sent) {
            groups.sent(key(arrival), name);
            groups.show(key(arrival), name);
        }
        groups
    }

    fn chosen(groups: &Groups, max: usize) -> Vec<u64> {
        groups.choose(max).map(|key| key.arrival).collect()
    }

    #[test]
    fn a_group_is_drained_before_the_next_and_stops_at_a_hidden_message() {
        let mut groups = groups(&["a", "b", "a", "b", "a"]);
        assert_eq!(chosen(&groups, 10), [0, 2, 4, 1, 3]);
        assert_eq!(chosen(&groups, 2), [0, 2]);
        groups.hide(key(2), "a");
        assert_eq!(chosen(&groups, 10), [0, 1, 3]);
        groups.hide(key(0), "a");
        assert_eq!(chosen(&groups, 10), [1, 3]);
    }

    #[test]
    fn a_group_that_can_give_again_comes_last_and_one_that_could_all_along_stays() {
        let mut groups = groups(&["a", "a", "b"]);
        groups.hide(key(1), "a");
        groups.show(key(1), "a");
        assert_eq!(chosen(&groups, 10), [0, 1, 2]);
        groups.hide(key(0), "a");
        groups.show(key(0), "a");
        assert_eq!(chosen(&groups, 10), [2, 0, 1]);
    }

    #[test]
    fn nothing_is_left_of_a_group_without_messages() {
        let mut groups = groups(&["a", "a"]);
        groups.hide(key(0), "a");
        assert_eq!(chosen(&groups, 10), [0; 0]);
        groups.gone(key(0), "a");
        assert_eq!(chosen(&groups, 10), [1], "the way is free");
        groups.gone(key(1), "a");
        assert!(groups.by_name.is_empty());
        assert!(groups.turns.is_empty());
    }

    #[test]
    fn a_message_that_goes_from_the_middle_leaves_the_others_in_order() {
        let mut groups = groups(&["a", "a", "a"]);
        groups.gone(key(1), "a");
        assert_eq!(chosen(&groups, 10), [0, 2]);
    }

    #[test]
    fn the_messages_of_a_group_share_its_name() {
        let mut groups = Groups::default();
        let first = groups.sent(key(0), "a");
        let second = groups.sent(key(1), "a");
        assert!(Arc::ptr_eq(&first, &second));
    }
}
