//! The LZF filter, which h5py offers besides gzip. The format: a control byte below 32 is followed by that many bytes plus one
//! that are copied; a larger one refers to bytes that were unpacked before.

use hdf5_reader::FilterRegistry;
use hdf5_reader::error::Error;

/// The number under which h5py registered the filter.
const LZF: u16 = 32_000;
/// Chunks are never larger, according to HDF5.
const LARGEST: usize = u32::MAX as usize;

/// All filters that can be read.
pub(super) fn registry() -> FilterRegistry {
    let mut registry = FilterRegistry::new();
    registry.register(
        LZF,
        Box::new(|filter, packed, _| {
            // Version of the filter, version of the library, and the size of an unpacked chunk.
            let size = filter.client_data.get(2).map_or(LARGEST, |&size| size as usize);
            unpack(packed, size).ok_or_else(|| Error::DecompressionError("the LZF data are damaged".into()))
        }),
    );
    registry
}

/// Unpacks at most `limit` bytes; `None` for damaged data.
fn unpack(packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::new();
    let mut rest = packed;
    while let Some((&control, after)) = rest.split_first() {
        rest = after;
        let control = usize::from(control);
        if control < 32 {
            let (plain, after) = rest.split_at_checked(control + 1)?;
            out.extend(plain);
            rest = after;
        } else {
            let mut length = control >> 5;
            if length == 7 {
                let (&more, after) = rest.split_first()?;
                length += usize::from(more);
                rest = after;
            }
            let (&low, after) = rest.split_first()?;
            rest = after;
            let back = ((control & 31) << 8) + usize::from(low) + 1;
            let start = out.len().checked_sub(back)?;
            // The bytes referred to may overlap those being written.
            for at in start..start + length + 2 {
                out.push(out[at]);
            }
        }
        if out.len() > limit {
            return None;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_may_overlap_what_they_write() {
        // "ab", then 2 + 4 bytes from two bytes back, then "c".
        let packed = [1, b'a', b'b', 4 << 5, 1, 0, b'c'];
        assert_eq!(
            unpack(&packed, 100).unwrap(),
            b"abababab".iter().chain(b"c").copied().collect::<Vec<u8>>()
        );
        // A long reference: 7 + 3 + 2 bytes from one byte back.
        assert_eq!(unpack(&[0, b'x', 7 << 5, 3, 0], 100).unwrap(), [b'x'; 13]);
        // From the farthest place that can be referred to: 8192 bytes back.
        let plain: Vec<u8> = (0..8192_u32).map(|at| (at % 251) as u8).collect();
        let mut far: Vec<u8> = plain.chunks(32).flat_map(|run| [&[31][..], run].concat()).collect();
        far.extend([(1 << 5) | 31, 255]);
        assert_eq!(unpack(&far, 9000).unwrap()[8192..], plain[..3]);
        assert_eq!(unpack(&[0, b'x', 7 << 5, 3, 0], 5), None, "more than the chunk holds");
        for damaged in [&[3, b'a'][..], &[0, b'x', 4 << 5], &[0, b'x', 4 << 5, 9], &[7 << 5]] {
            assert_eq!(unpack(damaged, 100), None, "{damaged:?}");
        }
    }
}
