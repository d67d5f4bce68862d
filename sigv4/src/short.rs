//! A list that is usually short.

use std::ops::{Deref, DerefMut};

/// A list whose elements live in it, without an allocation, as long as there are at most `N`; when
/// there are more, all of them move to the heap.
#[derive(Clone)]
pub(crate) struct Short<T, const N: usize> {
    inline: [T; N],
    length: usize,
    /// All elements once there are more than `N`, else nothing.
    heap: Vec<T>,
}

impl<T: Copy + Default, const N: usize> Short<T, N> {
    pub(crate) fn new() -> Self {
        Self {
            inline: [T::default(); N],
            length: 0,
            heap: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, element: T) {
        if let Some(place) = self.inline.get_mut(self.length) {
            *place = element;
        } else {
            if self.heap.is_empty() {
                self.heap.extend_from_slice(&self.inline);
            }
            self.heap.push(element);
        }
        self.length += 1;
    }
}

impl<T, const N: usize> Deref for Short<T, N> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.inline.get(..self.length).unwrap_or(&self.heap)
    }
}

impl<T, const N: usize> DerefMut for Short<T, N> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.inline.get_mut(..self.length).unwrap_or(&mut self.heap)
    }
}

impl<T: Copy + Default, const N: usize> Extend<T> for Short<T, N> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        for element in elements {
            self.push(element);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_a_vec_would() {
        for count in 0..10 {
            let (mut short, mut long) = (Short::<_, 4>::new(), Vec::new());
            for element in (0..count).rev() {
                short.push(element);
                long.push(element);
            }
            assert_eq!(*short, *long);
            short.sort_unstable();
            long.sort_unstable();
            assert_eq!(*short, *long);
        }
    }
}
