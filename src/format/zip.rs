//! The first readable member of a zip archive, read as a stream.
//!
//! The directory of a zip stands at its end, which a stream reaches last. The header before each
//! member is enough: a deflated member ends by itself, a stored one says its length.

use super::sniff::{self, Kind};
use super::source::{HEAD, Source};
use super::{Error, ErrorKind, Result};
use flate2::bufread::DeflateDecoder;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read, Take};

type Archive<'a> = BufReader<Source<'a>>;

/// More members than this are not searched.
const MOST_MEMBERS: usize = 10_000;

/// The data of one member.
enum Member<'a> {
    Stored(Take<Archive<'a>>),
    Deflated(DeflateDecoder<Archive<'a>>),
}

impl<'a> Member<'a> {
    fn into_archive(self) -> Archive<'a> {
        match self {
            Member::Stored(take) => take.into_inner(),
            Member::Deflated(decoder) => decoder.into_inner(),
        }
    }
}

impl Read for Member<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Member::Stored(take) => take.read(buffer),
            Member::Deflated(decoder) => decoder.read(buffer),
        }
    }
}

/// What a local header says.
struct Header {
    name: String,
    method: u16,
    flags: u16,
    size: u64,
}

/// Finds the first member that looks like something this program reads.
pub(super) fn first_member<'a>(source: Source<'a>) -> Result<Chain<Cursor<Vec<u8>>, impl Read + 'a>> {
    let mut archive = BufReader::with_capacity(1 << 16, source);
    let mut names: Vec<String> = Vec::new();
    while names.len() < MOST_MEMBERS
        && let Some(header) = local_header(&mut archive)?
    {
        names.push(header.name);
        let has_trailer = header.flags & 8 != 0;
        let mut member = match header.method {
            _ if header.flags & 1 != 0 => return Err(unreadable("an encrypted zip archive")),
            8 => Member::Deflated(DeflateDecoder::new(archive)),
            0 if !has_trailer || header.size > 0 => Member::Stored(archive.take(header.size)),
            _ => return Err(unreadable("a zip archive packed in a way that is not read here")),
        };
        let mut head = Vec::new();
        member.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
        if !matches!(sniff::sniff(&head), Kind::Empty | Kind::Unknown | Kind::Other(_)) {
            return Ok(Cursor::new(head).chain(member));
        }
        io::copy(&mut member, &mut io::sink())?;
        archive = member.into_archive();
        if has_trailer {
            skip_trailer(&mut archive)?;
        }
    }
    names.truncate(5);
    let holds = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    Err(Error::new(
        ErrorKind::Unexpected,
        format!("this is a zip archive without a file that can be read here (it holds {holds})"),
    )
    .hint(super::ACCEPTED))
}

fn unreadable(what: &str) -> Error {
    Error::new(ErrorKind::UnknownFormat, format!("this looks like {what}"))
        .hint("unpack it and open what is inside")
}

/// The header of the next member; `None` where the directory begins.
fn local_header(archive: &mut Archive<'_>) -> Result<Option<Header>> {
    let mut fixed = [0_u8; 30];
    match archive.read_exact(&mut fixed) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    if !fixed.starts_with(b"PK\x03\x04") {
        return Ok(None);
    }
    let u16_at = |at: usize| u16::from_le_bytes([fixed[at], fixed[at + 1]]);
    let size = u32::from_le_bytes([fixed[18], fixed[19], fixed[20], fixed[21]]);
    let mut name = vec![0; u16_at(26).into()];
    archive.read_exact(&mut name)?;
    let mut extra = vec![0; u16_at(28).into()];
    archive.read_exact(&mut extra)?;
    let size = if size == u32::MAX { size_in_extra(&extra) } else { size.into() };
    let name = String::from_utf8_lossy(&name).into_owned();
    Ok(Some(Header { name, method: u16_at(8), flags: u16_at(6), size }))
}

/// The packed size of a member over 4 GiB: the second number of the zip64 field.
fn size_in_extra(mut extra: &[u8]) -> u64 {
    while let [a, b, c, d, rest @ ..] = extra {
        let len = usize::from(u16::from_le_bytes([*c, *d]));
        let Some((field, after)) = rest.split_at_checked(len) else { break };
        if u16::from_le_bytes([*a, *b]) == 1 {
            let number = field.get(8..16).and_then(|bytes| bytes.try_into().ok());
            return number.map_or(0, u64::from_le_bytes);
        }
        extra = after;
    }
    0
}

/// After a member whose header did not know its size: checksum and sizes, of 4 or 8 bytes each.
fn skip_trailer(archive: &mut Archive<'_>) -> Result<()> {
    for _ in 0..24 {
        let buffer = archive.fill_buf()?;
        if buffer.is_empty() || buffer.starts_with(b"PK\x03\x04") || buffer.starts_with(b"PK\x01\x02") {
            break;
        }
        archive.consume(1);
    }
    Ok(())
}
