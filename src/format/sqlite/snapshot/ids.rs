//! Ids of rows, which other tables refer to.

/// Ids of a table's rows and what became of them. Ids ascend, and mostly run on from 1.
pub struct Ids<T> {
    rows: Vec<(i64, T)>,
}

impl<T: Copy> Ids<T> {
    pub fn new() -> Ids<T> {
        Ids { rows: Vec::new() }
    }

    pub fn push(&mut self, id: i64, value: T) {
        self.rows.push((id, value));
    }

    #[inline]
    pub fn get(&self, id: Option<i64>) -> Option<T> {
        let id = id?;
        let near = usize::try_from(id.checked_sub(1)?).ok().and_then(|at| self.rows.get(at));
        match near {
            Some(&(own, value)) if own == id => Some(value),
            _ => {
                let at = self.rows.binary_search_by_key(&id, |&(own, _)| own).ok()?;
                self.rows.get(at).map(|&(_, value)| value)
            }
        }
    }
}
