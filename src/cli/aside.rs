//! Where results are made until they are whole: beside their place, hidden, under the name of the process.
//!
//! So neither a failure nor a reader of the same path meets half a result, and what a killed program leaves looks like
//! none. A failure leaves nothing; what killed programs left of the same result is removed by the next.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file or folder that is being made.
pub struct Aside {
    place: PathBuf,
    part: PathBuf,
    /// Folders that were made for it, the outermost last.
    made: Vec<PathBuf>,
}

/// What stood at the place of a folder that is being replaced, until the new one stands there.
const OLD: &str = "old";
const PART: &str = "part";

/// `.NAME.PID.ENDING` beside `place`.
fn beside(place: &Path, ending: &str) -> PathBuf {
    let mut name = prefix(place);
    name.push(format!("{}.{ending}", std::process::id()));
    place.with_file_name(name)
}

fn prefix(place: &Path) -> OsString {
    let mut name = OsString::from(".");
    name.push(place.file_name().unwrap_or_default());
    name.push(".");
    name
}

impl Aside {
    /// For a result at `place`.
    pub fn of(place: &Path) -> Aside {
        remove_leftovers(place);
        Aside { place: place.to_owned(), part: beside(place, PART), made: Vec::new() }
    }

    /// Where it is to be made.
    pub fn path(&self) -> &Path {
        &self.part
    }

    /// Makes it an empty folder, and those above it.
    pub fn make_folder(&mut self) -> io::Result<()> {
        let is_new = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
        self.made = self.part.ancestors().take_while(is_new).map(Path::to_owned).collect();
        fs::create_dir_all(&self.part)
    }

    /// Moves it to its place, where a folder may stand that it replaces.
    pub fn settle(self) -> io::Result<()> {
        if !(self.part.is_dir() && self.place.exists()) {
            return fs::rename(&self.part, &self.place);
        }
        let old = beside(&self.place, OLD);
        fs::rename(&self.place, &old)?;
        let moved = fs::rename(&self.part, &self.place);
        if moved.is_err() {
            let _ = fs::rename(&old, &self.place);
        }
        remove(&old);
        moved
    }

    /// Moves what is in this folder to where the folder lies.
    pub fn settle_each(self) -> io::Result<()> {
        for entry in fs::read_dir(&self.part)? {
            let entry = entry?;
            fs::rename(entry.path(), self.place.with_file_name(entry.file_name()))?;
        }
        Ok(())
    }
}

impl Drop for Aside {
    /// Removes what did not come to its place, and folders that were made for it and hold nothing.
    fn drop(&mut self) {
        remove(&self.part);
        for folder in &self.made {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Removes a file or a folder; what is not there need not be removed.
fn remove(path: &Path) {
    if path.is_dir() {
        let _ = fs::remove_dir_all(path);
    } else {
        let _ = fs::remove_file(path);
    }
}

/// Removes parts of `place` whose process is gone; where that cannot be told, they stay.
fn remove_leftovers(place: &Path) {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let processes = Path::new("/proc");
    if !processes.join("self").exists() {
        return;
    }
    let prefix = prefix(place);
    let prefix = prefix.to_string_lossy();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(&*prefix)) else { continue };
        let Some((process, ending)) = rest.split_once('.') else { continue };
        let is_number = !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || processes.join(process).exists() {
            continue;
        }
        match ending {
            // The program was killed between two moves.
            OLD if !place.exists() => drop(fs::rename(entry.path(), place)),
            OLD | PART => remove(&entry.path()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("hbmlens-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_a_killed_program_left_is_removed_by_the_next() {
        let folder = folder("leftovers");
        // No process has such a number.
        let others =
            [".other.db.4294967295.part", ".run.db.4294967295.txt", ".run.db.x.part", "run.db.7.part"];
        let left = [".run.db.4294967295.part", ".run.db.4294967294.part", ".run.db.4294967293.old"];
        others.iter().chain(&left[..1]).for_each(|name| fs::write(folder.join(name), "half").unwrap());
        for name in &left[1..] {
            fs::create_dir(folder.join(name)).unwrap();
            fs::write(folder.join(name).join("inside"), "half").unwrap();
        }
        fs::write(folder.join("run.db"), "before").unwrap();
        let aside = Aside::of(&folder.join("run.db"));
        fs::write(aside.path(), "whole").unwrap();
        aside.settle().unwrap();
        let mut wanted = [&others[..], &["run.db"]].concat();
        if !Path::new("/proc/self").exists() {
            wanted.extend(left);
        }
        wanted.sort_unstable();
        assert_eq!(names(&folder), wanted);
        assert_eq!(fs::read_to_string(folder.join("run.db")).unwrap(), "whole");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_folder_is_replaced_or_stays_as_it_was() {
        let folder = folder("replaced");
        let place = folder.join("new").join("rank=1");
        for content in ["a", "b"] {
            let mut aside = Aside::of(&place);
            aside.make_folder().unwrap();
            fs::write(aside.path().join(content), content).unwrap();
            aside.settle().unwrap();
            assert_eq!(names(&place), [content]);
        }
        let mut aside = Aside::of(&place);
        aside.make_folder().unwrap();
        fs::write(aside.path().join("c"), "c").unwrap();
        drop(aside);
        assert_eq!(
            (names(&place), names(&folder.join("new"))),
            (vec!["b".to_owned()], vec!["rank=1".to_owned()])
        );
        // A program that was killed while it replaced the folder: what was there before is there again.
        if Path::new("/proc/self").exists() {
            fs::rename(&place, folder.join("new").join(".rank=1.4294967295.old")).unwrap();
            drop(Aside::of(&place));
            assert_eq!(
                (names(&place), names(&folder.join("new"))),
                (vec!["b".to_owned()], vec!["rank=1".to_owned()])
            );
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn folders_made_for_nothing_are_removed() {
        let folder = folder("nothing");
        let mut aside = Aside::of(&folder.join("a").join("b").join("tables"));
        aside.make_folder().unwrap();
        fs::write(aside.path().join("x.csv"), "x").unwrap();
        drop(aside);
        assert_eq!(names(&folder), Vec::<String>::new());
        let mut aside = Aside::of(&folder.join("a").join("b").join("tables"));
        aside.make_folder().unwrap();
        fs::write(aside.path().join("x.csv"), "x").unwrap();
        aside.settle_each().unwrap();
        assert_eq!(names(&folder.join("a").join("b")), ["x.csv"]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
