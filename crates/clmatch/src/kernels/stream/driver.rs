//! One pass over the data: additive states per class, from panels of rows.
//!
//! A pass keeps `width` numbers per class that only ever grow by sums over panels. The rows are cut into tasks
//! that depend on the shape of the data and never on the number of threads; the states of the tasks are added along
//! a tree that depends on nothing else either, so results agree bit for bit for any number of threads.
//!
//! Two ways to cut. *Windows*: each task takes a range of rows and walks over it window by window; a window stays in
//! the cache, and its rows are taken class after class. *Classes*: each task takes some rows of one class,
//! wherever they lie; for many classes, whose states would not fit the cache, or for few rows.

use std::ops::Range;

use clmatch_kernels::parallel;
use clmatch_kernels::simd::{Aligned, Isa, Level, Work};

use super::panel::{Ahead, Input, Panel, Source};

/// Bytes of a window, unless its classes then have fewer than [`PER_CLASS`] rows on average.
const WINDOW: usize = 256 << 10;
/// Rows per class and window, on average.
const PER_CLASS: usize = 24;
/// Tasks, at most, when rows are cut into windows.
const TASKS: usize = 64;
/// Bytes of data that a task has at least.
const TASK: usize = 256 << 10;
/// States of all tasks together are at most this share of the bytes of the data, so that adding them costs little.
const SHARE: usize = 8;
/// Numbers of states that a thread adds at a time.
const CHUNK: usize = 1 << 16;
/// Rows that a task has at most, when rows are cut by class.
const SLICE: usize = 4096;

/// What is summed over the rows of each class.
pub(super) trait Pass: Sync {
    /// Memory of its own for a task.
    type Scratch: Send;
    fn scratch(&self) -> Self::Scratch;

    /// Numbers of state per class.
    fn width(&self) -> usize;

    /// Whether to prefer tasks of a single class.
    fn by_class(&self) -> bool;

    /// Called before the panels of a class.
    ///
    /// # Safety
    /// The processor has the instruction set `I`.
    unsafe fn enter<I: Isa<T = f64>>(&self, class: usize, scratch: &mut Self::Scratch);

    /// Adds a panel to the state of a class; `ahead` is to be fetched in between, as many bytes as the panel has.
    ///
    /// # Safety
    /// The processor has the instruction set `I`.
    unsafe fn add<I: Isa<T = f64>>(
        &self,
        class: usize,
        panel: &Panel,
        scratch: &mut Self::Scratch,
        ahead: &mut Ahead,
        state: &mut [f64],
    );
}

/// K states, one after the other.
pub(super) struct States {
    numbers: Vec<Aligned<f64>>,
}

impl States {
    /// All states, one after the other.
    pub(super) fn new(numbers: Aligned<f64>) -> States {
        States { numbers: vec![numbers] }
    }

    /// The state of a class.
    pub(super) fn of(&self, class: usize, width: usize) -> &[f64] {
        match &self.numbers[..] {
            [all] => &all[class * width..(class + 1) * width],
            each => &each[class],
        }
    }
}

/// Runs a pass over all rows.
///
/// Time: one read of the data, and the pass. Memory: O(K width) for each thread and each halving of its tasks.
pub(super) fn run<T: Source, P: Pass>(level: Level, input: &Input<'_, T>, pass: &P) -> States {
    let tasks = if pass.by_class() { 0 } else { tasks(input, pass.width()) };
    if tasks == 0 { by_class(level, input, pass) } else { by_window(level, input, pass, tasks) }
}

/// How many tasks to cut the rows into; 0 if their states would be large beside the data.
fn tasks<T: Source>(input: &Input<'_, T>, width: usize) -> usize {
    let bytes = size_of_val(input.values);
    let state = input.classes() * width * size_of::<f64>();
    match bytes / (SHARE * state) {
        0 => 0,
        limit => limit.min(bytes / TASK).clamp(1, TASKS).next_power_of_two(),
    }
}

fn by_window<T: Source, P: Pass>(level: Level, input: &Input<'_, T>, pass: &P, tasks: usize) -> States {
    let rows = input.rows();
    let window = (WINDOW / size_of_val(input.row(0))).max(PER_CLASS * input.classes());
    let windows = rows.div_ceil(window);
    let bound = |task: usize| (windows * task / tasks * window).min(rows);
    let task = |task: usize| level.run(Windows { input, pass, rows: bound(task)..bound(task + 1), window });
    States::new(halves(0..tasks, &task))
}

