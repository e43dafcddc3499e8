//! Every entry, with its seeds changed at random for a moment: nothing may panic, and memory must stay in proportion.
//!
//! `CLMATCH_FUZZ_SECONDS` sets the seconds for each entry (a half if not given), `CLMATCH_FUZZ_SEED` the seed.

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clmatch_fuzz::{ENTRIES, Entry, scratch};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The memory that an input may take in addition to a multiple of its size: buffers of readers and threads.
const ALLOWANCE: usize = 192 << 20;
/// This multiple: packed input may be this many times smaller than its content.
const MULTIPLE: usize = 2_000;
/// The time limit for an input.
const LIMIT: Duration = Duration::from_secs(20);

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is handed on to the system's allocator unchanged.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn variable(name: &str) -> Option<f64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Changes, removes or repeats a few bytes, or takes them from another seed.
fn change(random: &mut impl Rng, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..random.random_range(1..8) {
        let at = random.random_range(0..bytes.len().max(1)).min(bytes.len());
        let end = (at + random.random_range(1..32)).min(bytes.len());
        match random.random_range(0..7) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.random_range(0..8),
            1 if at < bytes.len() => {
                bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'\n', b'"', b','][random.random_range(0..8)];
            }
            2 => drop(bytes.drain(at..end)),
            3 => {
                let repeated = bytes[at..end].repeat(random.random_range(1..4));
                bytes.splice(at..at, repeated);
            }
            4 => bytes.truncate(at),
            5 if !other.is_empty() => {
                let from = random.random_range(0..other.len());
                let to = (from + random.random_range(1..64)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            // Writes a large number where a length may be.
            _ if at + 4 <= bytes.len() => {
                bytes[at..at + 4].copy_from_slice(&random.random::<u32>().to_le_bytes());
            }
            _ => {}
        }
    }
    bytes
}

/// Runs an entry, and returns what is wrong with it.
fn complaint(entry: &Entry, bytes: &[u8]) -> Option<String> {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let start = Instant::now();
    let ended = catch_unwind(|| (entry.run)(bytes));
    let taken = PEAK.load(Ordering::Relaxed).saturating_sub(before);
    if ended.is_err() {
        Some("it panicked".to_owned())
    } else if start.elapsed() > LIMIT {
        Some(format!("it took {} s", start.elapsed().as_secs()))
    } else if taken > ALLOWANCE + MULTIPLE * bytes.len() {
        Some(format!("it took {} MB", taken >> 20))
    } else {
        None
    }
}

#[test]
fn nothing_breaks_an_entry() {
    let seconds = Duration::from_secs_f64(variable("CLMATCH_FUZZ_SECONDS").unwrap_or(0.5));
    let seed = variable("CLMATCH_FUZZ_SEED").unwrap_or(0.0) as u64;
    let mut broken = Vec::new();
    for entry in ENTRIES {
        let seeds = (entry.seeds)();
        assert!(!seeds.is_empty(), "{} has no seeds", entry.name);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let (start, mut runs) = (Instant::now(), 0);
        let mut inputs: Vec<Vec<u8>> = seeds.clone();
        inputs.push(Vec::new());
        while start.elapsed() < seconds || !inputs.is_empty() {
            let bytes = inputs.pop().unwrap_or_else(|| {
                let [one, other] = [(); 2].map(|()| &seeds[random.random_range(0..seeds.len())]);
                change(&mut random, one, other)
            });
            runs += 1;
            // Written before the entry is run: a process that is aborted writes nothing.
            let kept = scratch().join(format!("clmatch-fuzz-{}", entry.name));
            std::fs::write(&kept, &bytes).expect("a temporary file");
            if let Some(what) = complaint(entry, &bytes) {
                broken.push(format!("{}: {what}; the bytes are in {}", entry.name, kept.display()));
                break;
            }
        }
        println!("{}: {runs} inputs", entry.name);
        if broken.is_empty() {
            let _ = std::fs::remove_file(scratch().join(format!("clmatch-fuzz-{}", entry.name)));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}