/// The sum of the states of some tasks: that of the first half and that of the second, whoever computes them.
///
/// A state is added while it is in the cache of the thread, and few of them exist at a time.
fn halves(tasks: Range<usize>, state: &(impl Fn(usize) -> Aligned<f64> + Sync)) -> Aligned<f64> {
    if tasks.len() == 1 {
        return state(tasks.start);
    }
    let middle = tasks.start + tasks.len() / 2;
    let (mut sum, other) =
        rayon::join(|| halves(tasks.start..middle, state), || halves(middle..tasks.end, state));
    add(&mut sum, &other);
    sum
}

fn by_class<T: Source, P: Pass>(level: Level, input: &Input<'_, T>, pass: &P) -> States {
    let class_state = |class: usize| {
        let state = |rows: &[_]| level.run(Slice { input, pass, class, rows });
        let mut states = parallel::map_chunks(input.members(class), SLICE, state).into_iter();
        let mut first = states.next().unwrap_or_else(|| Aligned::zeros(pass.width()));
        states.for_each(|state| add(&mut first, &state));
        first
    };
    States { numbers: parallel::map_range(input.classes(), class_state) }
}

fn add(sum: &mut [f64], other: &[f64]) {
    parallel::for_chunks_mut(sum, CHUNK, |chunk, sum| {
        for (sum, value) in sum.iter_mut().zip(&other[chunk * CHUNK..]) {
            *sum += value;
        }
    });
}

/// A task: some windows.
struct Windows<'a, T, P> {
    input: &'a Input<'a, T>,
    pass: &'a P,
    rows: Range<usize>,
    window: usize,
}

impl<T: Source, P: Pass> Work<f64> for Windows<'_, T, P> {
    type Output = Aligned<f64>;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> Aligned<f64> {
        let Windows { input, pass, rows, window } = self;
        let (count, width) = (input.classes(), pass.width());
        let (mut panel, mut scratch) = (Panel::new(input.blocks), pass.scratch());
        let mut states = Aligned::zeros(count * width);
        // Rows of a class ascend, which `Classes` vouches for, so those of a window are neighbours in the list.
        let mut next: Vec<usize> =
            (0..count).map(|class| input.members(class).partition_point(|&row| row < rows.start)).collect();
        let mut start = rows.start;
        while start < rows.end {
            let end = (start + window).min(rows.end);
            // The next task is likely to be ours, too.
            let mut ahead = Ahead::rows(input, end..(end + window).min(input.rows()));
            for class in 0..count {
                let members = input.members(class);
                let from = next[class];
                let mut to = from;
                while to < members.len() && members[to] < end {
                    to += 1;
                }
                next[class] = to;
                debug_assert!(members[from..to].iter().all(|row| (start..end).contains(row)), "rows ascend");
                if from < to {
                    let state = &mut states[class * width..(class + 1) * width];
                    // SAFETY: the caller vouches for the instruction set.
                    unsafe {
                        list::<I, T, P>(
                            input,
                            pass,
                            class,
                            &members[from..to],
                            &mut ahead,
                            &mut panel,
                            &mut scratch,
                            state,
                        );
                    }
                }
            }
            start = end;
        }
        states
    }
}

/// A task: some rows of one class.
struct Slice<'a, T, P> {
    input: &'a Input<'a, T>,
    pass: &'a P,
    class: usize,
    rows: &'a [usize],
}

impl<T: Source, P: Pass> Work<f64> for Slice<'_, T, P> {
    type Output = Aligned<f64>;

    #[inline(always)]
    unsafe fn work<I: Isa<T = f64>>(self) -> Aligned<f64> {
        let Slice { input, pass, class, rows } = self;
        let (mut panel, mut scratch) = (Panel::new(input.blocks), pass.scratch());
        let mut state = Aligned::zeros(pass.width());
        let mut ahead = Ahead::Listed;
        // SAFETY: the caller vouches for the instruction set.
        unsafe {
            list::<I, T, P>(input, pass, class, rows, &mut ahead, &mut panel, &mut scratch, &mut state);
        }
        state
    }
}

/// Adds rows of one class to its state, panel by panel.
#[inline(always)]
#[allow(clippy::too_many_arguments)]
unsafe fn list<I: Isa<T = f64>, T: Source, P: Pass>(
    input: &Input<'_, T>,
    pass: &P,
    class: usize,
    rows: &[usize],
    ahead: &mut Ahead,
    panel: &mut Panel,
    scratch: &mut P::Scratch,
    state: &mut [f64],
) {
    let mut rest = rows;
    // SAFETY: the caller vouches for the instruction set.
    unsafe {
        pass.enter::<I>(class, scratch);
        while !rest.is_empty() {
            let (rows, later) = rest.split_at(rest.len().min(panel.capacity));
            panel.pack::<I, T>(input, class, rows, later, ahead);
            pass.add::<I>(class, panel, scratch, ahead, state);
            rest = later;
        }
    }
}
